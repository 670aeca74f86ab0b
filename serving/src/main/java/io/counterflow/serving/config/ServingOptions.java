package io.counterflow.serving.config;

import java.time.Duration;
import java.util.List;

/** Every key that the serving process reads. */
public final class ServingOptions {

    static final Option<String> BOOTSTRAP_SERVERS =
            OptionTypes.text(
                    "kafka.bootstrap-servers",
                    "localhost:9092",
                    "Host:port of some brokers, separated by commas.");

    static final Option<String> TOPIC_PREFIX =
            OptionTypes.text(
                    "kafka.topic-prefix",
                    "counterflow",
                    "What all topics start with, before a dot.");

    static final Option<Boolean> CREATE_TOPICS =
            OptionTypes.flag(
                    "kafka.create-topics",
                    true,
                    "Whether topics that are missing are made; otherwise the start is refused.");

    static final Option<Integer> EVENT_PARTITIONS =
            OptionTypes.integer(
                    "kafka.event-partitions",
                    8,
                    "Partitions of impressions and rewards when they are made.");

    static final Option<Integer> PARTITIONS =
            OptionTypes.integer(
                    "kafka.partitions", 4, "Partitions of the other topics when they are made.");

    static final Option<Integer> REPLICATION_FACTOR =
            OptionTypes.integer(
                    "kafka.replication-factor",
                    0,
                    "Copies of each partition when topics are made; 0 takes the broker's default.");

    static final Option<Duration> FEEDBACK_RETENTION =
            OptionTypes.duration(
                    "kafka.feedback-retention",
                    "7d",
                    "How long impressions, rewards, statistics and dead letters are kept.");

    static final Option<Duration> LOG_RETENTION =
            OptionTypes.duration(
                    "kafka.log-retention",
                    "90d",
                    "How long is kept what a replay needs: examples, specs, commands and late"
                            + " records.");

    static final Option<Long> MAX_WRITTEN_SIZE =
            OptionTypes.size(
                    "sink.max-record-size", "1000000b", "Largest record that topics must take.");

    static final Option<Long> MAX_RECORD_SIZE =
            OptionTypes.size(
                    "ingest.max-record-size",
                    "950000b",
                    "Largest impression that the job reads; what makes a larger one is refused.");

    static final Option<String> JOB_NAME =
            OptionTypes.text(
                    "job.name",
                    "counterflow",
                    "Name of the job, by which its progress is found and shown.");

    static final Option<String> NAME =
            OptionTypes.text(
                    "serving.name",
                    "serving",
                    "Name of this process in heartbeats; each process has its own.");

    static final Option<String> HOST =
            OptionTypes.text("serving.host", "127.0.0.1", "Address that the API listens on.");

    static final Option<Integer> PORT =
            OptionTypes.integer("serving.port", 8080, "Its port; 0 takes any that is free.");

    static final Option<String> MANAGEMENT_HOST =
            OptionTypes.text(
                    "serving.management.host",
                    "127.0.0.1",
                    "Address that health and metrics listen on. They need no token.");

    static final Option<Integer> MANAGEMENT_PORT =
            OptionTypes.integer(
                    "serving.management.port", 9090, "Its port; 0 takes any that is free.");

    static final Option<Integer> THREADS =
            OptionTypes.integer(
                    "serving.threads",
                    0,
                    "Threads that serve connections and decide; 0 takes one per processor.");

    static final Option<Long> MAX_BODY_SIZE =
            OptionTypes.size(
                    "serving.max-body-size", "800kb", "Largest body of a request that is read.");

    static final Option<Integer> REQUESTS_PER_SECOND =
            OptionTypes.integer(
                    "serving.requests-per-second",
                    0,
                    "Most requests per second of one client, by token or address; 0 for no limit.");

    static final Option<Duration> IDLE_TIMEOUT =
            OptionTypes.duration(
                    "serving.idle-timeout",
                    "60s",
                    "After how long without a byte a connection is closed.");

    static final Option<AuthMode> AUTH =
            OptionTypes.choice(
                    "serving.auth",
                    AuthMode.class,
                    AuthMode.TOKENS,
                    "How callers are let in. Without serving.tokens-file, tokens lets everybody in on"
                            + " a loopback address and refuses to start on any other; none lets"
                            + " everybody in anywhere.");

    static final Option<String> TOKENS_FILE =
            OptionTypes.text(
                    "serving.tokens-file",
                    "",
                    "File of tokens, a line each: name, scopes separated by commas, sha256: and the"
                            + " hash. Read again when it changes.");

    static final Option<String> TLS_CERTIFICATE =
            OptionTypes.text(
                    "serving.tls.certificate-file",
                    "",
                    "Certificate chain in PEM; with it the API speaks HTTPS only.");

    static final Option<String> TLS_KEY =
            OptionTypes.text("serving.tls.key-file", "", "Its private key in PEM.");

    static final Option<Duration> IMPRESSION_TIMEOUT =
            OptionTypes.duration(
                    "serving.impressions.timeout",
                    "2s",
                    "After how long a decision that Kafka has not acknowledged is refused or marked"
                            + " as unlogged, as its loop says.");

    static final Option<Long> IMPRESSION_BUFFER =
            OptionTypes.size(
                    "serving.impressions.buffer-size",
                    "64mb",
                    "Impressions that wait for Kafka; with more of them, decisions are unlogged at"
                            + " once.");

    static final Option<Duration> REWARD_TIMEOUT =
            OptionTypes.duration(
                    "serving.rewards.timeout",
                    "10s",
                    "After how long a reward that Kafka has not acknowledged is refused.");

    static final Option<Long> REWARD_BUFFER =
            OptionTypes.size(
                    "serving.rewards.buffer-size",
                    "32mb",
                    "Rewards that wait for Kafka; more of them are refused at once.");

    static final Option<Duration> HEARTBEAT_INTERVAL =
            OptionTypes.duration(
                    "serving.heartbeat-interval",
                    "1s",
                    "How often all partitions are told what time it is, so that the windows of quiet"
                            + " loops close. Below the job's watermarks.control-idle-timeout.");

    static final Option<String> PERSONALIZER_LOOP =
            OptionTypes.text(
                    "serving.personalizer-loop",
                    "",
                    "The loop of the calls under /personalizer; without it there are none.");

    static final Option<Duration> STOP_TIMEOUT =
            OptionTypes.duration(
                    "serving.stop-timeout",
                    "20s",
                    "How long requests that have begun may take when the process is told to end.");

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
