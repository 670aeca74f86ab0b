package io.counterflow.flink.histories;

import io.counterflow.flink.Feedback;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventDecoder;
import io.counterflow.flink.event.LoopEventSerializer;
import io.counterflow.flink.ingest.FeedbackDecoder;
import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.flink.ingest.FeedbackEventSerializer;
import io.counterflow.flink.ingest.IngestLimits;
import io.counterflow.flink.ingest.Ingested;
import io.counterflow.flink.ingest.IngestedEvent;
import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.flink.ingest.RecordDecoder;
import io.counterflow.flink.ingest.WatermarkConfig;
import io.counterflow.flink.join.Buckets;
import io.counterflow.flink.join.JoinConfig;
import io.counterflow.flink.join.RewardJoin;
import io.counterflow.flink.loop.LoopOperator;
import io.counterflow.flink.loop.LoopOperatorConfig;
import io.counterflow.flink.sinks.CheckpointGuard;
import io.counterflow.flink.sinks.OutgoingRecord;
import io.counterflow.flink.sinks.SinkConfig;
import io.counterflow.flink.windows.IpsWindowsConfig;
import io.counterflow.flink.windows.WindowConfig;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.StateBackend;
import org.jspecify.annotations.Nullable;

/**
 * One run of the job, from a start or restart to its end: sources, joins and loops, connected as
 * {@link io.counterflow.flink.job.CounterflowJob} connects them.
 */
final class Job {

    static final Topics TOPICS = new Topics("test");
    static final Buckets BUCKETS = new Buckets(Subtask.MAX_PARALLELISM);
    static final Duration MAX_CLOCK_SKEW = Duration.ofSeconds(1);

    /** Puts watermarks on the grid of event times, where windows end. */
    static final Duration MAX_OUT_OF_ORDERNESS = Duration.ofMillis(299);

    static final Duration SPEC_WAIT = Duration.ofMinutes(1);
    static final int MAX_FEEDBACK = 5;
    static final Duration WINDOW = Duration.ofSeconds(2);
    static final Duration SLIDE = Duration.ofSeconds(1);

    private static final WatermarkConfig WATERMARKS =
            new WatermarkConfig(MAX_OUT_OF_ORDERNESS, Duration.ZERO, Duration.ofMinutes(1));
    private static final IngestLimits LIMITS =
            new IngestLimits(1_000_000, 512, MAX_CLOCK_SKEW, Duration.ofDays(30));
    private static final RecordDecoder<FeedbackEvent> IMPRESSIONS =
            FeedbackDecoder.ofImpressions(LIMITS);
    private static final RecordDecoder<FeedbackEvent> REWARDS = FeedbackDecoder.ofRewards(LIMITS);
    private static final RecordDecoder<LoopEvent> JOURNAL =
            LoopEventDecoder.ofJournal(IngestLimits.defaults());
    private static final RecordDecoder<LoopEvent> SPECS = LoopEventDecoder.ofSpecs(LIMITS);
    private static final RecordDecoder<LoopEvent> COMMANDS = LoopEventDecoder.ofCommands(LIMITS);
    private static final IpsWindowsConfig WINDOWS =
            new IpsWindowsConfig(new WindowConfig(WINDOW, SLIDE), 2);
    private static final SinkConfig SINK =
            new SinkConfig(
                    "test",
                    Duration.ofMinutes(10),
                    1_000_000,
                    500_000,
                    Path.of("target", "snapshots").toUri().toString());

    /**
     * Where a run starts.
     *
     * @param from the checkpoint; null for none
     */
    record Start(
            @Nullable Checkpoint from,
            int joins,
            int loops,
            long nowMs,
            StateBackend backend,
            CheckpointGuard guard) {}

    private final Start start;
    private final Map<String, Sent> records;
    private final List<Source<? extends IngestedEvent>> sources = new ArrayList<>();
    private final List<JoinSubtask> joins = new ArrayList<>();
    private final List<LoopSubtask> loops = new ArrayList<>();
    private final List<Checkpoint.Written> ingested = new ArrayList<>(); // by source
    private final long[] reachedMs;
    private @Nullable Checkpoint pending;

