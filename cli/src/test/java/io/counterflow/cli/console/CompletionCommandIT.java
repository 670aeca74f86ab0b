package io.counterflow.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.counterflow.cli.OfflineCommands;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script completes in a real shell. */
final class CompletionCommandIT {

    /** Asks for the completions of a line as the shell does after a tab. */
    private static final String ASK =
            """
            compopt() { :; } # works only while a person presses the key
            source "$1"; shift
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
            specified=($(complete -p counterflow))
            for ((i = 0; i < ${#specified[@]}; i++)); do
              [ "${specified[i]}" != -F ] || function=${specified[i + 1]}
            done
            "$function" counterflow "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """;

    @TempDir private Path temp;

    private List<String> completed(String... words) throws IOException, InterruptedException {
        OfflineCommands commands = new OfflineCommands();
        assertThat(commands.run("completion", "bash")).isEqualTo(ExitCode.DONE);
        Path script = Files.writeString(temp.resolve("completion"), commands.out());
        Files.writeString(temp.resolve("ask"), ASK);
        List<String> line = new ArrayList<>(List.of("bash", "--norc", "ask"));
        line.add(script.toString());
        line.add("counterflow");
        line.addAll(List.of(words));
        Process bash =
                new ProcessBuilder(line).directory(temp.toFile()).redirectErrorStream(true).start();
        String printed = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(bash.exitValue()).as(printed).isZero();
        return printed.lines().map(String::strip).toList();
    }

    @Test
    void commandsOptionsValuesAndFilesAreCompleted() throws Exception {
        assumeThat(Path.of("/bin/bash")).exists();
        assertThat(completed("")).contains("demo", "standalone", "savepoint", "help");
        assertThat(completed("sta")).containsExactly("standalone");
        assertThat(completed("savepoint", "l")).containsExactly("list");
        assertThat(completed("serve", "--con")).containsExactly("--config");
        assertThat(completed("demo", "--dataset", "")).contains("synthetic", "fashion-mnist");
        assertThat(completed("completion", "")).contains("bash", "zsh");
        Files.writeString(temp.resolve("clicks.jsonl"), "");
        assertThat(completed("train", "--log", "cl")).containsExactly("clicks.jsonl");
    }

    @Test
    void bothShellsUseOneScriptAndOthersAreRefused() {
        OfflineCommands bash = new OfflineCommands();
        OfflineCommands zsh = new OfflineCommands();
        bash.run("completion", "bash");
        zsh.run("completion", "zsh");
        assertThat(zsh.out()).isEqualTo(bash.out()).contains("ZSH_VERSION");
        OfflineCommands fish = new OfflineCommands();
        assertThat(fish.run("completion", "fish")).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(fish.err()).contains("fish");
    }
}
