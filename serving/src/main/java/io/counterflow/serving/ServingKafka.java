package io.counterflow.serving;

import io.counterflow.client.kafka.KafkaRecordProducer;
import io.counterflow.client.kafka.ProducerSettings;
import io.counterflow.client.policies.PolicyFollower;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicAdmin;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.health.ServingLog;
import io.counterflow.serving.pipeline.JobWatch;
import io.counterflow.serving.pipeline.LoopPipelines;
import io.counterflow.serving.stats.WindowStore;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/** The producers and followers of the process. */
final class ServingKafka implements AutoCloseable {

    private final ServingConfig config;
    private final Clock clock;
    private final Deque<Runnable> opened = new ArrayDeque<>(); // closes each, newest first
    private final KafkaRecordProducer impressions;
    private final KafkaRecordProducer rewards;
    private final KafkaRecordProducer control;
    private final PolicyFollower policies;
    private final JobWatch job;

    /** Creates missing topics, and connects. */
    ServingKafka(
            ServingConfig config,
            PolicyStore policies,
            WindowStore windows,
            ServingLog log,
            Clock clock) {
        this.config = config;
        this.clock = clock;
        try {
            try (TopicAdmin admin =
                    TopicAdmin.connect(config.kafka(), config.topics(), config.topicSettings())) {
                admin.ensure(List.of(Topic.values()), config.createTopics());
            }
            // Separate, so that one kind of record cannot fill the buffer of the others.
            impressions = write(config.impressions(), List.of(Topic.IMPRESSIONS));
            rewards = write(config.rewards(), List.of(Topic.REWARDS));
            control = write(config.rewards(), List.of(Topic.LOOPS, Topic.ROLLOUT_COMMANDS));
            Consumer<String> failures = message -> log.warn("following-failed", message);
            KafkaConfig kafka = config.kafka();
            this.policies = new PolicyFollower(kafka, config.topics(), policies, failures);
            opened.push(this.policies::close);
            opened.push(windows.follow(kafka, config.topics(), clock, failures)::close);
            job = new JobWatch(kafka, config.topics(), config.jobName(), policies, clock, failures);
            opened.push(job::close);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private KafkaRecordProducer write(ProducerSettings settings, List<Topic> topics) {
        KafkaRecordProducer written =
                KafkaRecordProducer.connect(config.kafka(), config.topics(), settings, topics);
        opened.push(written::close);
        return written;
    }

    /** Decisions. */
    KafkaRecordProducer impressions() {
        return impressions;
    }

    /** Rewards and activations. */
    KafkaRecordProducer rewards() {
        return rewards;
    }

    /** Specs and commands. */
    KafkaRecordProducer control() {
        return control;
    }

    /** The state of each loop's pipeline. */
    LoopPipelines pipelines() {
        return job.pipelines();
    }

    /** Heartbeats for the topics whose event time the job follows. */
    Heartbeats heartbeats() {
        return new Heartbeats(List.of(impressions, rewards), config.name(), clock);
    }

    /** Whether all policies that existed at the start have been loaded. */
    boolean caughtUp() {
        return policies.caughtUp();
    }

    /** Stops following, and writes pending records. */
    @Override
    public void close() {
        while (!opened.isEmpty()) {
            opened.pop().run();
        }
    }
}
