package io.counterflow.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.Stage;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.HoldoutRecord;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.LearnedCountRecord;
import io.counterflow.schemas.record.LoopCountsRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.MeanRewardRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.record.UnusedCountRecord;
import io.counterflow.schemas.record.UnusedKindRecord;
import io.counterflow.schemas.rollout.RolloutConversion;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.spec.LoopSpecJson;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.WireCodec;
import io.counterflow.serving.ServingProcess;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.health.ServingLog;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The start of the dashboard with a thousand loops, as a job would have written them. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
final class DashboardOverviewIT {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Path PICTURES = Path.of("target", "dashboard");
    private static final int LOOPS = 1_000;
    private static final List<String> PLACES =
            List.of("front-page", "search", "checkout", "newsletter", "related");

    /** The quarantined loop, and loops with dead letters. */
    private static final int QUARANTINED = 437;

    private static final List<Integer> BROKEN = List.of(12, 500, 871);

    @TempDir private static Path directory;
    private static Chromium chromium;
    private static ServingProcess serving;

    @BeforeAll
    static void start(SharedKafka kafka) throws Exception {
        chromium = Chromium.start(directory);
        serving =
                ServingProcess.start(
                        ServingConfig.parse(
                                kafka.settings()
                                        + """
                                        kafka.event-partitions: 1
                                        kafka.partitions: 1
                                        serving.port: 0
                                        serving.management.port: 0
                                        """,
                                Map.of()),
                        new ServingLog(
                                new PrintStream(
                                        OutputStream.nullOutputStream(),
                                        true,
                                        StandardCharsets.UTF_8),
                                Clock.systemUTC()),
                        Clock.systemUTC());
        try (Admin admin = Admin.create(kafka.config().properties())) {
            admin.alterConsumerGroupOffsets( // as if the job had taken a checkpoint
                            kafka.topics().prefix(),
                            Map.of(
                                    new TopicPartition(kafka.topics().name(Topic.IMPRESSIONS), 0),
                                    new OffsetAndMetadata(1)))
                    .all()
                    .get();
        }
        try (Writer writer = new Writer(kafka)) {
            SplittableRandom random = new SplittableRandom(5);
            for (int i = 0; i < LOOPS; i++) {
                writer.loop(i, random);
            }
        }
    }

    @AfterAll
    static void stop() {
        if (chromium != null) { // null without a browser, and then nothing else was started
            chromium.close();
            serving.close();
        }
    }

    private static String name(int number) {
        return "%s-%03d".formatted(PLACES.get(number % PLACES.size()), number);
    }

    /** Writes what a job writes. */
    private static final class Writer implements AutoCloseable {

        private final SharedKafka kafka;
        private final KafkaProducer<byte[], byte[]> producer;
        private final Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);

        Writer(SharedKafka kafka) {
            this.kafka = kafka;
            this.producer =
                    new KafkaProducer<>(
                            kafka.config().properties(),
                            new ByteArraySerializer(),
                            new ByteArraySerializer());
        }

        private <T extends SpecificRecordBase> void write(
                Topic topic, String key, Class<T> type, T record) {
            var unused =
                    producer.send(
                            new ProducerRecord<>(
                                    kafka.topics().name(topic),
                                    key.getBytes(StandardCharsets.UTF_8),
                                    WireCodec.of(type).encode(record)));
        }

        void loop(int number, SplittableRandom random) {
            String loop = name(number);
            long version = 1L + random.nextInt(60);
            LoopSpec spec =
                    new LoopSpecJson(JsonLimits.defaults())
                            .read("{\"actions\":[\"a\",\"b\"],\"features\":2}", loop, 1, now);
            write(Topic.LOOPS, loop, LoopSpecRecord.class, LoopSpecConversion.toRecord(spec));
            PolicySnapshotRecord snapshot =
                    SnapshotConversion.toRecord(
                            new PolicySnapshot(
                                    loop,
                                    version,
                                    OptionalLong.empty(),
                                    now.minusSeconds(random.nextInt(200_000)),
                                    DenseModel.zeros(2, 2),
                                    Optional.empty(),
                                    DecisionRule.PLAIN,
                                    OptionalDouble.empty(),
                                    OptionalDouble.empty(),
                                    Training.none(),
                                    Optional.empty()));
            write(
                    Topic.POLICY_SNAPSHOTS,
                    loop + "@" + version,
                    PolicySnapshotRecord.class,
                    snapshot);
            write(Topic.ROLLOUTS, loop, RolloutRecord.class, rollout(number, loop, version));
            write(Topic.LOOP_COUNTS, loop, LoopCountsRecord.class, counts(number, loop, random));
            write(Topic.IPS_STATS, loop, IpsWindowRecord.class, window(loop, version, random));
        }