    Job(History history, Start start) throws Exception {
        this.start = start;
        this.records = new HashMap<>();
        history.records().forEach(it -> records.put(it.place().toString(), it));
        Checkpoint from = start.from();
        this.reachedMs = from == null ? noWatermarks() : from.reachedMs();
        int partitions = history.settings().partitions();
        for (int i = 0; i < 2 * partitions; i++) {
            Topic topic = i < partitions ? Topic.IMPRESSIONS : Topic.REWARDS;
            sources.add(
                    new Source<>(
                            history.of(topic, i % partitions),
                            i < partitions ? IMPRESSIONS : REWARDS,
                            generator(false),
                            i,
                            true,
                            from == null ? 0 : from.position(i)));
        }
        for (int i = 0; i < 2; i++) {
            sources.add(
                    new Source<>(
                            history.of(i == 0 ? Topic.LOOPS : Topic.ROLLOUT_COMMANDS, 0),
                            i == 0 ? SPECS : COMMANDS,
                            generator(true),
                            start.joins() + i,
                            false,
                            from == null ? 0 : from.position(2 * partitions + i)));
        }
        sources.forEach(it -> ingested.add(new Checkpoint.Written()));
        Subtask.Stored storedJoins = from == null ? null : from.joins();
        Subtask.Stored storedLoops = from == null ? null : from.loops();
        boolean small = history.settings().smallCaches();
        for (int i = 0; i < start.loops(); i++) {
            LoopSubtask subtask = new LoopSubtask(i, small);
            loops.add(subtask);
            subtask.start(
                    start.backend(),
                    OutgoingRecord.class,
                    start.nowMs(),
                    start.loops(),
                    storedLoops);
        }
        for (int i = 0; i < start.joins(); i++) {
            JoinSubtask subtask = new JoinSubtask(i, 2 * partitions, small);
            joins.add(subtask);
            subtask.start(
                    start.backend(), LoopEvent.class, start.nowMs(), start.joins(), storedJoins);
        }
    }

    static long[] noWatermarks() {
        long[] none = new long[Subtask.MAX_PARALLELISM];
        Arrays.fill(none, Long.MIN_VALUE);
        return none;
    }

    private static <E extends IngestedEvent> WatermarkGenerator<Ingested<E>> generator(
            boolean control) {
        var strategy = control ? WatermarkConfig.<E>control() : WATERMARKS.<E>feedback();
        return strategy.createWatermarkGenerator(new NoContext());
    }

    static LoopOperatorConfig loopConfig(boolean small) {
        LoopOperatorConfig defaults = LoopOperatorConfig.defaults();
        return new LoopOperatorConfig(
                small ? 1 : defaults.cacheBytes(),
                small ? 1 : defaults.blockCacheBytes(),
                SPEC_WAIT,
                1L << 20,
                defaults.bufferBytes(),
                3,
                defaults.maxLoopBytes());
    }

    static LoopOperator loopOperator(
            LoopOperatorConfig config, CheckpointGuard guard, LoopOperator.Source source) {
        return new LoopOperator(config, WINDOWS, SINK, TOPICS, guard, source);
    }

    List<Source<? extends IngestedEvent>> sources() {
        return sources;
    }

    List<JoinSubtask> joins() {
        return joins;
    }

    List<LoopSubtask> loops() {
        return loops;
    }

    List<Subtask<?, ?, ?, ?>> subtasks() {
        List<Subtask<?, ?, ?, ?>> all = new ArrayList<>(joins);
        all.addAll(loops);
        return all;
    }

    private Sent sent(String topic, int partition, long offset) {
        return Objects.requireNonNull(records.get(topic + "-" + partition + "@" + offset));
    }

    // Sources

    void read(int number) throws IOException {
        Source<? extends IngestedEvent> source = sources.get(number);
        Ingested<? extends IngestedEvent> read = source.read();
        if (read.refusal() != null) {
            ingested.get(number).deadLetters().add(read.refusal().toDeadLetter());
        } else if (read.event() instanceof FeedbackEvent event) {
            int to =
                    KeyGroupRangeAssignment.assignKeyToParallelOperator(
                            BUCKETS.getKey(event), Subtask.MAX_PARALLELISM, joins.size());
            joins.get(to)
                    .inbox()
                    .send(
                            source.sender(),
                            new Inbox.Item(
                                    copy(event, FeedbackEventSerializer.INSTANCE),
                                    read.timestampMs()));
        } else if (read.event() instanceof LoopEvent event) {
            send(event, read.timestampMs(), source.sender());
        }
    }

