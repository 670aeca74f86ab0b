package io.counterflow.flink.config;

import io.counterflow.core.text.DurationText;
import java.io.Serializable;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * How Flink runs the job.
 *
 * @param parallelism subtasks of each operator; 0 for the cluster's default
 * @param maxParallelism most that there may ever be
 * @param stateBackend where state lives
 * @param checkpoints when and where state is stored
 * @param restart how it comes back from a failure
 * @param clusterAddress host:port that jobs are submitted to
 */
public record RunSettings(
        int parallelism,
        int maxParallelism,
        StateBackendKind stateBackend,
        Checkpoints checkpoints,
        Restart restart,
        String clusterAddress)
        implements Serializable {

    /** Flink allows no more. */
    private static final int MAX_PARALLELISM = 32_768;

    public RunSettings {
        if (maxParallelism < 1 || maxParallelism > MAX_PARALLELISM) {
            throw new IllegalArgumentException(
                    "maxParallelism must be between 1 and %d, got %d"
                            .formatted(MAX_PARALLELISM, maxParallelism));
        }
        if (parallelism < 0 || parallelism > maxParallelism) {
            throw new IllegalArgumentException(
                    "parallelism must be between 0 and maxParallelism, %d, got %d"
                            .formatted(maxParallelism, parallelism));
        }
    }

    /** The parallelism, where it is given. */
    public OptionalInt givenParallelism() {
        return parallelism == 0 ? OptionalInt.empty() : OptionalInt.of(parallelism);
    }

    /**
     * When and where state is stored.
     *
     * @param interval time between checkpoints
     * @param timeout after how long one is given up
     * @param retained how many are kept
     * @param directory where checkpoints lie
     * @param savepointDirectory where savepoints lie
     */
    public record Checkpoints(
            Duration interval,
            Duration timeout,
            int retained,
            String directory,
            String savepointDirectory)
            implements Serializable {

        public Checkpoints {
            requirePositive("interval", interval);
            requirePositive("timeout", timeout);
            if (retained < 1) {
                throw new IllegalArgumentException("retained must be at least 1, got " + retained);
            }
        }
    }

    /**
     * How the job comes back from a failure: for ever, waiting longer each time.
     *
     * @param initialBackoff wait before the first restart
     * @param maxBackoff longest wait
     * @param resetAfter after how long without a failure the wait is short again
     */
    public record Restart(Duration initialBackoff, Duration maxBackoff, Duration resetAfter)
            implements Serializable {

        public Restart {
            requirePositive("initialBackoff", initialBackoff);
            requirePositive("resetAfter", resetAfter);
            if (maxBackoff.compareTo(initialBackoff) < 0) {
                throw new IllegalArgumentException(
                        "maxBackoff must be at least initialBackoff, %s, got %s"
                                .formatted(initialBackoff, maxBackoff));
            }
        }
    }

    private static void requirePositive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(
                    name + " must be above zero, got " + DurationText.format(value));
        }
    }
}
