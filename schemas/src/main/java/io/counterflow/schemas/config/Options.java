package io.counterflow.schemas.config;

import static io.counterflow.schemas.config.OptionType.DURATION;
import static io.counterflow.schemas.config.OptionType.FLAG;
import static io.counterflow.schemas.config.OptionType.HEAP_SIZE;
import static io.counterflow.schemas.config.OptionType.POSITIVE_DURATION;
import static io.counterflow.schemas.config.OptionType.SIZE;
import static io.counterflow.schemas.config.OptionType.TEXT;
import static io.counterflow.schemas.config.OptionType.bytes;
import static io.counterflow.schemas.config.OptionType.choice;
import static io.counterflow.schemas.config.OptionType.duration;
import static io.counterflow.schemas.config.OptionType.integer;

import io.counterflow.schemas.topics.Compression;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** All options of the configuration file: the table behind {@code docs/configuration.md}. */
public final class Options {

    /** Filled by the constants below, in their order. */
    private static final List<Option<?>> TABLE = new ArrayList<>();

    private static final OptionType<Duration> PRODUCER_TIMEOUT = duration(Duration.ofMillis(10));

    // Kafka and topics

    public static final Option<String> BOOTSTRAP_SERVERS =
            both("kafka.bootstrap-servers", TEXT, "localhost:9092")
                    .description("Comma-separated `host:port` addresses of Kafka brokers.");

    public static final Option<String> TOPIC_PREFIX =
            both("kafka.topic-prefix", TEXT, "counterflow")
                    .description(
                            "Prefix of all topic names. A dot follows it:"
                                    + " `counterflow.impressions`.");

    public static final Option<Boolean> CREATE_TOPICS =
            both("kafka.create-topics", FLAG, "true")
                    .description(
                            "Whether to create missing topics at startup. If `false`, the"
                                    + " process does not start while a topic is missing.");

    public static final Option<Integer> EVENT_PARTITIONS =
            both("kafka.event-partitions", integer(1), "8")
                    .description(
                            "Number of partitions of `impressions` and `rewards` when they are"
                                    + " created. Both topics must have the same number.");

    public static final Option<Integer> PARTITIONS =
            both("kafka.partitions", integer(1), "4")
                    .description("Number of partitions of all other topics when they are created.");

    public static final Option<Integer> REPLICATION_FACTOR =
            both("kafka.replication-factor", integer(0, Short.MAX_VALUE), "0")
                    .description(
                            "Replication factor of topics when they are created; 0 uses the"
                                    + " broker's default.");

    public static final Option<Duration> FEEDBACK_RETENTION =
            both("kafka.feedback-retention", POSITIVE_DURATION, "7d")
                    .description(
                            "Retention of impressions, rewards, commands, statistics, late"
                                    + " records and dead letters. Must be longer than the longest"
                                    + " attribution window.");

    public static final Option<Duration> LOG_RETENTION =
            both("kafka.log-retention", POSITIVE_DURATION, "90d")
                    .description(
                            "Retention of `journal`. A replay starts with the first entry of"
                                    + " each loop, so it should be longer than the life of a"
                                    + " loop.");

    public static final Option<Compression> COMPRESSION =
            both("kafka.compression", choice(Compression.class), "none")
                    .description(
                            "Compression of all records that are written: `none`, `gzip`, `lz4`"
                                    + " or `zstd`. Clients in all languages read `none` and"
                                    + " `gzip`; some need further libraries for the others.");

    public static final Option<SchemaEncoding> SCHEMA_ENCODING =
            both("schemas.encoding", choice(SchemaEncoding.class), "single-object")
                    .description(
                            "Encoding of all values on topics: `single-object`, Avro's own, or"
                                    + " `confluent`, with schemas in a schema registry. Set the"
                                    + " same for job, serving and commands. With `confluent`,"
                                    + " records in the other encoding can still be read.");

