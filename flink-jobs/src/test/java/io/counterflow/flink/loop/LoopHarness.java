package io.counterflow.flink.loop;

import io.counterflow.flink.Feedback;
import io.counterflow.flink.MeteredEnvironment;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventDecoder;
import io.counterflow.flink.ingest.IngestLimits;
import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.flink.ingest.RecordDecoder;
import io.counterflow.flink.sinks.CheckpointGuard;
import io.counterflow.flink.sinks.OutgoingRecord;
import io.counterflow.flink.sinks.SinkConfig;
import io.counterflow.flink.windows.IpsWindowsConfig;
import io.counterflow.flink.windows.WindowConfig;
import io.counterflow.schemas.record.CheckpointMarkerRecord;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.LoopCountsRecord;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.tasks.mailbox.Mail;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailbox;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.jspecify.annotations.Nullable;

/** The operator of loops in Flink's harness, with Kryo forbidden. */
final class LoopHarness implements AutoCloseable {

    private static final Topics TOPICS = new Topics("test");

    /** Windows of two seconds that start every second. */
    private static final IpsWindowsConfig WINDOWS =
            new IpsWindowsConfig(new WindowConfig(Duration.ofSeconds(2), Duration.ofSeconds(1)), 2);

    private static final SinkConfig SINK = sink(500_000, Path.of("target", "snapshots"));

    private static SinkConfig sink(int maxInlineBytes, Path snapshots) {
        return new SinkConfig(
                "test",
                Duration.ofMinutes(10),
                1_000_000,
                maxInlineBytes,
                snapshots.toUri().toString());
    }

    static final int MAX_PARALLELISM = 8;

    private final RecordingGuard guard = new RecordingGuard();
    private final MetricListener metrics = new MetricListener();
    private final LoopOperator operator;
    private final KeyedOneInputStreamOperatorTestHarness<String, LoopEvent, OutgoingRecord> harness;

    private LoopHarness(
            LoopOperatorConfig config,
            IpsWindowsConfig windows,
            LoopOperator.Source source,
            StateBackend backend,
            Subtask subtask,
            @Nullable OperatorSubtaskState restored)
            throws Exception {
        this(config, windows, SINK, source, backend, subtask, restored);
    }

