package io.counterflow.flink.config;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.text.DurationText;
import io.counterflow.schemas.config.StateBackendKind;
import java.io.Serializable;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * How Flink runs the job.
 *
 * @param parallelism parallelism of each operator; 0 for the cluster's default
 * @param maxParallelism maximum parallelism over the life of the state
 * @param stateBackend where state is kept between records
 * @param checkpoints when and where state is stored
 * @param restart delays between restarts after failures
 * @param clusterAddress {@code host:port} that jobs are submitted to
 */
public record RunSettings(
        int parallelism,
        int maxParallelism,
        StateBackendKind stateBackend,
        Checkpoints checkpoints,
        Restart restart,
        String clusterAddress)
        implements Serializable {

    public RunSettings {
        if (parallelism > maxParallelism) {
            throw new IllegalArgumentException(
                    "job.parallelism must be at most job.max-parallelism, %d, got %d"
                            .formatted(maxParallelism, parallelism));
        }
    }

    /** The parallelism; empty for the default of the cluster. */
    public OptionalInt givenParallelism() {
        return parallelism == 0 ? OptionalInt.empty() : OptionalInt.of(parallelism);
    }

    /**
     * When and where state is stored.
     *
     * @param timeout a checkpoint that takes longer fails
     */
    public record Checkpoints(
            Duration interval,
            Duration timeout,
            int retained,
            String directory,
            String savepointDirectory)
            implements Serializable {}

    /**
     * Delays between restarts. The job restarts without limit; the delay doubles with each failure.
     *
     * @param initialBackoff delay before the first restart
     * @param resetAfter time without a failure after which the delay is the initial one again
     */
    public record Restart(Duration initialBackoff, Duration maxBackoff, Duration resetAfter)
            implements Serializable {

        public Restart {
            Require.that(
                    maxBackoff.compareTo(initialBackoff) >= 0,
                    "restart.max-backoff must be at least restart.initial-backoff, %s, got %s",
                    DurationText.format(initialBackoff),
                    DurationText.format(maxBackoff));
        }
    }
}