    public static final Option<String> REGISTRY_URL =
            both("schemas.registry-url", TEXT, "")
                    .description(
                            "Where the API of the schema registry begins, for `confluent`. For"
                                    + " Apicurio, the path is `/apis/ccompat/v7`.");

    public static final Option<String> REGISTRY_CREDENTIALS =
            both("schemas.registry-credentials", TEXT, "")
                    .description(
                            "`user:password` for the schema registry. Keep it in the variable"
                                    + " `COUNTERFLOW_SCHEMAS_REGISTRY_CREDENTIALS`.");

    // Names and sizes that job and serving agree on

    public static final Option<String> JOB_NAME =
            both("job.name", TEXT, "counterflow")
                    .description(
                            "Name of the deployment. The names of transactions contain it: keep"
                                    + " it across restarts, and give every job that writes to the"
                                    + " same topics its own name. Serving uses it to find the"
                                    + " progress of the job.");

    public static final Option<Integer> MAX_READ_SIZE =
            both("ingest.max-record-size", bytes(1), "950000b")
                    .description(
                            "Maximum size of a record that the job reads. A larger record"
                                    + " becomes a dead letter. Serving refuses a request that"
                                    + " needs a larger impression.");

    public static final Option<Integer> MAX_WRITTEN_SIZE =
            both("sink.max-record-size", bytes(1), "1000000b")
                    .description(
                            "Maximum size of a record that the job writes. A larger record"
                                    + " becomes a dead letter. The `max.message.bytes` of all"
                                    + " topics must allow it.");

    // Ingest

    public static final Option<Integer> MAX_NAME_LENGTH =
            job("ingest.max-name-length", integer(1), "512")
                    .description(
                            "Maximum length of an event id, reward id or command id, in"
                                    + " characters.");

    public static final Option<Duration> MAX_CLOCK_SKEW =
            job("ingest.max-clock-skew", DURATION, "1m")
                    .description(
                            "How far the time of a record may be ahead of its Kafka timestamp.");

    public static final Option<Duration> MAX_ATTRIBUTION_WINDOW =
            job("ingest.max-attribution-window", DURATION, "30d")
                    .description(
                            "Maximum attribution window of an impression. Limits how long an"
                                    + " impression stays in the state.");

    // Event time

    public static final Option<Duration> MAX_OUT_OF_ORDERNESS =
            job("watermarks.max-out-of-orderness", DURATION, "5s")
                    .description(
                            "How much older than the records before it a record may be. A"
                                    + " higher value gives fewer late records and delays all"
                                    + " results.");

    public static final Option<Duration> WATERMARK_IDLE_TIMEOUT =
            job("watermarks.idle-timeout", DURATION, "1m")
                    .description(
                            "A partition of `impressions` or `rewards` without any record,"
                                    + " heartbeats included, for this long no longer holds back"
                                    + " the watermark. `0s`: a partition always holds it back."
                                    + " Use it if serving always runs, because its heartbeats"
                                    + " reach every partition.");

    public static final Option<Duration> MAX_DRIFT =
            job("watermarks.max-drift", POSITIVE_DURATION, "5m")
                    .description(
                            "Maximum difference in event time between reading `impressions` and"
                                    + " reading `rewards`. Limits the state while the job catches"
                                    + " up.");

    // Join

    public static final Option<Duration> IMPRESSION_WAIT =
            job("join.impression-wait", DURATION, "1m")
                    .description(
                            "How long a reward waits for an impression that arrives after it."
                                    + " Also how much earlier than its impression a reward may"
                                    + " have occurred.");

    public static final Option<Integer> MAX_FEEDBACK =
            job("join.max-feedback", integer(1), "1000")
                    .description(
                            "Maximum number of rewards and activations kept for one decision."
                                    + " Further ones are late.");

    public static final Option<Long> JOIN_CACHE =
            job("join.cache-size", SIZE, "128mb")
                    .description(
                            "Heap for impressions that wait for rewards, per subtask. Others stay"
                                    + " in the state backend alone. Does not change results.");

    // Loops

