package io.counterflow.e2e.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.counterflow.cli.OfflineCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The worked example of docs/results.md prints what the page shows, where the data is here. */
final class OpenBanditPageIT {

    private static final Path PAGE = Path.of("../docs/results.md");
    private static final Path DATA = Path.of("../../shared/data/open-bandit");
    private static final Pattern CONSOLE =
            Pattern.compile(
                    "```console\\R\\$ bin/counterflow ([^\\n]*)\\n(.*?)\\n```", Pattern.DOTALL);

    @TempDir Path dir;

    @Test
    void everyCommandPrintsWhatThePageShows() throws IOException {
        assumeThat(DATA).as("skipped: the Open Bandit Dataset is not on this machine").exists();
        String page = Files.readString(PAGE);
        String example = page.substring(page.indexOf("### A policy from the uniform log"));
        Matcher console = CONSOLE.matcher(example.substring(0, example.indexOf("\n## ")));
        List<String> commands = new ArrayList<>();
        while (console.find()) {
            commands.add(console.group(1));
            assertThat(run(console.group(1))).as(console.group(1)).isEqualTo(console.group(2));
        }
        assertThat(commands).as("commands that the page shows").hasSize(5);
    }

    private String run(String command) {
        String[] words = command.split(" ", -1);
        for (int i = 0; i < words.length; i++) {
            if (words[i].startsWith("data/open-bandit/")) {
                words[i] = DATA.resolve(Path.of(words[i]).getFileName()).toString();
            } else if (words[i].endsWith(".snapshot") || words[i].endsWith(".jsonl.gz")) {
                words[i] = dir.resolve(words[i]).toString();
            }
        }
        OfflineCommands commands = new OfflineCommands();
        int exit = commands.run((Object[]) words);
        assertThat(exit).as(commands.err()).isZero();
        return commands.out().replace(dir + "/", "").stripTrailing();
    }
}
