package io.counterflow.flink.config;

import io.counterflow.schemas.config.ConfigVariables;
import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;

/** How Kafka is reached, and how topics are made. */
public final class KafkaOptions {

    /** What follows this in a key is a setting of all Kafka clients, as Kafka names it. */
    public static final String CLIENT_PREFIX = ConfigVariables.KAFKA_CLIENT;

    public static final ConfigOption<String> BOOTSTRAP_SERVERS =
            ConfigOptions.key("kafka.bootstrap-servers")
                    .stringType()
                    .defaultValue("localhost:9092")
                    .withDescription("Host:port of some brokers, separated by commas.");

    public static final ConfigOption<String> TOPIC_PREFIX =
            ConfigOptions.key("kafka.topic-prefix")
                    .stringType()
                    .defaultValue("counterflow")
                    .withDescription("What all topics start with, before a dot.");

    public static final ConfigOption<Boolean> CREATE_TOPICS =
            ConfigOptions.key("kafka.create-topics")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether topics that are missing are made; otherwise the job refuses to"
                                    + " start.");

    public static final ConfigOption<Integer> EVENT_PARTITIONS =
            ConfigOptions.key("kafka.event-partitions")
                    .intType()
                    .defaultValue(8)
                    .withDescription(
                            "Partitions of impressions and rewards when they are made. Their number"
                                    + " must be the same for both.");

    public static final ConfigOption<Integer> PARTITIONS =
            ConfigOptions.key("kafka.partitions")
                    .intType()
                    .defaultValue(4)
                    .withDescription("Partitions of the other topics when they are made.");

    public static final ConfigOption<Integer> REPLICATION_FACTOR =
            ConfigOptions.key("kafka.replication-factor")
                    .intType()
                    .defaultValue(0)
                    .withDescription(
                            "Copies of each partition when topics are made; 0 takes the broker's"
                                    + " default.");

    public static final ConfigOption<Duration> FEEDBACK_RETENTION =
            ConfigOptions.key("kafka.feedback-retention")
                    .durationType()
                    .defaultValue(Duration.ofDays(7))
                    .withDescription(
                            "How long impressions, rewards, statistics and dead letters are kept."
                                    + " Longer than the longest attribution window.");

    public static final ConfigOption<Duration> LOG_RETENTION =
            ConfigOptions.key("kafka.log-retention")
                    .durationType()
                    .defaultValue(Duration.ofDays(90))
                    .withDescription(
                            "How long is kept what a replay needs: examples, specs, commands and"
                                    + " late records.");

    private KafkaOptions() {}

    static List<ConfigOption<?>> all() {
        return List.of(
                BOOTSTRAP_SERVERS,
                TOPIC_PREFIX,
                CREATE_TOPICS,
                EVENT_PARTITIONS,
                PARTITIONS,
                REPLICATION_FACTOR,
                FEEDBACK_RETENTION,
                LOG_RETENTION);
    }
}