    public static final Option<Long> LOOP_CACHE =
            job("loop.cache-size", SIZE, "256mb")
                    .description(
                            "Heap for loops in memory, without their example buffers, per"
                                    + " subtask. Other loops stay in the state backend. Does not"
                                    + " change results.");

    public static final Option<Long> LOOP_BUFFER_CACHE =
            job("loop.buffer-cache-size", SIZE, "128mb")
                    .description(
                            "Heap for blocks of the example buffers of all loops, per subtask."
                                    + " Other blocks are read from the state backend when a step"
                                    + " needs them. Does not change results.");

    public static final Option<Duration> SPEC_WAIT =
            job("loop.spec-wait", DURATION, "1m")
                    .description(
                            "How long the first events of a loop wait for its spec, because"
                                    + " topics are read independently. After a restart they"
                                    + " wait anew. Afterwards they are dead letters.");

    public static final Option<Long> SPEC_WAIT_SIZE =
            job("loop.spec-wait-size", SIZE, "256mb")
                    .description(
                            "Limit on these events in the state backend, per subtask. Further"
                                    + " ones are dead letters.");

    public static final Option<Long> LOOP_BUFFER =
            job("loop.buffer-size", SIZE, "128mb")
                    .description(
                            "Maximum memory of the example buffer of one loop. Changes results:"
                                    + " a batch run needs the value of the live job.");

    public static final Option<Integer> KEPT_VERSIONS =
            job("loop.kept-versions", integer(1), "10")
                    .description(
                            "How many of the newest versions of a loop can still be promoted or"
                                    + " rolled back to. Older ones are deleted, unless the"
                                    + " rollout names them. With fewer than 3, candidates are"
                                    + " deleted before the gate has their examples. Changes"
                                    + " results: a batch run needs the value of the live job.");

    public static final Option<Long> MAX_LOOP =
            job("loop.max-loop-size", SIZE, "512mb")
                    .description(
                            "Maximum heap of one loop without its buffer, which is about 11 to 18"
                                    + " times its parameters. A spec that needs more is refused."
                                    + " Changes results: a batch run needs the value of the live"
                                    + " job.");

    // Windows

    public static final Option<Duration> WINDOW_SIZE =
            job("windows.size", POSITIVE_DURATION, "5m")
                    .description("Length of a window of estimates, in event time.");

    public static final Option<Duration> WINDOW_SLIDE =
            job("windows.slide", POSITIVE_DURATION, "1m")
                    .description("Time between the starts of two consecutive windows.");

    public static final Option<Integer> METERED_LOOPS =
            job("windows.metered-loops", integer(0), "100")
                    .description(
                            "Maximum number of loops whose estimates are exported as metrics,"
                                    + " per subtask. Estimates of all loops are on `ips-stats`.");

    // How Flink runs the job

    public static final Option<Integer> PARALLELISM =
            job("job.parallelism", integer(0), "0")
                    .description(
                            "Parallelism of each operator; 0 uses the cluster's default, or the"
                                    + " number of processors when the job runs locally.");

    public static final Option<Integer> MAX_PARALLELISM =
            job("job.max-parallelism", integer(1, 32_768), "128")
                    .description(
                            "Maximum parallelism. The job cannot restore its state after a"
                                    + " change.");

    public static final Option<StateBackendKind> STATE_BACKEND =
            job("job.state-backend", choice(StateBackendKind.class), "rocksdb")
                    .description(
                            "Where state is kept between records: `rocksdb` (on disk) or"
                                    + " `hashmap` (on the heap).");

    public static final Option<Duration> RESTART_INITIAL_BACKOFF =
            job("restart.initial-backoff", POSITIVE_DURATION, "1s")
                    .description("Delay before the first restart after a failure.");

    public static final Option<Duration> RESTART_MAX_BACKOFF =
            job("restart.max-backoff", POSITIVE_DURATION, "1m")
                    .description(
                            "Maximum delay before a restart. The delay doubles with each"
                                    + " failure.");

