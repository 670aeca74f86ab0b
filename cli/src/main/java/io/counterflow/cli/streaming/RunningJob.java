package io.counterflow.cli.streaming;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;

/** A submitted job. */
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

    /** Waits for the end of the job and returns its accumulators. */
    public Map<String, Object> awaitEnd() throws InterruptedException {
        try {
            return client.getJobExecutionResult().get().getAllAccumulatorResults();
        } catch (ExecutionException | CancellationException e) {
            if (stopping) {
                return Map.of(); // stop() ends the job with an exception
            }
            throw new IllegalStateException("the job failed: " + JobCluster.reasonOf(e), e);
        }
    }

    /**
     * Stops the job with a savepoint. If that fails, the newest checkpoint remains.
     *
     * @return a message about the result
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
            var unused = client.cancel(); // this process ends anyway
            return "no savepoint could be taken; the newest checkpoint remains";
        }
    }
}
