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
                    .withDescription("Comma-separated `host:port` addresses of Kafka brokers.");

    public static final ConfigOption<String> TOPIC_PREFIX =
            ConfigOptions.key("kafka.topic-prefix")
                    .stringType()
                    .defaultValue("counterflow")
                    .withDescription(
                            "Prefix of all topic names. A dot follows it:"
                                    + " `counterflow.impressions`.");

    public static final ConfigOption<Boolean> CREATE_TOPICS =
            ConfigOptions.key("kafka.create-topics")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether to create missing topics at startup. If `false`,"
                                    + " the process does not start while a topic is missing.");

    public static final ConfigOption<Integer> EVENT_PARTITIONS =
            ConfigOptions.key("kafka.event-partitions")
                    .intType()
                    .defaultValue(8)
                    .withDescription(
                            "Number of partitions of `impressions` and `rewards` when"
                                    + " they are created. Both topics must have the same"
                                    + " number.");

    public static final ConfigOption<Integer> PARTITIONS =
            ConfigOptions.key("kafka.partitions")
                    .intType()
                    .defaultValue(4)
                    .withDescription(
                            "Number of partitions of all other topics when they are created.");

    public static final ConfigOption<Integer> REPLICATION_FACTOR =
            ConfigOptions.key("kafka.replication-factor")
                    .intType()
                    .defaultValue(0)
                    .withDescription(
                            "Replication factor of topics when they are created; 0"
                                    + " uses the broker's default.");

    public static final ConfigOption<Duration> FEEDBACK_RETENTION =
            ConfigOptions.key("kafka.feedback-retention")
                    .durationType()
                    .defaultValue(Duration.ofDays(7))
                    .withDescription(
                            "Retention of impressions, rewards, statistics and dead"
                                    + " letters. Must be longer than the longest attribution"
                                    + " window.");

    public static final ConfigOption<Duration> LOG_RETENTION =
            ConfigOptions.key("kafka.log-retention")
                    .durationType()
                    .defaultValue(Duration.ofDays(90))
                    .withDescription(
                            "Retention of the records that a batch run reads:"
                                    + " examples, specs, commands and late records.");

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
