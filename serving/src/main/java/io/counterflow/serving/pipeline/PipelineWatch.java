package io.counterflow.serving.pipeline;

import io.counterflow.client.policies.PolicyStore;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topics;
import java.time.Clock;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/** Keeps an eye on the job and on what it writes, until it is closed. */
public final class PipelineWatch implements AutoCloseable {

    private final LoopPipelines pipelines;
    private final JobWatch job;
    private final FlowFollower flows;

    private PipelineWatch(LoopPipelines pipelines, JobWatch job, FlowFollower flows) {
        this.pipelines = pipelines;
        this.job = job;
        this.flows = flows;
    }

    /**
     * Begins to watch.
     *
     * @param jobName the job's name, under which it commits its places in the topics
     * @param log where failures are told in words
     */
    public static PipelineWatch start(
            KafkaConfig kafka,
            Topics topics,
            String jobName,
            PolicyStore policies,
            Clock clock,
            Consumer<String> log) {
        LoopFlows counts = new LoopFlows(clock);
        JobProgress<TopicPartition> progress = new JobProgress<>(clock);
        return new PipelineWatch(
                new LoopPipelines(counts, progress::state, clock),
                JobWatch.start(kafka, topics, jobName, progress),
                FlowFollower.start(
                        kafka,
                        topics,
                        counts,
                        name -> policies.loop(name).isPresent(),
                        clock,
                        log));
    }

    public LoopPipelines pipelines() {
        return pipelines;
    }

    @Override
    public void close() {
        job.close();
        flows.close();
    }
}
