package io.counterflow.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardRange;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.job.JobSetup;
import io.counterflow.flink.job.RunMode;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.log.LogReader;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.JournalKindRecord;
import io.counterflow.schemas.record.JournalRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.OutcomeRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RewardOriginRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.snapshot.SnapshotFile;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command export reads what the job has written to topics. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class ExportCommandIT {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final LoopSpec SPEC =
            LoopSpec.builder("home")
                    .vectors(2, "red", "blue")
                    .set(LoopSettings.REWARD_RANGE, new RewardRange(-1.0, 1.0))
                    .at(1, START)
                    .build();

    @TempDir private Path directory;

    private final WireCodec<JournalRecord> journal = WireCodec.of(JournalRecord.class);
    private final WireCodec<ImpressionRecord> impressions = WireCodec.of(ImpressionRecord.class);
    private final WireCodec<LoopSpecRecord> specs = WireCodec.of(LoopSpecRecord.class);
    private final ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());

    private Path config(SharedKafka kafka) throws Exception {
        return Files.writeString(
                directory.resolve("counterflow.yaml"),
                """
                %s
                kafka.event-partitions: 2
                kafka.partitions: 2
                storage.directory: %s
                """
                        .formatted(kafka.settings(), directory.resolve("storage")));
    }

    private static Impression impression(String loop, String eventId, int second) {
        return new Impression(
                eventId,
                loop,
                1,
                1,
                START.plusSeconds(second),
                new Context.Vector(DenseVector.of(0.5f, 1.0f)),
                Choice.of(1, 0.25),
                RewardRule.none(),
                OptionalDouble.empty());
    }

    private static JournalRecord entry(JournalKindRecord kind, String loop, long sequence) {
        JournalRecord entry = new JournalRecord();
        entry.setKind(kind);
        entry.setLoop(loop);
        entry.setSequence(sequence);
        entry.setTime(START);
        entry.setRecord(ByteBuffer.allocate(0));
        return entry;
    }

    private JournalRecord example(String loop, long sequence, double reward) {
        JournalRecord entry = entry(JournalKindRecord.EXAMPLE, loop, sequence);
        entry.setRecord(
                ByteBuffer.wrap(
                        impressions.encode(
                                conversion.toRecord(
                                        impression(loop, "e-" + sequence, (int) sequence)))));
        entry.setOutcome(new OutcomeRecord(reward, null, RewardOriginRecord.OBSERVED, 1));
        return entry;
    }

    private JournalRecord spec(LoopSpec spec, long sequence) {
        JournalRecord entry = entry(JournalKindRecord.SPEC, spec.loop(), sequence);
        entry.setRecord(ByteBuffer.wrap(specs.encode(LoopSpecConversion.toRecord(spec))));
        return entry;
    }

    /** Sends records in a transaction that is committed, or aborted. */
    private static void send(
            JobConfig config, boolean commit, Map<String, byte[]> records, Topic to)
            throws Exception {
        Properties properties = config.kafka().properties();
        properties.setProperty("transactional.id", config.topics().prefix() + "/export-test");
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            for (Map.Entry<String, byte[]> record : records.entrySet()) {
                var unused =
                        producer.send(
                                new ProducerRecord<>(
                                        config.topics().name(to),
                                        record.getKey().getBytes(StandardCharsets.UTF_8),
                                        record.getValue()));
            }
            producer.flush();
            if (commit) {
                producer.commitTransaction();
            } else {
                producer.abortTransaction();
            }
        }
    }

    private void send(JobConfig config, boolean commit, JournalRecord... entries) throws Exception {
        for (JournalRecord entry : entries) {
            send(config, commit, Map.of(entry.getLoop(), journal.encode(entry)), Topic.JOURNAL);
        }
    }

    private static List<Impression> read(Path log) throws Exception {
        List<Impression> impressions = new ArrayList<>();
        try (LogReader reader = LogReader.open(log)) {
            reader.forEachRemaining(impressions::add);
        }
        return impressions;
    }

    private JobConfig fill(Path file) throws Exception {
        JobConfig config = JobConfig.read(file, Map.of());
        new JobSetup(config, RunMode.LIVE).ensureTopics();
        send(
                config,
                true,
                spec(SPEC, 1),
                example("home", 2, 0.75),
                entry(JournalKindRecord.TIME, "home", 3),
                example("home", 4, 0.5),
                example("mail", 6, 1.0));
        send(config, false, example("home", 5, 0.25));
        send(config, true, Map.of("home", new byte[] {1, 2, 3}), Topic.JOURNAL);
        PolicySnapshot snapshot =
                PolicySnapshot.of("home", 1, DenseModel.zeros(2, 2), Optional.empty());
        byte[] bytes =
                WireCodec.of(PolicySnapshotRecord.class)
                        .encode(SnapshotConversion.toRecord(snapshot));
        send(config, true, Map.of("home", bytes, "home@1", bytes), Topic.POLICY_SNAPSHOTS);
        return config;
    }

    @Test
    void whatTheJobHasCommittedIsExported(SharedKafka kafka) throws Exception {
        Path config = config(kafka);
        fill(config);
        Path log = directory.resolve("home.jsonl");
        Path policies = directory.resolve("policies");

        JsonNode report =
                OfflineCommands.json(
                        "export",
                        "--config",
                        config,
                        "--loop",
                        "home",
                        "--format",
                        "jsonl",
                        "--out",
                        log,
                        "--policies",
                        policies);

        assertThat(report.path("exported").asInt()).isEqualTo(2);
        assertThat(report.path("rejectedBecause").toString()).isEqualTo("{\"unreadable\":1}");
        assertThat(report.path("missingEntries").asInt()).isZero();
        assertThat(report.path("meanReward").asDouble()).isEqualTo(0.625); // in [0, 1]
        assertThat(read(log))
                .containsExactly(
                        impression("home", "e-2", 2).withReward(0.75),
                        impression("home", "e-4", 4).withReward(0.5));
        assertThat(report.path("snapshots").asInt()).isOne();
        assertThat(SnapshotFile.read(policies.resolve("home-v1.snapshot")).loop())
                .isEqualTo("home");
        assertThat(Files.readString(policies.resolve("home-v1.spec.json")))
                .contains("\"rewardRange\":[-1.0,1.0]");
        OfflineCommands audit = new OfflineCommands();
        audit.run("audit", "--log", log, "--policies", policies, "--json");
        assertThat(audit.out()) // the draws are made up, but their policy is known
                .contains("\"decisions\":2")
                .contains("\"unknownPolicies\":0");
    }

    @Test
    void otherFormatsHaveTheUnitAndTheActionsOfTheLoop(SharedKafka kafka) throws Exception {
        Path config = config(kafka);
        JobConfig job = fill(config);
        Path out = directory.resolve("home.json");

        JsonNode report =
                OfflineCommands.json(
                        "export",
                        "--config",
                        config,
                        "--loop",
                        "home",
                        "--format",
                        "dsjson",
                        "--from",
                        "2026-01-01T00:00:03Z",
                        "--out",
                        out);

        assertThat(report.path("exported").asInt()).isOne();
        JsonNode event = new ObjectMapper().readTree(Files.readString(out));
        assertThat(event.path("EventId").asText()).isEqualTo("e-4");
        assertThat(event.path("_label_cost").asText()).isEqualTo("0.0"); // half way from -1 to 1
        assertThat(event.path("c").path("_multi").findValuesAsText("_tag"))
                .containsExactly("red", "blue");

        send(job, true, entry(JournalKindRecord.DELETION, "home", 6));
        OfflineCommands commands = new OfflineCommands();
        int exit =
                commands.run(
                        "export",
                        "--config",
                        config,
                        "--format",
                        "parquet",
                        "--out",
                        directory.resolve("all.parquet"));
        assertThat(exit).as(commands.err()).isEqualTo(ExitCode.DONE);
        assertThat(commands.err())
                .contains("6 entries of the journal are not on " + kafka.prefix() + ".journal")
                .contains("loop mail, event e-6: no spec of the loop")
                .contains("loop home was deleted at 2026-01-01T00:00:00Z");
    }

    @Test
    void aDeploymentWithoutTopicsIsRefused(SharedKafka kafka) throws Exception {
        OfflineCommands commands = new OfflineCommands();
        Path out = directory.resolve("out.avro");

        int exit =
                commands.run("export", "--config", config(kafka), "--format", "avro", "--out", out);

        assertThat(exit).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err())
                .contains(
                        "there is no topic " + kafka.prefix() + ".loops; kafka.bootstrap-servers");
        assertThat(out).doesNotExist();
    }
}