    private void send(LoopEvent event, long timestampMs, int sender) throws IOException {
        int to =
                KeyGroupRangeAssignment.assignKeyToParallelOperator(
                        event.loop(), Subtask.MAX_PARALLELISM, loops.size());
        loops.get(to)
                .inbox()
                .send(
                        sender,
                        new Inbox.Item(copy(event, LoopEventSerializer.INSTANCE), timestampMs));
    }

    /** As the network does. */
    private static <T> T copy(T value, TypeSerializer<T> serializer) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(512);
        serializer.serialize(value, out);
        return serializer.deserialize(new DataInputDeserializer(out.getCopyOfBuffer()));
    }

    /** Sends the watermark of a source if it has moved. */
    void mark(Source<? extends IngestedEvent> source) {
        long mark = source.newMark();
        if (mark != Long.MIN_VALUE) {
            broadcast(source, new Inbox.Mark(mark));
        }
    }

    void broadcast(Source<? extends IngestedEvent> source, Inbox.Element element) {
        for (Subtask<?, ?, ?, ?> subtask : source.feedback() ? joins : loops) {
            subtask.inbox().send(source.sender(), element);
        }
    }

    // Checkpoints

    /** Starts a checkpoint: its barriers are due at the sources. */
    void startCheckpoint(long number) {
        Checkpoint from = start.from();
        List<Checkpoint.LoopInput> inputs = new ArrayList<>();
        if (from != null) {
            inputs.addAll(from.loopInputs());
        }
        inputs.add(new Checkpoint.Started(start.nowMs()));
        pending =
                new Checkpoint(
                        number,
                        sources.size(),
                        joins.size(),
                        loops.size(),
                        reachedMs,
                        from == null ? List.of() : from.arrivals(),
                        inputs);
        sources.forEach(it -> it.barrierIsDue(number));
    }

    @Nullable Checkpoint pending() {
        return pending;
    }

    void forgetPending() {
        pending = null;
    }

    private Checkpoint current() {
        return Objects.requireNonNull(pending);
    }

    void sendBarrier(int number) {
        Source<? extends IngestedEvent> source = sources.get(number);
        broadcast(source, new Inbox.Barrier(source.dueBarrier()));
        source.barrierIsDue(0);
        current().addSource(number, source.position(), ingested.get(number).take());
    }

    void close() throws Exception {
        for (Subtask<?, ?, ?, ?> subtask : subtasks()) {
            subtask.close();
        }
    }

    /** A subtask of the join. */
    final class JoinSubtask extends Subtask<Integer, FeedbackEvent, LoopEvent, RewardJoin> {
        private final Checkpoint.Written output = new Checkpoint.Written();
        private final List<Checkpoint.Arrival> arrivals = new ArrayList<>(); // of this run
        private long watermarkMs = Long.MIN_VALUE;

        JoinSubtask(int index, int senders, boolean small) throws Exception {
            super(
                    index,
                    start.joins(),
                    senders,
                    new RewardJoin(
                            new JoinConfig(
                                    Simulation.IMPRESSION_WAIT,
                                    MAX_FEEDBACK,
                                    small ? 300 : 1 << 20),
                            BUCKETS,
                            TOPICS),
                    BUCKETS,
                    Types.INT);
        }

        @Override
        public void take(Inbox.Item item) throws Exception {
            FeedbackEvent event = (FeedbackEvent) item.value();
            int group =
                    KeyGroupRangeAssignment.assignToKeyGroup(
                            BUCKETS.getKey(event), Subtask.MAX_PARALLELISM);
            arrivals.add(
                    new Checkpoint.Arrival(
                            sent(
                                    event.raw().topic(),
                                    event.raw().partition(),
                                    event.raw().offset()),
                            sinceStart(Math.max(watermarkMs, reachedMs[group]))));
            process(event, item.timestampMs());
        }

        private static long sinceStart(long ms) {
            return ms == Long.MIN_VALUE ? ms : ms - Feedback.at(0);
        }

        @Override
        public void watermark(long ms) throws Exception {
            if (ms < Long.MAX_VALUE) {
                watermarkMs = ms;
            }
            super.watermark(ms);
        }

        @Override
        void emitted(LoopEvent event, long timestampMs) {
            try {
                send(event, timestampMs, index());
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        void emittedAside(Object value) {
            if (value instanceof DeadLetterRecord letter) {
                output.late().add(letter);
            } else {
                output.counts().add((OutgoingRecord) value);
            }
        }

        @Override
        void emittedWatermark(long ms) {
            broadcast(new Inbox.Mark(ms));
        }

        private void broadcast(Inbox.Element element) {
            loops.forEach(it -> it.inbox().send(index(), element));
        }

        @Override
        public void barrier(long checkpoint) throws Exception {
            operator().prepareSnapshotPreBarrier(checkpoint);
            broadcast(new Inbox.Barrier(checkpoint));
            current()
                    .addJoin(
                            index(),
                            snapshot(checkpoint),
                            keyGroups(),
                            watermarkMs,
                            arrivals,
                            output.take());
        }

        @Override
        public void end(boolean drain) throws Exception {
            finish(drain);
            broadcast(new Inbox.End(drain));
        }
    }

    /** A subtask of the operator of loops. */
    final class LoopSubtask extends Subtask<String, LoopEvent, OutgoingRecord, LoopOperator> {
        private final Checkpoint.Written output = new Checkpoint.Written();
        private final List<Checkpoint.LoopInput> inputs = new ArrayList<>(); // of this run
        private long watermarkMs = Long.MIN_VALUE;
        private boolean taking;

        LoopSubtask(int index, boolean small) throws Exception {
            super(
                    index,
                    start.loops(),
                    start.joins() + 2,
                    loopOperator(loopConfig(small), start.guard(), LoopOperator.Source.LIVE),
                    LoopEvent::loop,
                    Types.STRING);
        }

        @Override
        public void take(Inbox.Item item) throws Exception {
            LoopEvent event = (LoopEvent) item.value();
            inputs.add(
                    new Checkpoint.Taken(
                            sent(
                                    event.raw().topic(),
                                    event.raw().partition(),
                                    event.raw().offset()),
                            event));
            taking = true;
            process(event, item.timestampMs());
            taking = false;
        }

        @Override
        void processingTime(long ms) throws Exception {
            inputs.add(new Checkpoint.Clock(keyGroups(), ms));
            super.processingTime(ms);
        }

        @Override
        public void watermark(long ms) throws Exception {
            watermarkMs = ms;
            super.watermark(ms);
        }

        @Override
        void emitted(OutgoingRecord record, long timestampMs) {
            if (!taking && record.topic().equals(TOPICS.name(Topic.JOURNAL))) {
                requireReached(record);
            }
            output.results().add(record);
        }

        /** An entry for the passing of time: the watermark says that the time has passed. */
        private void requireReached(OutgoingRecord entry) {
            RawRecord raw = new RawRecord("", 0, 0, 0, entry.key(), entry.value());
            LoopEvent event = Objects.requireNonNull(JOURNAL.decode(raw).event());
            if (event.timeMs() - 1 > watermarkMs) {
                throw new AssertionError(
                        "entry %d of %s says that it is %d, but the watermark is %d"
                                .formatted(
                                        event.sequence(),
                                        event.loop(),
                                        event.timeMs(),
                                        watermarkMs));
            }
        }

        @Override
        void emittedAside(Object value) {
            throw new IllegalStateException("there is no side output");
        }

        @Override
        void emittedWatermark(long ms) {
            // Nobody needs it.
        }

        @Override
        public void barrier(long checkpoint) throws Exception {
            operator().prepareSnapshotPreBarrier(checkpoint);
            current().addLoops(index(), snapshot(checkpoint), inputs, output.take());
        }

        @Override
        public void end(boolean drain) throws Exception {
            finish(drain);
        }
    }
}