    public static final Option<Duration> RESTART_RESET_AFTER =
            job("restart.reset-after", POSITIVE_DURATION, "10m")
                    .description(
                            "After this time without a failure the delay is"
                                    + " `restart.initial-backoff` again.");

    public static final Option<Duration> CHECKPOINT_INTERVAL =
            job("checkpoint.interval", POSITIVE_DURATION, "10s")
                    .description(
                            "Time between checkpoints. Results become visible with the next"
                                    + " checkpoint.");

    public static final Option<Duration> CHECKPOINT_TIMEOUT =
            job("checkpoint.timeout", POSITIVE_DURATION, "5m")
                    .description("A checkpoint that takes longer fails.");

    public static final Option<Integer> CHECKPOINTS_RETAINED =
            job("checkpoint.retained", integer(1), "3")
                    .description("Number of checkpoints to keep.");

    public static final Option<String> STORAGE_DIRECTORY =
            both("storage.directory", TEXT, "counterflow-data")
                    .description(
                            "Directory for checkpoints, savepoints and large snapshots: a path,"
                                    + " or a URI of a file system that Flink supports. All"
                                    + " machines of a cluster must be able to access it. Serving"
                                    + " reads large snapshots from files below it, and no other"
                                    + " files.");

    // What the job writes

    public static final Option<Duration> TRANSACTION_TIMEOUT =
            job("sink.transaction-timeout", POSITIVE_DURATION, "6h")
                    .description(
                            "Kafka aborts a transaction that is open for longer. Results that"
                                    + " were not committed by then are lost, so it must outlast"
                                    + " the longest outage of the job. Must be longer than"
                                    + " `checkpoint.interval` and `checkpoint.timeout` together,"
                                    + " and at most `transaction.max.timeout.ms` of the brokers,"
                                    + " which is 15 minutes by default.");

    public static final Option<Integer> MAX_INLINE_SNAPSHOT =
            job("sink.max-inline-snapshot", bytes(0), "500000b")
                    .description(
                            "Maximum size of a snapshot that is written as a record. A larger"
                                    + " snapshot is written to a file, and a record points to the"
                                    + " file.");

    public static final Option<String> BATCH_TOPIC_PREFIX =
            job("batch.topic-prefix", TEXT, "counterflow.batch")
                    .description(
                            "Prefix of the topics that a batch run writes to. Must differ from"
                                    + " `kafka.topic-prefix`.");

    public static final Option<String> CLUSTER_ADDRESS =
            job("cluster.address", TEXT, "localhost:8081")
                    .description(
                            "`host:port` of the Flink REST endpoint that jobs are submitted to.");

    // Serving

    public static final Option<String> SERVING_NAME =
            serving("serving.name", TEXT, "serving")
                    .description(
                            "Name of this process in heartbeats. Give each process its own"
                                    + " name.");

    public static final Option<String> HOST =
            serving("serving.host", TEXT, "127.0.0.1")
                    .description("Address that the API listens on.");

    public static final Option<Integer> PORT =
            serving("serving.port", integer(0, 65_535), "8080")
                    .description("Port of the API; 0 uses any free port.");

    public static final Option<String> MANAGEMENT_HOST =
            serving("serving.management.host", TEXT, "127.0.0.1")
                    .description(
                            "Address that health checks and metrics listen on. They need no"
                                    + " token.");

    public static final Option<Integer> MANAGEMENT_PORT =
            serving("serving.management.port", integer(0, 65_535), "9090")
                    .description("Port of health checks and metrics; 0 uses any free port.");

    public static final Option<Integer> THREADS =
            serving("serving.threads", integer(0), "0")
                    .description(
                            "Threads that handle connections and decide; 0 uses one per"
                                    + " processor.");

    public static final Option<Integer> MAX_BODY_SIZE =
            serving("serving.max-body-size", bytes(1), "800kb")
                    .description("Maximum size of a request body.");

    public static final Option<Integer> REQUESTS_PER_SECOND =
            serving("serving.requests-per-second", integer(0), "0")
                    .description(
                            "Maximum requests per second of one client, by token or address; 0"
                                    + " for no limit.");

