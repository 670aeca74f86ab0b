package io.counterflow.e2e.failures;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A deployment of separate processes loses nothing that it acknowledged and counts nothing twice,
 * whatever is killed, paused or damaged. {@code docs/reliability.md} says how to run more.
 */
final class KillAnythingIT {

    private static final long SEED = Long.getLong("counterflow.failure-seed", 1);

    /** The number of failures of the long run: each kind in turn. */
    private static final String INJECTIONS = "counterflow.injections";

    /** Those that are over at once, and after which recovery takes seconds. */
    private static final EnumSet<Failure> SHORT =
            EnumSet.of(
                    Failure.TASK_MANAGER_KILLED,
                    Failure.JOB_MANAGER_KILLED,
                    Failure.BROKER_KILLED,
                    Failure.SERVING_KILLED,
                    Failure.CLOCK_JUMPS,
                    Failure.POISON);

    /** Where logs, topics and state are afterwards, until the next run. */
    private static final Path DIRECTORY = Path.of("target", "failures").toAbsolutePath();

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void nothingIsLostAndNothingIsCountedTwice() throws Exception {
        List<Failure> failures = new ArrayList<>(SHORT);
        Collections.shuffle(failures, new Random(SEED));
        run(failures, 40, "checkpoint.interval: 2s\n");
    }

    @Test
    @EnabledIfSystemProperty(
            named = INJECTIONS,
            matches = "\\d+",
            disabledReason = "a long run, which is asked for with -D" + INJECTIONS + "=24")
    void nothingIsLostInManyFailuresWithDefaultSettings() throws Exception {
        int injections = Integer.getInteger(INJECTIONS);
        List<Failure> failures = new ArrayList<>();
        Random random = new Random(SEED);
        while (failures.size() < injections) {
            List<Failure> all = new ArrayList<>(EnumSet.allOf(Failure.class));
            Collections.shuffle(all, random);
            failures.addAll(all.subList(0, Math.min(all.size(), injections - failures.size())));
        }
        run(failures, 100, "");
    }

    private void run(List<Failure> failures, int decisionsPerSecond, String settings)
            throws Exception {
        Trees.recreate(DIRECTORY);
        try (FailureRun run = new FailureRun(DIRECTORY, SEED, settings)) {
            List<String> faults = new ArrayList<>();
            try {
                run.start(decisionsPerSecond);
                for (Failure failure : failures) {
                    run.inject(failure);
                }
                faults = run.finish();
            } finally {
                Files.writeString(
                        DIRECTORY.resolve("report.txt"),
                        "seed %d%n%s".formatted(SEED, run.report()));
                run.ledger().write(DIRECTORY.resolve("ledger.txt"));
                System.out.println(run.report());
            }
            assertThat(faults).as("seed %d%n%s", SEED, run.report()).isEmpty();
            assertThat(run.ledger().answered()).isGreaterThan(1_000);
        }
    }
}