    private LoopHarness(
            LoopOperatorConfig config,
            IpsWindowsConfig windows,
            SinkConfig sink,
            LoopOperator.Source source,
            StateBackend backend,
            Subtask subtask,
            @Nullable OperatorSubtaskState restored)
            throws Exception {
        operator = new LoopOperator(config, windows, sink, TOPICS, guard, source);
        harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        operator,
                        LoopEvent::loop,
                        Types.STRING,
                        MeteredEnvironment.with(
                                metrics, MAX_PARALLELISM, subtask.parallelism(), subtask.index()));
        SerializerConfigImpl serializers =
                (SerializerConfigImpl) harness.getExecutionConfig().getSerializerConfig();
        serializers.setGenericTypes(false);
        harness.setStateBackend(backend);
        harness.setup(TypeInformation.of(OutgoingRecord.class).createSerializer(serializers));
        if (restored != null) {
            harness.initializeState(restored);
        }
        harness.open();
    }

    static LoopHarness open() throws Exception {
        return open(LoopOperatorConfig.defaults());
    }

    static LoopHarness open(LoopOperatorConfig config) throws Exception {
        return open(config, new HashMapStateBackend(), null);
    }

    static LoopHarness open(
            LoopOperatorConfig config,
            StateBackend backend,
            @Nullable OperatorSubtaskState restored)
            throws Exception {
        return new LoopHarness(
                config, WINDOWS, LoopOperator.Source.LIVE, backend, Subtask.ONLY, restored);
    }

    /** With windows of a millisecond, so that each example of a loop has its own. */
    static LoopHarness openScoring(@Nullable OperatorSubtaskState restored) throws Exception {
        return new LoopHarness(
                LoopOperatorConfig.defaults(),
                new IpsWindowsConfig(
                        new WindowConfig(Duration.ofMillis(1), Duration.ofMillis(1)), 2),
                LoopOperator.Source.LIVE,
                new HashMapStateBackend(),
                Subtask.ONLY,
                restored);
    }

    /** With all snapshots in files. */
    static LoopHarness openWithFiles(
            LoopOperatorConfig config,
            LoopOperator.Source source,
            Path snapshots,
            @Nullable OperatorSubtaskState restored)
            throws Exception {
        return new LoopHarness(
                config,
                WINDOWS,
                sink(1, snapshots),
                source,
                new HashMapStateBackend(),
                Subtask.ONLY,
                restored);
    }

    /** One subtask of several, with the state of the only one before. */
    static LoopHarness rescale(Subtask subtask, OperatorSubtaskState state) throws Exception {
        return new LoopHarness(
                LoopOperatorConfig.defaults(),
                WINDOWS,
                LoopOperator.Source.LIVE,
                new HashMapStateBackend(),
                subtask,
                KeyedOneInputStreamOperatorTestHarness.repartitionOperatorState(
                        state, MAX_PARALLELISM, 1, subtask.parallelism(), subtask.index()));
    }

    /** The position of an operator among those that run in parallel. */
    record Subtask(int index, int parallelism) {
        static final Subtask ONLY = new Subtask(0, 1);
    }

    /** An operator that reads a journal. */
    static LoopHarness replay(
            LoopOperatorConfig config,
            StateBackend backend,
            @Nullable OperatorSubtaskState restored)
            throws Exception {
        return new LoopHarness(
                config, WINDOWS, LoopOperator.Source.JOURNAL, backend, Subtask.ONLY, restored);
    }

    void take(LoopEvent event) throws Exception {
        harness.processElement(event, event.timeMs());
    }

    void take(List<LoopEvent> events) throws Exception {
        for (LoopEvent event : events) {
            take(event);
        }
    }

    /** Takes events in the order of their times. */
    void takeByTime(List<LoopEvent> events) throws Exception {
        take(events.stream().sorted(Comparator.comparingLong(LoopEvent::timeMicros)).toList());
    }

    /** The watermark, in milliseconds after the tests' time zero. */
    void watermark(long ms) throws Exception {
        startWatermark(ms);
        endAllWindows();
    }

    /** The watermark and the first loop that is due at it. The others are in the mailbox. */
    void startWatermark(long ms) throws Exception {
        harness.processWatermark(Feedback.at(ms));
    }

    /** Runs the next mail; false if there is none. */
    boolean endMoreWindows() throws Exception {
        Optional<Mail> mail = harness.getTaskMailbox().tryTake(TaskMailbox.MIN_PRIORITY);
        if (mail.isPresent()) {
            mail.get().run();
        }
        return mail.isPresent();
    }

    private void endAllWindows() throws Exception {
        while (endMoreWindows()) {
            // until no loop is due
        }
    }

    void end() throws Exception {
        harness.processWatermark(Long.MAX_VALUE);
        endAllWindows();
    }

    /** The end of the input of a job that is stopped. */
    void finish(boolean drain) throws Exception {
        if (drain) {
            harness.endInput();
        }
        operator.finish();
    }

    /** The watermarks that the next operator gets, in milliseconds after time zero. */
    List<Long> watermarks() {
        return harness.getOutput().stream()
                .filter(Watermark.class::isInstance)
                .map(it -> ((Watermark) it).getTimestamp() - Feedback.at(0))
                .toList();
    }

    void processingTime(Duration sinceStart) throws Exception {
        harness.setProcessingTime(sinceStart.toMillis());
    }

    OperatorSubtaskState snapshot() throws Exception {
        return harness.snapshot(1L, 1L);
    }

    /** Starts a checkpoint, whose barrier follows everything before. */
    OperatorSubtaskState checkpoint(long id) throws Exception {
        operator.prepareSnapshotPreBarrier(id);
        return harness.snapshot(id, id);
    }

    void completeCheckpoint(long id) throws Exception {
        harness.notifyOfCompletedCheckpoint(id);
    }

    LoopResults results() {
        return new LoopResults(
                written(Topic.IPS_STATS, IpsWindowRecord.class),
                written(Topic.POLICY_SNAPSHOTS, PolicySnapshotRecord.class),
                tombstones(Topic.POLICY_SNAPSHOTS),
                written(Topic.ROLLOUTS, RolloutRecord.class),
                written(Topic.DEAD_LETTERS, DeadLetterRecord.class));
    }

    /** Each example of a harness with a window per example. */
    List<ScoredWindow> scored() {
        return results().windows().stream().map(ScoredWindow::new).toList();
    }

    /** The entries of the journal, as a replay reads them. */
    List<LoopEvent> journal() {
        RecordDecoder<LoopEvent> decoder = LoopEventDecoder.ofJournal(IngestLimits.defaults());
        return records(Topic.JOURNAL).stream()
                .map(it -> new RawRecord(it.topic(), 0, 0, 0, it.key(), it.value()))
                .map(it -> Objects.requireNonNull(decoder.decode(it).event()))
                .toList();
    }

    /** What was counted, checkpoint by checkpoint. */
    List<LoopCountsRecord> counts() {
        return written(Topic.LOOP_COUNTS, LoopCountsRecord.class);
    }

    /** The specs in force of a loop, in order. */
    List<LoopSpecRecord> specsInForce(String loop) throws Exception {
        WireCodec<LoopSpecRecord> codec = WireCodec.of(LoopSpecRecord.class);
        List<LoopSpecRecord> specs = new ArrayList<>();
        for (OutgoingRecord record : records(Topic.ROLLOUTS)) {
            String key = new String(Objects.requireNonNull(record.key()), StandardCharsets.UTF_8);
            if (key.equals(loop + "@spec") && record.value() != null) {
                specs.add(codec.decode(record.value()));
            }
        }
        return specs;
    }

    /** The keys of tombstones on a topic. */
    List<String> tombstones(Topic topic) {
        return records(topic).stream()
                .filter(it -> it.value() == null)
                .map(it -> new String(Objects.requireNonNull(it.key()), StandardCharsets.UTF_8))
                .toList();
    }

    private List<OutgoingRecord> records(Topic topic) {
        return harness.extractOutputValues().stream()
                .filter(it -> it.topic().equals(TOPICS.name(topic)))
                .toList();
    }

    /** The records of a topic; of snapshots, those with the key of their loop. */
    private <T extends SpecificRecordBase> List<T> written(Topic topic, Class<T> type) {
        WireCodec<T> codec = WireCodec.of(type);
        List<T> written = new ArrayList<>();
        for (OutgoingRecord record : records(topic)) {
            byte[] key = record.key();
            byte[] value = record.value();
            boolean isVersion =
                    key != null && new String(key, StandardCharsets.UTF_8).contains("@");
            if (value != null && !isVersion) {
                try {
                    written.add(codec.decode(value));
                } catch (UndecodableRecordException e) {
                    throw new IllegalStateException("a record does not decode", e);
                }
            }
        }
        return written;
    }

    /** The bytes of a loop in a state. The loop itself may be in memory. */
    ValueState<byte[]> storedValue(String loop, String state) throws Exception {
        operator.setCurrentKey(loop);
        return operator.<String>getKeyedStateBackend()
                .getPartitionedState(
                        VoidNamespace.INSTANCE,
                        VoidNamespaceSerializer.INSTANCE,
                        new ValueStateDescriptor<>(
                                state, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
    }

    /** The same of a state with several values. */
    MapState<Long, byte[]> storedValues(String loop, String state) throws Exception {
        operator.setCurrentKey(loop);
        return operator.<String>getKeyedStateBackend()
                .getPartitionedState(
                        VoidNamespace.INSTANCE,
                        VoidNamespaceSerializer.INSTANCE,
                        new MapStateDescriptor<>(
                                state,
                                Types.LONG,
                                PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
    }

    long gauge(String name) {
        return metrics.<Long>getGauge(name).orElseThrow().getValue();
    }

    /** A gauge of one loop. */
    double gauge(String loop, String name) {
        return metrics.<Double>getGauge("loop", loop, name).orElseThrow().getValue();
    }

    long count(String... name) {
        return metrics.getCounter(name).orElseThrow().getCount();
    }

    int stateEntries() {
        return harness.numKeyedStateEntries();
    }

    @Override
    public void close() {
        try {
            harness.close();
        } catch (Exception e) {
            throw new IllegalStateException("the harness does not close", e);
        }
    }

    /** The numbers of the markers of checkpoints that were written. */
    List<Long> markers() {
        return written(Topic.CHECKPOINTS, CheckpointMarkerRecord.class).stream()
                .map(CheckpointMarkerRecord::getCheckpoint)
                .toList();
    }

    /** The markers in the restored state, as they were compared with the written ones. */
    Map<Integer, Long> comparedMarkers() {
        return guard.compared;
    }

    /** Lets every restart through. */
    private static final class RecordingGuard implements CheckpointGuard {
        private static final long serialVersionUID = 1L;

        private final TreeMap<Integer, Long> compared = new TreeMap<>();

        @Override
        public void requireCommitted(Map<Integer, Long> restored) {
            compared.putAll(restored);
        }

        @Override
        public void requireNothingCommitted() {
            // Nothing is written here.
        }
    }

    /** All that came out, except for the journal. */
    record LoopResults(
            List<IpsWindowRecord> windows,
            List<PolicySnapshotRecord> snapshots,
            List<String> tombstones,
            List<RolloutRecord> rollouts,
            List<DeadLetterRecord> deadLetters) {

        static final LoopResults NONE =
                new LoopResults(List.of(), List.of(), List.of(), List.of(), List.of());

        LoopResults {
            windows = List.copyOf(windows);
            snapshots = List.copyOf(snapshots);
            tombstones = List.copyOf(tombstones);
            rollouts = List.copyOf(rollouts);
            deadLetters = List.copyOf(deadLetters);
        }

        /** What came out here, and then there. */
        LoopResults and(LoopResults then) {
            return new LoopResults(
                    joined(windows, then.windows),
                    joined(snapshots, then.snapshots),
                    joined(tombstones, then.tombstones),
                    joined(rollouts, then.rollouts),
                    joined(deadLetters, then.deadLetters));
        }

        private static <T> List<T> joined(List<T> first, List<T> then) {
            List<T> all = new ArrayList<>(first);
            all.addAll(then);
            return all;
        }

        /** What came of one loop. */
        LoopResults of(String loop) {
            return new LoopResults(
                    only(loop, windows, IpsWindowRecord::getLoop),
                    only(loop, snapshots, PolicySnapshotRecord::getLoop),
                    only(loop, tombstones, key -> key.replaceFirst("@.*", "")),
                    only(loop, rollouts, RolloutRecord::getLoop),
                    List.of());
        }

        private static <T> List<T> only(String loop, List<T> of, Function<T, String> name) {
            return of.stream().filter(it -> name.apply(it).equals(loop)).toList();
        }

        List<String> kinds() {
            return rollouts.stream().map(it -> it.getKind().name()).toList();
        }

        List<String> rules() {
            return deadLetters.stream().map(DeadLetterRecord::getRule).toList();
        }
    }
}
