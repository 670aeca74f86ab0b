package io.counterflow.serving;

import io.counterflow.client.kafka.KafkaRecordProducer;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.schemas.topics.TopicFollower;
import io.counterflow.serving.diagnosis.JobState;
import io.counterflow.serving.health.KafkaLink;
import io.counterflow.serving.http.Connections;
import io.counterflow.serving.pipeline.LoopPipelines;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.function.BooleanSupplier;

/** Metrics of the process. */
final class ServingMetrics {

    private ServingMetrics() {}

    /** Metrics that exist from the start. */
    static void bind(
            MeterRegistry registry,
            PolicyStore policies,
            ServingPorts ports,
            KafkaLink link,
            BooleanSupplier ready,
            Clock clock) {
        ServedLoopMetrics.bind(registry, policies, clock);
        // A supplier, because the registry keeps only weak references to objects.
        Gauge.builder("counterflow.ready", () -> ready.getAsBoolean() ? 1 : 0)
                .description("1 if the process is ready, otherwise 0.")
                .register(registry);
        FunctionCounter.builder("counterflow.policies.refused", policies, PolicyStore::refused)
                .description("Specs, rollouts and snapshots that did not verify.")
                .register(registry);
        FunctionCounter.builder("counterflow.policies.swaps", policies, PolicyStore::swaps)
                .description("Number of times that the served policies of a loop changed.")
                .register(registry);
        Gauge.builder("counterflow.loops", policies, PolicyStore::size)
                .description("Number of loops.")
                .register(registry);
        Gauge.builder("counterflow.loops.degraded", policies, it -> it.degraded().size())
                .description("Loops that are not served by the version that their rollout names.")
                .register(registry);
        Gauge.builder("counterflow.loops.refused", policies, it -> it.refusedLoops().size())
                .description("Loops that are not served because they are too large.")
                .register(registry);
        Gauge.builder("counterflow.policies.size", policies, PolicyStore::usedBytes)
                .description("Memory of the policies of all loops.")
                .baseUnit("bytes")
                .register(registry);
        Gauge.builder("counterflow.policies.max.size", policies, it -> it.limits().allBytes())
                .description("Limit on the memory of the policies of all loops.")
                .baseUnit("bytes")
                .register(registry);
        Gauge.builder(
                        "counterflow.kafka.connected",
                        link,
                        it -> it.state() == KafkaLink.State.CONNECTED ? 1 : 0)
                .description("1 if Kafka has acknowledged a heartbeat in the last seconds.")
                .register(registry);
        Gauge.builder(
                        "counterflow.tls.certificate.expiry",
                        () ->
                                ports.certificateExpiry()
                                        .map(it -> (double) it.getEpochSecond())
                                        .orElse(Double.NaN))
                .description("Time at which the certificate expires, in seconds since 1970.")
                .baseUnit("seconds")
                .register(registry);
        connections(registry, ports.connections());
    }

    /** Metrics of the connection to Kafka. */
    static void bind(MeterRegistry registry, ServingKafka kafka) {
        kafka.followers().forEach(follower -> follower(registry, follower));
        waiting(registry, "impressions", kafka.impressions());
        waiting(registry, "rewards", kafka.rewards());
        KafkaProducerMetrics.bind(registry, "impressions", kafka.impressions());
        KafkaProducerMetrics.bind(registry, "rewards", kafka.rewards());
        KafkaProducerMetrics.bind(registry, "control", kafka.control());
        Gauge.builder("counterflow.kafka.clock.skew", kafka, it -> it.heartbeats().skew().seconds())
                .description("How far the brokers' clock is certainly ahead of this process's.")
                .baseUnit("seconds")
                .register(registry);
        job(registry, kafka.pipelines());
    }

    private static void connections(MeterRegistry registry, Connections connections) {
        Gauge.builder("counterflow.http.connections", connections, Connections::open)
                .description("Open connections of the API.")
                .register(registry);
        FunctionCounter.builder(
                        "counterflow.http.connections.refused", connections, Connections::refused)
                .description("Connections that were closed at once, because there were too many.")
                .register(registry);
        FunctionCounter.builder(
                        "counterflow.http.connections.timeouts", connections, Connections::timedOut)
                .description("Connections that were closed, because a request was too slow.")
                .register(registry);
    }

    private static void follower(MeterRegistry registry, TopicFollower follower) {
        FunctionCounter.builder("counterflow.follower.failures", follower, TopicFollower::failures)
                .description("Failures after which a thread that reads topics started again.")
                .tag("follower", follower.name())
                .register(registry);
        Gauge.builder("counterflow.follower.running", follower, it -> it.isRunning() ? 1 : 0)
                .description("1 if the thread that reads topics is running, otherwise 0.")
                .tag("follower", follower.name())
                .register(registry);
    }

    /** From the offsets in Kafka, so that a missing job is visible too. */
    private static void job(MeterRegistry registry, LoopPipelines pipelines) {
        Gauge.builder("counterflow.job.lag", pipelines, it -> lag(it.job()))
                .description("Impressions, rewards and heartbeats that the job has not committed.")
                .baseUnit("records")
                .register(registry);
        Gauge.builder("counterflow.job.commit.age", pipelines, it -> commitAge(it.job()))
                .description("Time since the committed offsets of the job last changed.")
                .baseUnit("seconds")
                .register(registry);
    }

    private static double lag(JobState job) {
        return job.seen() ? job.behind() : Double.NaN;
    }

    private static double commitAge(JobState job) {
        return job.silence().map(it -> it.toMillis() / 1e3).orElse(Double.NaN);
    }

    private static void waiting(MeterRegistry registry, String topic, KafkaRecordProducer log) {
        Gauge.builder("counterflow.records.waiting", log, KafkaRecordProducer::waiting)
                .description("Records that Kafka has not acknowledged yet.")
                .tag("topic", topic)
                .register(registry);
    }
}
