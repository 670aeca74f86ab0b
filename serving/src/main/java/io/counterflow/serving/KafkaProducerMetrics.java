package io.counterflow.serving;

import io.counterflow.client.kafka.KafkaRecordProducer;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Selected metrics of the Kafka producers. Kafka has hundreds, also per broker, topic and
 * partition; these have one series per producer.
 */
final class KafkaProducerMetrics {

    private static final double MILLISECONDS = 1e3;

    private final MeterRegistry registry;
    private final String name;
    private final KafkaRecordProducer producer;

    private KafkaProducerMetrics(
            MeterRegistry registry, String name, KafkaRecordProducer producer) {
        this.registry = registry;
        this.name = name;
        this.producer = producer;
    }

    /**
     * Registers the metrics of a producer.
     *
     * @param name value of the label {@code producer}
     */
    static void bind(MeterRegistry registry, String name, KafkaRecordProducer producer) {
        new KafkaProducerMetrics(registry, name, producer).bind();
    }

    private void bind() {
        seconds("request-latency-avg", "request.latency.avg", "Mean time of requests to brokers.");
        seconds("request-latency-max", "request.latency.max", "Longest time of such a request.");
        seconds("record-queue-time-avg", "queue.time.avg", "Mean time of batches in the buffer.");
        seconds("produce-throttle-time-avg", "throttle.time.avg", "Mean throttling by brokers.");
        gauge("batch-size-avg", "batch.size.avg", "bytes", "Mean size of batches.", 1);
        gauge("buffer-available-bytes", "buffer.available", "bytes", "Unused buffer memory.", 1);
        gauge("connection-count", "connections", "", "Open connections to brokers.", 1);
        counter("record-send-total", "records.sent", "Records sent.");
        counter("record-error-total", "records.failed", "Records that failed.");
        counter("record-retry-total", "records.retried", "Records sent again.");
        FunctionCounter.builder(
                        "counterflow.kafka.producer.replaced",
                        producer,
                        KafkaRecordProducer::replacements)
                .description("Producers that had failed for good and were replaced.")
                .tag("producer", name)
                .register(registry);
    }

    private void seconds(String kafka, String metric, String description) {
        gauge(kafka, metric, "seconds", description, MILLISECONDS);
    }

    private void gauge(
            String kafka, String metric, String unit, String description, double divisor) {
        Gauge.builder(
                        "counterflow.kafka.producer." + metric,
                        producer,
                        it -> it.metric(kafka) / divisor)
                .description(description)
                .baseUnit(unit.isEmpty() ? null : unit)
                .tag("producer", name)
                .register(registry);
    }

    private void counter(String kafka, String metric, String description) {
        FunctionCounter.builder(
                        "counterflow.kafka.producer." + metric, producer, it -> it.metric(kafka))
                .description(description)
                .tag("producer", name)
                .register(registry);
    }
}
