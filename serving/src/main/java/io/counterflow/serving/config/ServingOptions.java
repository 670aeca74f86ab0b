package io.counterflow.serving.config;

import java.time.Duration;
import java.util.List;

/** Every key that the serving process reads. */
public final class ServingOptions {

    static final Option<String> BOOTSTRAP_SERVERS =
            OptionTypes.text(
                    "kafka.bootstrap-servers",
                    "localhost:9092",
                    "Comma-separated `host:port` addresses of Kafka brokers.");

    static final Option<String> TOPIC_PREFIX =
            OptionTypes.text(
                    "kafka.topic-prefix",
                    "counterflow",
                    "Prefix of all topic names. A dot follows it: `counterflow.impressions`.");

    static final Option<Boolean> CREATE_TOPICS =
            OptionTypes.flag(
                    "kafka.create-topics",
                    true,
                    "Whether to create missing topics at startup. If `false`,"
                            + " the process does not start while a topic is missing.");

    static final Option<Integer> EVENT_PARTITIONS =
            OptionTypes.integer(
                    "kafka.event-partitions",
                    8,
                    "Number of partitions of `impressions` and `rewards` when"
                            + " they are created. Both topics must have the same"
                            + " number.");

    static final Option<Integer> PARTITIONS =
            OptionTypes.integer(
                    "kafka.partitions",
                    4,
                    "Number of partitions of all other topics when they are created.");

    static final Option<Integer> REPLICATION_FACTOR =
            OptionTypes.integer(
                    "kafka.replication-factor",
                    0,
                    "Replication factor of topics when they are created; 0"
                            + " uses the broker's default.");

    static final Option<Duration> FEEDBACK_RETENTION =
            OptionTypes.duration(
                    "kafka.feedback-retention",
                    "7d",
                    "Retention of impressions, rewards, statistics and dead"
                            + " letters. Must be longer than the longest attribution"
                            + " window.");

    static final Option<Duration> LOG_RETENTION =
            OptionTypes.duration(
                    "kafka.log-retention",
                    "90d",
                    "Retention of the records that a batch run reads:"
                            + " examples, specs, commands and late records.");

    static final Option<Long> MAX_WRITTEN_SIZE =
            OptionTypes.size(
                    "sink.max-record-size",
                    "1000000b",
                    "Maximum size of a record that the job writes. The"
                            + " `max.message.bytes` of all topics must allow it.");

    static final Option<Long> MAX_RECORD_SIZE =
            OptionTypes.size(
                    "ingest.max-record-size",
                    "950000b",
                    "Maximum size of an impression that the job reads. A"
                            + " request that needs a larger impression is refused.");

    static final Option<String> JOB_NAME =
            OptionTypes.text(
                    "job.name",
                    "counterflow",
                    "Name of the job. Serving uses it to find and show the"
                            + " progress of the job.");

    static final Option<String> NAME =
            OptionTypes.text(
                    "serving.name",
                    "serving",
                    "Name of this process in heartbeats. Give each process its own name.");

    static final Option<String> HOST =
            OptionTypes.text("serving.host", "127.0.0.1", "Address that the API listens on.");

    static final Option<Integer> PORT =
            OptionTypes.integer("serving.port", 8080, "Port of the API; 0 uses any free port.");

    static final Option<String> MANAGEMENT_HOST =
            OptionTypes.text(
                    "serving.management.host",
                    "127.0.0.1",
                    "Address that health checks and metrics listen on. They need no token.");

    static final Option<Integer> MANAGEMENT_PORT =
            OptionTypes.integer(
                    "serving.management.port",
                    9090,
                    "Port of health checks and metrics; 0 uses any free port.");

    static final Option<Integer> THREADS =
            OptionTypes.integer(
                    "serving.threads",
                    0,
                    "Threads that handle connections and decide; 0 uses one per processor.");

    static final Option<Long> MAX_BODY_SIZE =
            OptionTypes.size("serving.max-body-size", "800kb", "Maximum size of a request body.");

    static final Option<Integer> REQUESTS_PER_SECOND =
            OptionTypes.integer(
                    "serving.requests-per-second",
                    0,
                    "Maximum requests per second of one client, by token or"
                            + " address; 0 for no limit.");