    public static final Option<Integer> MAX_REQUESTS =
            serving("serving.max-requests", integer(1), "1000")
                    .description(
                            "Maximum number of requests in progress of each scope, such as"
                                    + " `rank` and `reward`. Further ones get 503 at once.");

    public static final Option<Long> LARGE_BODIES_SIZE =
            serving("serving.large-bodies-size", SIZE, "64mb")
                    .description(
                            "Memory for the bodies above 64 kB of all requests that are being"
                                    + " received or answered. One client gets a quarter of it, or"
                                    + " one body. When it is full, such requests get 503.");

    public static final Option<Integer> MAX_CONNECTIONS =
            serving("serving.max-connections", integer(1), "2000")
                    .description("Maximum number of open connections. Further ones are closed.");

    public static final Option<Integer> MAX_CONNECTIONS_PER_CLIENT =
            serving("serving.max-connections-per-client", integer(0), "0")
                    .description(
                            "Maximum number of open connections of one client address (of IPv6,"
                                    + " the first 64 bits); 0 for half of"
                                    + " `serving.max-connections`. A proxy is one client.");

    public static final Option<Integer> MAX_STREAMS =
            serving("serving.max-streams", integer(1), "200")
                    .description(
                            "Maximum number of open streams of server-sent events. An open"
                                    + " dashboard has one.");

    public static final Option<Integer> MAX_STREAMS_PER_CLIENT =
            serving("serving.max-streams-per-client", integer(1), "50")
                    .description(
                            "Maximum number of open streams of one client, by token or address.");

    public static final Option<Duration> HEAD_TIMEOUT =
            serving("serving.head-timeout", POSITIVE_DURATION, "10s")
                    .description(
                            "A new connection on which no whole head of a request has arrived"
                                    + " after this long is closed.");

    public static final Option<Duration> BODY_TIMEOUT =
            serving("serving.body-timeout", POSITIVE_DURATION, "30s")
                    .description(
                            "A connection is closed if the body of a request has not arrived this"
                                    + " long after its head.");

    public static final Option<Duration> CONNECTION_IDLE_TIMEOUT =
            serving("serving.idle-timeout", POSITIVE_DURATION, "60s")
                    .description(
                            "A connection is closed if the head of the next request has not"
                                    + " arrived this long after an answer, or if nothing could be"
                                    + " sent for this long.");

    public static final Option<AuthMode> AUTH =
            serving("serving.auth", choice(AuthMode.class), "tokens")
                    .description(
                            "Access control. `tokens` requires a token from"
                                    + " `serving.tokens-file`; without that file it allows"
                                    + " everyone on a loopback address and refuses to start on"
                                    + " any other address. `none` allows everyone on any address; callers"
                                    + " must name a host of `serving.allowed-hosts`.");

    public static final Option<String> TOKENS_FILE =
            serving("serving.tokens-file", TEXT, "")
                    .description(
                            "File with one token per line: name, comma-separated scopes,"
                                    + " `sha256:` with the hash of the token, and optionally"
                                    + " `loops:` with the only loops that the token is for,"
                                    + " separated by commas. Reloaded when it changes.");

    public static final Option<String> ALLOWED_HOSTS =
            serving("serving.allowed-hosts", TEXT, "")
                    .description(
                            "Host names of the server, separated by commas. Without tokens,"
                                    + " requests must name one of them, `serving.host` or a"
                                    + " loopback address. With tokens, this holds if the option"
                                    + " is set. Requests from pages of other sites are always"
                                    + " refused.");

    public static final Option<String> TLS_CERTIFICATE =
            serving("serving.tls.certificate-file", TEXT, "")
                    .description(
                            "Certificate chain in PEM format. If set, the API accepts HTTPS"
                                    + " only. Reloaded when it changes.");

    public static final Option<String> TLS_KEY =
            serving("serving.tls.key-file", TEXT, "")
                    .description(
                            "Private key of the certificate, in PEM format. Reloaded when it changes.");

