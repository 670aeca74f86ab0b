package io.counterflow.flink.histories;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.runtime.state.StateBackend;

/** Runs histories, and makes one that fails shorter. */
final class Shrinker {

    private static final int MAX_TRIALS = 3_000;

    private static final String REPORT =
            """
            history %d fails: %s
            Repeat it with
              mvn -pl flink-jobs -am verify -Dtest=none -Dit.test=SimulatedHistoriesIT \\
                -Dsurefire.failIfNoSpecifiedTests=false \\
                -Dfailsafe.failIfNoSpecifiedTests=false -Dcounterflow.history-seed=%d

            A shorter one fails with: %s
            %s
            Its records:
            %s
            What happens:
            %s""";

    private final StateBackend backend;
    private int trials;

    Shrinker(StateBackend backend) {
        this.backend = backend;
    }

    /** What is wrong with what a history gives; empty if nothing is. */
    Optional<Throwable> failure(History history) {
        try {
            Verification.verify(history, Simulation.run(history, backend, null));
            return Optional.empty();
        } catch (Exception | AssertionError e) {
            return Optional.of(e);
        }
    }

    /** Says what failed and how to repeat it, with a short history that fails as well. */
    String report(long seed, History history, Throwable failure) {
        History small = shrink(history);
        StringBuilder trace = new StringBuilder();
        Throwable again = failure;
        try {
            Verification.verify(small, Simulation.run(small, backend, trace));
        } catch (Exception | AssertionError e) {
            again = e;
        }
        StringBuilder stack = new StringBuilder();
        for (StackTraceElement element : again.getStackTrace()) {
            if (element.getClassName().startsWith("io.counterflow") && stack.length() < 2_000) {
                stack.append("    at ").append(element).append('\n');
            }
        }
        return REPORT.formatted(seed, failure, seed, again, stack, small, trace);
    }

    private History shrink(History history) {
        History small = history;
        boolean shorter = true;
        while (shorter && trials < MAX_TRIALS) {
            int before = small.records().size();
            small = withFewerRecords(small);
            small = withSimplerSettings(small);
            shorter = small.records().size() < before;
        }
        return small;
    }

    private History withFewerRecords(History history) {
        History small = history;
        for (int length = Math.max(1, history.records().size() / 2); length > 0; length /= 2) {
            for (int from = 0; from + length <= small.records().size(); ) {
                List<Sent> records = new ArrayList<>(small.records());
                records.subList(from, from + length).clear();
                Optional<History> failing = failing(small.with(records));
                if (failing.isPresent()) {
                    small = failing.get();
                } else {
                    from += length;
                }
            }
        }
        return small;
    }

    private History withSimplerSettings(History history) {
        History.Settings it = history.settings();
        List<History.Settings> simpler =
                List.of(
                        settings(it, 1, it.kills(), it.stops(), it.pauses(), it.lagging()),
                        settings(it, it.maxParallelism(), 0, it.stops(), it.pauses(), -1),
                        settings(it, it.maxParallelism(), it.kills(), 0, 0, -1),
                        settings(it, 1, 0, 0, 0, -1));
        History small = history;
        for (History.Settings settings : simpler) {
            small = failing(small.with(settings)).orElse(small);
        }
        return small;
    }

    private static History.Settings settings(
            History.Settings of, int parallelism, int kills, int stops, int pauses, int lagging) {
        return new History.Settings(
                of.partitions(),
                parallelism,
                of.smallCaches(),
                of.checkpoints(),
                kills,
                stops,
                pauses,
                of.haste(),
                lagging);
    }

    /** The history under a few schedules, until it fails. */
    private Optional<History> failing(History history) {
        for (int i = 0; i < 8 && trials < MAX_TRIALS; i++) {
            trials++;
            History tried = i == 0 ? history : history.scheduledBy(history.schedule() + i);
            if (failure(tried).isPresent()) {
                return Optional.of(tried);
            }
        }
        return Optional.empty();
    }
}
