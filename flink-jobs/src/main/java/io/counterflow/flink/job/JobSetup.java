package io.counterflow.flink.job;

import io.counterflow.flink.config.JobConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicAdmin;
import io.counterflow.schemas.topics.Topics;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Prepares a run of the job: creates missing topics and builds the job graph. */
public final class JobSetup {

    private final JobConfig config;
    private final RunMode mode;

    public JobSetup(JobConfig config, RunMode mode) {
        this.config = config;
        this.mode = mode;
    }

    /**
     * Creates missing topics, and checks the others and the brokers.
     *
     * @return names of the created topics
     */
    public List<String> ensureTopics() {
        List<String> made = new ArrayList<>();
        made.addAll(ensure(config.topics(), mode.read()));
        made.addAll(ensure(mode.writtenNames(config), mode.written()));
        var unused = // fails here, not in the job, if schemas cannot be registered
                config.kafka().values().writer(mode.writtenNames(config), mode.written());
        return made;
    }

    private List<String> ensure(Topics topics, Collection<Topic> wanted) {
        try (TopicAdmin admin =
                TopicAdmin.connect(config.kafka(), topics, config.topicSettings())) {
            admin.requireTransactionTimeout(config.sink().transactionTimeout());
            return admin.ensure(wanted, config.createTopics());
        }
    }

    /** Configures an environment and builds the job in it. */
    public void build(StreamExecutionEnvironment env) {
        env.configure(FlinkSettings.of(config, mode));
        KafkaStreams kafka = new KafkaStreams(env, config);
        JobSinks sinks = JobSinks.of(config, mode);
        switch (mode) {
            case LIVE -> CounterflowJob.live(kafka.feedback(), config, sinks);
            case BATCH -> CounterflowJob.replay(kafka.journal(), config, sinks);
        }
    }
}