    public static final Option<Duration> IMPRESSION_TIMEOUT =
            serving("serving.impressions.timeout", PRODUCER_TIMEOUT, "2s")
                    .description(
                            "How long a decision waits for Kafka to acknowledge its impression."
                                    + " After that the loop's `unloggedDecision` applies.");

    public static final Option<Long> IMPRESSION_BUFFER =
            serving("serving.impressions.buffer-size", SIZE, "64mb")
                    .description(
                            "Memory for impressions that wait for Kafka. When it is full,"
                                    + " `unloggedDecision` applies at once.");

    public static final Option<Duration> REWARD_TIMEOUT =
            serving("serving.rewards.timeout", PRODUCER_TIMEOUT, "10s")
                    .description(
                            "How long a reward waits for Kafka to acknowledge it before it is"
                                    + " refused.");

    public static final Option<Long> REWARD_BUFFER =
            serving("serving.rewards.buffer-size", SIZE, "32mb")
                    .description(
                            "Memory for rewards that wait for Kafka. When it is full, rewards"
                                    + " are refused at once.");

    public static final Option<Long> MAX_SERVED_LOOP =
            serving("serving.max-loop-size", SIZE, "32mb")
                    .description(
                            "Maximum size of the parameters of one version of a loop, four bytes"
                                    + " each: `32mb` allows 23 `bits`. A `PUT` of a larger loop"
                                    + " is refused. A larger loop that is on the topics all the"
                                    + " same is not served, and the others are. The job has a"
                                    + " limit of its own, `loop.max-loop-size`.");

    public static final Option<Long> MAX_POLICIES =
            serving("serving.max-policies-size", HEAP_SIZE, "50%")
                    .description(
                            "Maximum heap for the parameters and descriptions of the versions"
                                    + " of all loops, as a size or as a share of the heap."
                                    + " Versions beyond it are not loaded, and their loops are"
                                    + " degraded.");

    public static final Option<Duration> HEARTBEAT_INTERVAL =
            serving("serving.heartbeat-interval", POSITIVE_DURATION, "5s")
                    .description(
                            "Interval of heartbeats to all partitions of `impressions` and"
                                    + " `rewards`, which advance event time when there is little"
                                    + " traffic. The results of a quiet loop come up to this much"
                                    + " later. Must be shorter than the job's"
                                    + " `watermarks.idle-timeout`, unless that is `0s`. With"
                                    + " more than `5s`, the dashboard may take a quiet job for a"
                                    + " stalled one.");

    public static final Option<String> PERSONALIZER_LOOP =
            serving("serving.personalizer-loop", TEXT, "")
                    .description(
                            "Loop of the calls under `/personalizer` with a token that is not"
                                    + " limited to one loop, or without a token.");

    public static final Option<Duration> STOP_TIMEOUT =
            serving("serving.stop-timeout", DURATION, "20s")
                    .description(
                            "How long requests in progress may take after the process is told"
                                    + " to stop.");

    private Options() {}

    /** All options, in the order of the documentation. */
    public static List<Option<?>> all() {
        return Collections.unmodifiableList(TABLE);
    }

    private static <T> Row<T> both(String key, OptionType<T> type, String defaultText) {
        return new Row<>(key, type, defaultText, EnumSet.allOf(Component.class));
    }

    private static <T> Row<T> job(String key, OptionType<T> type, String defaultText) {
        return new Row<>(key, type, defaultText, EnumSet.of(Component.JOB));
    }

    private static <T> Row<T> serving(String key, OptionType<T> type, String defaultText) {
        return new Row<>(key, type, defaultText, EnumSet.of(Component.SERVING));
    }

    private record Row<T>(
            String key, OptionType<T> type, String defaultText, Set<Component> readBy) {

        Option<T> description(String description) {
            Option<T> option = new Option<>(key, type, defaultText, readBy, description);
            TABLE.add(option);
            return option;
        }
    }
}