        private RolloutRecord rollout(int number, String loop, long version) {
            boolean quarantined = number == QUARANTINED;
            return RolloutConversion.toRecord(
                    new RolloutChange(
                            1,
                            quarantined
                                    ? RolloutChange.Kind.QUARANTINED
                                    : RolloutChange.Kind.PROMOTED,
                            new Rollout(
                                    Stage.FULL,
                                    version,
                                    OptionalLong.empty(),
                                    List.of(),
                                    OptionalLong.empty(),
                                    0.0,
                                    false,
                                    Optional.empty()),
                            quarantined
                                    ? "failed on entry 1712 (EXAMPLE): ArithmeticException"
                                    : "it is better",
                            Optional.empty()),
                    loop,
                    now.toEpochMilli() * 1_000,
                    RolloutMode.GATED,
                    Optional.empty(),
                    1);
        }

        private LoopCountsRecord counts(int number, String loop, SplittableRandom random) {
            long examples = 1L + random.nextInt(900);
            return new LoopCountsRecord(
                    loop,
                    now.minusSeconds(10),
                    examples,
                    new LearnedCountRecord(100_000L, examples, 1L),
                    BROKEN.contains(number)
                            ? List.of(
                                    new UnusedCountRecord(
                                            UnusedKindRecord.DEAD_LETTER,
                                            "EXAMPLE",
                                            7L,
                                            "context must have 2 features, got 3"))
                            : List.of(),
                    0L,
                    0L);
        }

        private IpsWindowRecord window(String loop, long version, SplittableRandom random) {
            IpsWindowRecord window = new IpsWindowRecord();
            window.setLoop(loop);
            window.setPolicyVersion(version);
            window.setWindowStart(now.minusSeconds(70));
            window.setWindowEnd(now.minusSeconds(10));
            window.setN(1_000L);
            window.setOnPolicyMean(0.05 + 0.2 * random.nextDouble());
            window.setOnPolicyStandardError(0.01);
            window.setEstimates(List.of());
            window.setActionCounts(List.of(600L, 400L));
            window.setExpectedActionCounts(List.of(590.0, 410.0));
            double gain = 0.03 * random.nextDouble();
            MeanRewardRecord mean = new MeanRewardRecord(1_000L, 0.1, 0.08, 0.12);
            window.setHoldout(
                    new HoldoutRecord(0L, 0.05, now, mean, mean, gain, gain - 0.01, gain + 0.01));
            return window;
        }

