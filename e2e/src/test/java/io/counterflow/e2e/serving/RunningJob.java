package io.counterflow.e2e.serving;

import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.job.JobSetup;
import io.counterflow.flink.job.RunMode;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The job beside a serving process, on the same topics. */
final class RunningJob {

    private final JobClient job;

    private RunningJob(JobClient job) {
        this.job = job;
    }

    static RunningJob start(SharedKafka kafka, EmbeddedFlink flink, Path storage) throws Exception {
        return start(kafka, flink, storage, "");
    }

    /**
     * Starts the job.
     *
     * @param more further lines of the configuration
     */
    static RunningJob start(SharedKafka kafka, EmbeddedFlink flink, Path storage, String more)
            throws Exception {
        JobConfig config =
                JobConfig.parse(
                        kafka.settings()
                                + more
                                + """
                                kafka.event-partitions: 2
                                kafka.partitions: 1
                                storage.directory: %s
                                checkpoint.interval: 300ms
                                job.parallelism: 1
                                watermarks.max-out-of-orderness: 200ms
                                """
                                        .formatted(storage),
                        Map.of());
        JobSetup setup = new JobSetup(config, RunMode.LIVE);
        setup.ensureTopics();
        StreamExecutionEnvironment env = flink.environment(new Configuration());
        setup.build(env);
        return new RunningJob(env.executeAsync(kafka.prefix()));
    }

    void stop() throws Exception {
        job.cancel().get();
        job.getJobExecutionResult().handle((result, cancelled) -> true).get(2, TimeUnit.MINUTES);
    }
}
