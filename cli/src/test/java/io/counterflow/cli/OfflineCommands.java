package io.counterflow.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.cli.console.Capture;
import io.counterflow.cli.console.CommandLines;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.snapshot.SnapshotFile;
import java.io.IOException;
import java.nio.file.Path;

/** Runs commands in this process, and knows the true values of the simulated logs. */
public final class OfflineCommands {

    private final Capture capture = Capture.plain();

    public int run(Object... args) {
        String[] words = new String[args.length];
        for (int i = 0; i < args.length; i++) {
            words[i] = args[i].toString();
        }
        return CommandLines.of(capture.terminal(), Commands.of(capture.terminal())).execute(words);
    }

    /** Runs a command that must succeed, and reads its JSON result. */
    public static JsonNode json(Object... args) throws IOException {
        OfflineCommands fresh = new OfflineCommands();
        Object[] words = new Object[args.length + 1];
        System.arraycopy(args, 0, words, 0, args.length);
        words[args.length] = "--json";
        int exit = fresh.run(words);
        assertThat(exit).as(fresh.capture.err()).isEqualTo(ExitCode.DONE);
        return new ObjectMapper().readTree(fresh.capture.out());
    }

    public static double trueValue(Path snapshot) throws IOException {
        PolicySnapshot policy = SnapshotFile.read(snapshot);
        return SimulatedLogs.LOOP.value(policy.policy(), 200_000, new EventRandom(77));
    }

    public static double loggingValue() {
        return SimulatedLogs.LOOP.value(
                Policy.softmax(SimulatedLogs.LOGGING), 200_000, new EventRandom(77));
    }

    public String out() {
        return capture.out();
    }

    public String err() {
        return capture.err();
    }
}