        @Override
        public void close() {
            producer.close(); // sends what is left
        }
    }

    private static BrowserPage page(int width, int height) throws Exception {
        BrowserPage page = chromium.open();
        page.size(width, height, width < 600);
        page.go("http://127.0.0.1:" + serving.port() + "/");
        page.await(
                "all loops",
                "document.querySelector('#overview-range')?.textContent === '1 to 50 of 1,000'",
                SOON);
        page.await(
                "the states",
                "document.querySelector('.chip[data-state=stalled]').textContent === '1 stalled' && document.querySelector('.chip[data-state=warning]').textContent === '3 warning'",
                SOON);
        return page;
    }

    private static String names(BrowserPage page) {
        return page.evaluate(
                        "[...document.querySelectorAll('#overview-table tbody a')].map(it =>"
                                + " it.textContent).join(' ')")
                .asText();
    }

    @Test
    void aThousandLoopsAreShownTheWorstFirst() throws Exception {
        try (BrowserPage page = page(1400, 900)) {
            assertThat(page.count("#overview-table tbody tr")).isEqualTo(50);
            assertThat(page.text("#overview-table tbody tr:nth-child(1)"))
                    .contains("stalled", "learning", name(QUARANTINED), "entry 1712 (EXAMPLE)");
            for (int row = 2; row <= 4; row++) {
                assertThat(page.text("#overview-table tbody tr:nth-child(%d)".formatted(row)))
                        .contains("warning", "dead letters", "context must have 2 features");
            }
            assertThat(page.text("#overview-table tbody tr:nth-child(5)"))
                    .matches(".*v\\d+.*/s0\\.\\d{3}\\+0\\.0\\d\\d \\(.*");
            page.screenshot(PICTURES.resolve("overview-light.png"));
            page.colours("dark");
            page.screenshot(PICTURES.resolve("overview-dark.png"));
            assertThat(page.errors()).isEmpty();
        }
    }

    @Test
    void loopsAreFoundByNameStateAndPage() throws Exception {
        try (BrowserPage page = page(1400, 900)) {
            String first = names(page);
            page.click("#overview-after");
            page.await(
                    "the second page",
                    "document.querySelector('#overview-range').textContent === '51 to 100 of"
                            + " 1,000'",
                    SOON);
            assertThat(names(page).split(" ")).hasSize(50).doesNotContain(first.split(" "));
            page.fill("#overview-search", "CHECKOUT-0");
            page.evaluate(
                    "document.querySelector('#overview-search').dispatchEvent(new Event('input'))");
            page.await(
                    "the loops of this name",
                    "document.querySelector('#overview-range').textContent === '1 to 20 of 20'",
                    SOON);
            assertThat(names(page).split(" "))
                    .hasSize(20)
                    .allSatisfy(it -> assertThat(it).startsWith("checkout-0"));
            page.fill("#overview-search", "");
            page.click(".chip[data-state=warning]");
            page.await(
                    "the loops with a warning",
                    "document.querySelector('#overview-range').textContent === '1 to 3 of 3'",
                    SOON);
            assertThat(names(page).split(" "))
                    .containsExactlyInAnyOrder(
                            BROKEN.stream().map(DashboardOverviewIT::name).toArray(String[]::new));
        }
    }

    @Test
    void aClickLeadsToTheLoopAndBack() throws Exception {
        try (BrowserPage page = page(1400, 900)) {
            page.click("#overview-table tbody tr:nth-child(1) a");
            page.await(
                    "the loop",
                    "document.querySelector('#verdict-text').textContent.includes('quarantined')",
                    SOON);
            assertThat(page.text("#loop")).isEqualTo(name(QUARANTINED));
            page.click("#trail a");
            page.await("all loops", "!document.querySelector('#overview').hidden", SOON);
            assertThat(page.evaluate("document.querySelector('#loop-view').hidden").asBoolean())
                    .isTrue();
            page.go("http://127.0.0.1:" + serving.port() + "/#loop=nobody");
            page.await(
                    "that there is none",
                    "document.querySelector('#unknown-name').textContent === 'nobody' &&"
                            + " !document.querySelector('#unknown').hidden",
                    SOON);
        }
    }

    @Test
    void anUnknownLoopShowsNothingOfAnotherOne() throws Exception {
        try (BrowserPage page = page(1400, 900)) {
            page.click("#overview-table tbody tr:nth-child(1) a");
            page.await("a loop", "!document.querySelector('#loop-view').hidden", SOON);
            for (String unknown : List.of("nobody", "no/name at all")) {
                String hides =
                        """
                        (async () => {
                          const changed = new Promise(done => addEventListener('hashchange', done, {once: true}));
                          location.hash = '#loop=' + encodeURIComponent(%s);
                          await changed;
                          return document.querySelector('#loop-view').hidden;
                        })()\
                        """
                                .formatted(BrowserPage.quoted(unknown));
                assertThat(page.evaluate(hides).asBoolean()).as("at once").isTrue();
                page.await(
                        "that there is none",
                        "!document.querySelector('#unknown').hidden &&"
                                + " document.querySelector('#unknown-name').textContent === "
                                + BrowserPage.quoted(unknown),
                        SOON);
                assertThat(page.evaluate("document.querySelector('#loop-view').hidden").asBoolean())
                        .isTrue();
                page.evaluate("history.back()");
                page.await("the loop again", "!document.querySelector('#loop-view').hidden", SOON);
                assertThat(page.text("#loop")).isEqualTo(name(QUARANTINED));
                assertThat(page.evaluate("document.querySelector('#unknown').hidden").asBoolean())
                        .isTrue();
            }
        }
    }

    @Test
    void allLoopsFitOnAPhone() throws Exception {
        try (BrowserPage page = page(360, 740)) {
            page.screenshot(PICTURES.resolve("overview-phone.png"));
            assertThat(page.evaluate("document.documentElement.scrollWidth").asInt())
                    .isLessThanOrEqualTo(360);
        }
    }
}
