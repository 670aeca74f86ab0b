package io.counterflow.cli.offline;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.SimulatedLogs;
import io.counterflow.cli.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bad input is named in the message, and the exit code is 2. */
final class BadInputIT {

    @TempDir Path dir;

    private final OfflineCommands commands = new OfflineCommands();

    @Test
    void aBadLineIsNamedOrSkippedAndCounted() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 300, 1, true);
        Files.writeString(
                log,
                "{\"context\":{\"dense\":[1,2,3,4,5]},\"action\":0,\"propensity\":0,\"reward\":1}\n"
                        + "not json\n"
                        + "{\"context\":{\"dense\":[1,2]},\"action\":0,\"propensity\":1,\"reward\":1,"
                        + "\"loop\":\"home\"}\n",
                StandardOpenOption.APPEND);
        assertThat(commands.run("evaluate", "--log", log, "--policy", "uniform"))
                .isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err()).contains("log.jsonl, line 301:").contains("--skip-bad");
        JsonNode skipped =
                OfflineCommands.json("evaluate", "--log", log, "--policy", "uniform", "--skip-bad");
        assertThat(skipped.get("skipped").asInt()).isEqualTo(3);
        assertThat(skipped.get("n").asInt()).isEqualTo(300);
    }

    @Test
    void aLogOfSeveralLoopsNeedsTheLoopOption() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 200, 1, true);
        Files.writeString(
                log,
                "{\"loop\":\"other\",\"context\":{\"dense\":[1]},\"action\":0,\"propensity\":1,"
                        + "\"reward\":1}\n",
                StandardOpenOption.APPEND);
        assertThat(commands.run("evaluate", "--log", log, "--policy", "uniform"))
                .isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err()).contains("several loops").contains("--loop");
        assertThat(
                        OfflineCommands.json(
                                        "evaluate",
                                        "--log",
                                        log,
                                        "--policy",
                                        "uniform",
                                        "--loop",
                                        "home")
                                .get("n")
                                .asInt())
                .isEqualTo(200);
        assertThat(
                        commands.run(
                                "evaluate",
                                "--log",
                                log,
                                "--policy",
                                "uniform",
                                "--loop",
                                "none-such"))
                .isEqualTo(ExitCode.BAD_INPUT);
    }

    @Test
    void usageErrorsAreExplained() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 50, 1, true);
        Path out = dir.resolve("x.snapshot");
        String[][] wrong = {
            {"train", "--log", log.toString(), "--objective", "ips", "--out", out.toString()},
            {
                "train",
                "--log",
                log.toString(),
                "--objective",
                "ips-lpr",
                "--tau",
                "0",
                "--out",
                out.toString()
            },
            {
                "train",
                "--log",
                log.toString(),
                "--objective",
                "trust-lpr",
                "--trust",
                "1",
                "--out",
                out.toString()
            },
            {
                "train",
                "--log",
                log.toString(),
                "--objective",
                "ips-lpr",
                "--epochs",
                "0",
                "--out",
                out.toString()
            },
            {
                "train",
                "--log",
                log.toString(),
                "--objective",
                "bcrm",
                "--lambda",
                "1",
                "--out",
                out.toString()
            },
            {"train", "--log", dir + "/none.jsonl", "--objective", "poem", "--out", out.toString()},
            {"evaluate", "--log", log.toString(), "--policy", log.toString()},
            {"evaluate", "--log", log.toString(), "--policy", "uniform", "--delta", "1"},
            {"evaluate", "--log", log.toString(), "--policy", "uniform", "--actions", "2"},
            {
                "bound", "--log", log.toString(), "--policy", "no.snapshot", "--prior", "none",
            },
        };
        for (String[] words : wrong) {
            assertThat(commands.run((Object[]) words))
                    .as("%s", String.join(" ", words))
                    .isEqualTo(ExitCode.BAD_INPUT);
        }
        assertThat(commands.out()).isEmpty();
        assertThat(commands.err()).doesNotContain("\tat io.counterflow");
        assertThat(out).doesNotExist();
    }

    @Test
    void anOutputFileThatCannotBeWrittenIsRefusedBeforeTheLogIsRead() throws IOException {
        Path directory = Files.createDirectory(dir.resolve("directory"));
        for (Path out : List.of(dir.resolve("missing/x.snapshot"), directory)) {
            assertThat(
                            commands.run(
                                    "train",
                                    "--log",
                                    dir.resolve("unread.jsonl"),
                                    "--objective",
                                    "poem",
                                    "--out",
                                    out))
                    .isEqualTo(ExitCode.BAD_INPUT);
            assertThat(commands.err()).contains("--out must be ", out.toString());
        }
        assertThat(commands.err()).doesNotContain("unread.jsonl");
    }

    @Test
    void filesThatDoNotMatchAreNamed() throws IOException {
        Path log = SimulatedLogs.dense(dir.resolve("log.jsonl"), 60, 1, true);
        Path named = SimulatedLogs.named(dir.resolve("named.jsonl"), 60, 1);
        Path dense = SimulatedLogs.loggingSnapshot(dir.resolve("dense.snapshot"));
        Path hashed = dir.resolve("hashed.snapshot");
        OfflineCommands.json(
                "logging-policy", "--log", named, "--epochs", 1, "--bits", 8, "--out", hashed);
        Object[][] wrong = {
            {"evaluate", "--log", log, "--policy", hashed},
            {"evaluate", "--log", named, "--policy", dense},
            {"evaluate", "--log", log, named, "--policy", "uniform"},
            {"bound", "--log", log, "--policy", dense, "--prior", hashed},
            {"bound", "--log", log, "--policy", dense, "--prior", "learned"},
            {"evaluate", "--log", dir, "--policy", "uniform"},
            {"evaluate", "--log", dense, "--policy", "uniform"},
        };
        String[] said = {
            "log.jsonl, line 1: context must have named features, as the snapshot's model is hashed",
            "named.jsonl, line 1: context must be a vector, as the snapshot's model is dense",
            "named.jsonl, line 1: context must be a vector, as in the log's first impression",
            "hashed.snapshot does not match",
            "--prior must be a snapshot or none, got learned",
            "a log file's name must end in .jsonl, .jsonl.gz or .avro",
            "a log file's name must end in .jsonl, .jsonl.gz or .avro",
        };
        for (int i = 0; i < wrong.length; i++) {
            OfflineCommands fresh = new OfflineCommands();
            assertThat(fresh.run(wrong[i])).as(said[i]).isEqualTo(ExitCode.BAD_INPUT);
            assertThat(fresh.err()).contains(said[i]).doesNotContain("failed:");
        }
    }

    @Test
    void anEmptyLogIsRefused() throws IOException {
        Path log = dir.resolve("empty.jsonl");
        Files.writeString(log, "\n");
        assertThat(commands.run("evaluate", "--log", log, "--policy", "uniform"))
                .isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err()).contains("the log has no usable impressions");
    }
}
