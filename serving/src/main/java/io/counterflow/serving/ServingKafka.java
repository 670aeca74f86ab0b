package io.counterflow.serving;

import io.counterflow.client.kafka.KafkaRecordProducer;
import io.counterflow.client.kafka.ProducerSettings;
import io.counterflow.client.policies.PolicyFollower;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.schemas.topics.KafkaConfig;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicAdmin;
import io.counterflow.schemas.topics.TopicFollower;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.health.ServingLog;
import io.counterflow.serving.loops.KafkaSpecLog;
import io.counterflow.serving.loops.SpecLog;
import io.counterflow.serving.pipeline.JobCounts;
import io.counterflow.serving.pipeline.JobWatch;
import io.counterflow.serving.pipeline.LoopPipelines;
import io.counterflow.serving.stats.WindowStore;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The producers and followers of the process. */
final class ServingKafka implements AutoCloseable {

    private final ServingConfig config;
    private final Deque<Runnable> opened = new ArrayDeque<>(); // closes each, newest first
    private final KafkaRecordProducer impressions;
    private final KafkaRecordProducer rewards;
    private final KafkaRecordProducer control;
    private final PolicyFollower policies;
    private final JobWatch job;
    private final List<TopicFollower> followers = new ArrayList<>();
    private final Heartbeats heartbeats;

    /**
     * Creates missing topics, and connects.
     *
     * @param answered is run when a broker has answered
     */
    ServingKafka(
            ServingConfig config,
            PolicyStore policies,
            WindowStore windows,
            ServingLog log,
            Clock clock,
            Runnable answered) {
        this.config = config;
        try {
            try (TopicAdmin admin =
                    TopicAdmin.connect(config.kafka(), config.topics(), config.topicSettings())) {
                admin.awaitBroker();
                answered.run();
                admin.ensure(List.of(Topic.values()), config.createTopics());
            }
            // Separate, so that one kind of record cannot fill the buffer of the others.
            impressions = write(config.impressions(), List.of(Topic.IMPRESSIONS));
            rewards = write(config.rewards(), List.of(Topic.REWARDS));
            control = write(config.rewards(), List.of(Topic.LOOPS, Topic.ROLLOUT_COMMANDS));
            heartbeats = new Heartbeats(List.of(impressions, rewards), config.name(), clock);
            Consumer<String> failures = message -> log.warn("following-failed", message);
            KafkaConfig kafka = config.kafka();
            this.policies = new PolicyFollower(kafka, config.topics(), policies, failures);
            opened.push(this.policies::close);
            TopicFollower ofWindows = windows.follow(kafka, config.topics(), clock, failures);
            opened.push(ofWindows::close);
            job =
                    new JobWatch(
                            kafka,
                            config.topics(),
                            config.jobName(),
                            new JobCounts(),
                            clock,
                            failures);
            opened.push(job::close);
            followers.addAll(List.of(this.policies.thread(), ofWindows));
            followers.addAll(job.threads());
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

    /** Commands. */
    KafkaRecordProducer control() {
        return control;
    }

    /** Specs that replace others. */
    SpecLog specs(Vertx vertx) {
        return new KafkaSpecLog(
                vertx, config.kafka(), config.topics(), config.rewards().timeout(), policies);
    }

    /** The state of each loop's pipeline. */
    LoopPipelines pipelines() {
        return job.pipelines();
    }

    /** Heartbeats for the topics whose event time the job follows. */
    Heartbeats heartbeats() {
        return heartbeats;
    }

    /** The threads that read topics. */
    List<TopicFollower> followers() {
        return List.copyOf(followers);
    }

    /** Producers that have failed and are being replaced. */
    List<String> failures() {
        return Stream.of(impressions, rewards, control)
                .flatMap(producer -> producer.failure().stream())
                .toList();
    }

    /** Failures that only a restart of the process repairs. */
    List<String> defects() {
        return followers.stream()
                .filter(follower -> !follower.isRunning())
                .map(follower -> "the thread %s has ended".formatted(follower.name()))
                .toList();
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
