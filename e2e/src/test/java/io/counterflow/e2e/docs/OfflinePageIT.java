package io.counterflow.e2e.docs;

import static org.assertj.core.api.Assertions.assertThat;

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

/** The commands of docs/offline.md print the output that the page shows. */
final class OfflinePageIT {

    private static final Path ROOT = Path.of("..");
    private static final Pattern CONSOLE =
            Pattern.compile(
                    "```console\\R\\$ bin/counterflow ([^\\n]*)\\n(.*?)\\n```", Pattern.DOTALL);

    @TempDir Path dir;

    @Test
    void everyCommandPrintsWhatThePageShows() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/offline.md"));
        Matcher console = CONSOLE.matcher(page);
        List<String> commands = new ArrayList<>();
        while (console.find()) {
            commands.add(console.group(1));
            assertThat(run(console.group(1))).as(console.group(1)).isEqualTo(console.group(2));
        }
        assertThat(commands).as("commands that the page shows").hasSize(6);
    }

    private String run(String command) {
        String[] words = command.split(" ", -1);
        for (int i = 0; i < words.length; i++) {
            if (words[i].startsWith("docs/")) {
                words[i] = ROOT.resolve(words[i]).toString();
            } else if (words[i].endsWith(".snapshot")) {
                words[i] = dir.resolve(words[i]).toString();
            }
        }
        OfflineCommands commands = new OfflineCommands();
        int exit = commands.run((Object[]) words);
        assertThat(exit).as(commands.err()).isZero();
        return commands.out().replace(dir + "/", "").stripTrailing();
    }
}