    static final Option<Duration> IDLE_TIMEOUT =
            OptionTypes.duration(
                    "serving.idle-timeout",
                    "60s",
                    "A connection without traffic for this long is closed.");

    static final Option<AuthMode> AUTH =
            OptionTypes.choice(
                    "serving.auth",
                    AuthMode.class,
                    AuthMode.TOKENS,
                    "Access control. `tokens` requires a token from"
                            + " `serving.tokens-file`; without that file it allows"
                            + " everyone on a loopback address and refuses to start on"
                            + " any other address. `none` allows everyone on any"
                            + " address.");

    static final Option<String> TOKENS_FILE =
            OptionTypes.text(
                    "serving.tokens-file",
                    "",
                    "File with one token per line: name, comma-separated"
                            + " scopes, and `sha256:` with the hash of the token."
                            + " Reloaded when it changes.");

    static final Option<String> TLS_CERTIFICATE =
            OptionTypes.text(
                    "serving.tls.certificate-file",
                    "",
                    "Certificate chain in PEM format. If set, the API accepts HTTPS only.");

    static final Option<String> TLS_KEY =
            OptionTypes.text(
                    "serving.tls.key-file", "", "Private key of the certificate, in PEM format.");

    static final Option<Duration> IMPRESSION_TIMEOUT =
            OptionTypes.duration(
                    "serving.impressions.timeout",
                    "2s",
                    "How long a decision waits for Kafka to acknowledge its"
                            + " impression. After that the loop's `unloggedDecision`"
                            + " applies.");

    static final Option<Long> IMPRESSION_BUFFER =
            OptionTypes.size(
                    "serving.impressions.buffer-size",
                    "64mb",
                    "Memory for impressions that wait for Kafka. When it is"
                            + " full, `unloggedDecision` applies at once.");

    static final Option<Duration> REWARD_TIMEOUT =
            OptionTypes.duration(
                    "serving.rewards.timeout",
                    "10s",
                    "How long a reward waits for Kafka to acknowledge it"
                            + " before it is refused.");

    static final Option<Long> REWARD_BUFFER =
            OptionTypes.size(
                    "serving.rewards.buffer-size",
                    "32mb",
                    "Memory for rewards that wait for Kafka. When it is full,"
                            + " rewards are refused at once.");

    static final Option<Duration> HEARTBEAT_INTERVAL =
            OptionTypes.duration(
                    "serving.heartbeat-interval",
                    "1s",
                    "Interval of heartbeats to all partitions, which advance"
                            + " event time when there is no traffic. Must be shorter"
                            + " than the job's `watermarks.control-idle-timeout`.");

    static final Option<String> PERSONALIZER_LOOP =
            OptionTypes.text(
                    "serving.personalizer-loop",
                    "",
                    "Loop of the calls under `/personalizer`. If it is not"
                            + " set, these calls do not exist.");

    static final Option<Duration> STOP_TIMEOUT =
            OptionTypes.duration(
                    "serving.stop-timeout",
                    "20s",
                    "How long requests in progress may take after the process"
                            + " is told to stop.");

    private ServingOptions() {}

    /** All of them, in the order of the documentation. */
    public static List<Option<?>> all() {
        return List.of(
                BOOTSTRAP_SERVERS,
                TOPIC_PREFIX,
                CREATE_TOPICS,
                EVENT_PARTITIONS,
                PARTITIONS,
                REPLICATION_FACTOR,
                FEEDBACK_RETENTION,
                LOG_RETENTION,
                MAX_RECORD_SIZE,
                MAX_WRITTEN_SIZE,
                JOB_NAME,
                NAME,
                HOST,
                PORT,
                MANAGEMENT_HOST,
                MANAGEMENT_PORT,
                THREADS,
                MAX_BODY_SIZE,
                REQUESTS_PER_SECOND,
                IDLE_TIMEOUT,
                AUTH,
                TOKENS_FILE,
                TLS_CERTIFICATE,
                TLS_KEY,
                IMPRESSION_TIMEOUT,
                IMPRESSION_BUFFER,
                REWARD_TIMEOUT,
                REWARD_BUFFER,
                HEARTBEAT_INTERVAL,
                PERSONALIZER_LOOP,
                STOP_TIMEOUT);
    }
}
