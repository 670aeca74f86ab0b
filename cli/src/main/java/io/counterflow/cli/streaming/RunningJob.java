package io.counterflow.cli.streaming;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;

/** A job that was submitted. */
public final class RunningJob {

    private static final Duration MAX_STOP = Duration.ofMinutes(2);

    private final JobClient client;
    private volatile boolean stopping;

    RunningJob(JobClient client) {
        this.client = client;
    }

    String id() {
        return client.getJobID().toHexString();
    }

    /** Waits for the end, and gives what was counted. */
    public Map<String, Object> awaitEnd() throws InterruptedException {
        try {
            return client.getJobExecutionResult().get().getAllAccumulatorResults();
        } catch (ExecutionException | CancellationException e) {
            if (stopping) {
                return Map.of(); // that is how an end that was asked for looks from here
            }
            throw new IllegalStateException(
                    "the job failed: " + JobCluster.rootOf(e).getMessage(), e);
        }
    }

    /**
     * Stops with a savepoint; where that does not work, the newest checkpoint has to do.
     *
     * @return what became of it, in words
     */
    public String stop(String savepointDirectory) {
        stopping = true;
        try {
            if (client.getJobStatus().get().isGloballyTerminalState()) {
                return "the job has ended";
            }
            return "stopped with savepoint "
                    + client.stopWithSavepoint(
                                    false, savepointDirectory, SavepointFormatType.NATIVE)
                            .get(MAX_STOP.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted while stopping; the newest checkpoint remains";
        } catch (ExecutionException | TimeoutException e) {
            var unused = client.cancel(); // this process ends in any case
            return "no savepoint could be taken; the newest checkpoint remains";
        }
    }
}
