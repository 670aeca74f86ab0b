package io.counterflow.flink.histories;

import io.counterflow.flink.ingest.IngestedEvent;
import io.counterflow.flink.sinks.CheckpointGuard;
import io.counterflow.flink.sinks.OutgoingRecord;
import io.counterflow.schemas.record.CheckpointMarkerRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.jspecify.annotations.Nullable;

/**
 * Runs the job over a history, one step at a time. A seed draws the next step: a source reads a
 * record or sends its watermark, a subtask takes the next element of a sender, a window is closed,
 * a checkpoint starts, its results are committed, the job is killed or stopped, and starts again
 * from a checkpoint at another parallelism.
 *
 * <p>What a run writes belongs to the transactions of its next checkpoint. They are committed when
 * the job hears that the checkpoint is complete, or when it restarts from it. What a killed run has
 * written since is aborted. If the job is down for too long, the transactions of a complete
 * checkpoint are aborted as well, and it restarts from the one before.
 */
final class Simulation {

    /** How long feedback waits for its impression. */
    static final Duration IMPRESSION_WAIT = Duration.ofMillis(500);

    private static final long PAUSE_MS = Job.SPEC_WAIT.toMillis() / 2;

    /**
     * What a history gave.
     *
     * @param last the last checkpoint, which has everything that was taken
     * @param written everything that was committed, in order
     */
    record Result(Checkpoint last, Checkpoint.Written written) {}

    private final History history;
    private final StateBackend backend;
    private final SplittableRandom random;
    private final @Nullable StringBuilder trace;
    private final Checkpoint.Written committed = new Checkpoint.Written();
    private final List<Checkpoint> completed = new ArrayList<>();
    private final Guard guard = new Guard(committed.results());
    private Job job;
    private long nowMs = 1_000;
    private long checkpoints;
    private int kills;
    private int stops;
    private int pauses;

    private Simulation(History history, StateBackend backend, @Nullable StringBuilder trace)
            throws Exception {
        this.history = history;
        this.backend = backend;
        this.random = new SplittableRandom(history.schedule());
        this.trace = trace;
        this.job = start(null);
    }

    /**
     * @param trace is told what happens; null if nobody wants to know
     */
    static Result run(History history, StateBackend backend, @Nullable StringBuilder trace)
            throws Exception {
        Simulation simulation = new Simulation(history, backend, trace);
        Result result = simulation.run();
        simulation.job.close();
        return result;
    }

    private void note(Supplier<String> text) {
        if (trace != null) {
            trace.append("  ").append(text.get()).append('\n');
        }
    }

    private Job start(@Nullable Checkpoint from) throws Exception {
        int joins = 1 + random.nextInt(history.settings().maxParallelism());
        int loops = 1 + random.nextInt(history.settings().maxParallelism());
        note(
                () ->
                        "START from %s, %d joins and %d loops"
                                .formatted(
                                        from == null ? "nothing" : "checkpoint " + from.number(),
                                        joins,
                                        loops));
        return new Job(history, new Job.Start(from, joins, loops, nowMs, backend, guard));
    }

    private Result run() throws Exception {
        while (!job.sources().stream().allMatch(Source::isAtEnd)) {
            step();
        }
        finish();
        return new Result(newest(), committed);
    }

    private boolean happens(int timesInThousand) {
        return random.nextInt(1_000) < timesInThousand;
    }

    private void step() throws Exception {
        History.Settings settings = history.settings();
        if (kills < settings.kills() && happens(10)) {
            kills++;
            kill();
        } else if (stops < settings.stops() && happens(5)) {
            stops++;
            stop(random.nextBoolean());
        } else if (pauses < settings.pauses() && happens(5)) {
            pauses++;
            pause(PAUSE_MS);
        } else if (job.pending() == null && happens(settings.checkpoints())) {
            startCheckpoint();
        } else if (hasUncommitted() && happens(250)) {
            commit();
        } else if (random.nextInt(settings.haste() + 3) < settings.haste()) {
            stepOfSource();
        } else {
            stepOfSubtask();
        }
    }

    // Records

    private void stepOfSource() throws Exception {
        int number = random.nextInt(job.sources().size());
        Source<? extends IngestedEvent> source = job.sources().get(number);
        if (source.dueBarrier() != 0 && random.nextInt(3) == 0) {
            note(() -> "source %d sends barrier %d".formatted(number, source.dueBarrier()));
            job.sendBarrier(number);
        } else if (random.nextInt(3) == 0) {
            job.mark(source);
        } else if (source.feedback() && random.nextInt(100) == 0) {
            note(() -> "source %d is idle".formatted(number));
            job.broadcast(source, new Inbox.Idle());
        } else if (!source.isAtEnd() && (number != history.settings().lagging() || lags())) {
            note(() -> "read " + source.next());
            job.read(number);
        }
    }

    /** Whether it is the turn of the partition that lags. */
    private boolean lags() {
        int lagging = history.settings().lagging();
        for (int i = 0; i < job.sources().size(); i++) {
            if (i != lagging && !job.sources().get(i).isAtEnd()) {
                return random.nextInt(20) == 0;
            }
        }
        return true;
    }

    private void stepOfSubtask() throws Exception {
        List<Subtask<?, ?, ?, ?>> subtasks = job.subtasks();
        int first = random.nextInt(subtasks.size());
        for (int i = 0; i < subtasks.size(); i++) { // the first one that has something to do
            if (stepOf(subtasks.get((first + i) % subtasks.size()))) {
                break;
            }
        }
        completeIfAll();
    }

    /** Returns whether there was something to do. */
    private boolean stepOf(Subtask<?, ?, ?, ?> subtask) throws Exception {
        if (subtask.runMail()) {
            if (subtask.isReady() && random.nextBoolean()) {
                subtask.deliver(random);
            }
            return true;
        }
        if (subtask.isReady()) {
            subtask.deliver(random);
            return true;
        }
        return false;
    }

    private void pause(long ms) throws Exception {
        nowMs += ms;
        note(() -> "processing time is %d ms".formatted(nowMs));
        for (Subtask<?, ?, ?, ?> subtask : job.subtasks()) {
            subtask.processingTime(nowMs);
        }
    }

    // Checkpoints

    private void startCheckpoint() {
        checkpoints++;
        note(() -> "start checkpoint %d".formatted(checkpoints));
        job.startCheckpoint(checkpoints);
    }

    private void completeIfAll() {
        Checkpoint pending = job.pending();
        if (pending != null && pending.isComplete()) {
            note(() -> "checkpoint %d is complete".formatted(pending.number()));
            completed.add(pending);
            job.forgetPending();
        }
    }

    private @Nullable Checkpoint newestOrNull() {
        return completed.isEmpty() ? null : completed.get(completed.size() - 1);
    }

    private Checkpoint newest() {
        return Objects.requireNonNull(newestOrNull());
    }

    private boolean hasUncommitted() {
        Checkpoint newest = newestOrNull();
        return newest != null && !newest.isCommitted();
    }

    private void commit() throws Exception {
        note(() -> "checkpoint %d is committed".formatted(newest().number()));
        commitAll();
        for (Subtask<?, ?, ?, ?> subtask : job.subtasks()) {
            subtask.completed(newest().number());
        }
    }

    private void commitAll() {
        for (Checkpoint checkpoint : completed) {
            if (!checkpoint.isCommitted()) {
                committed.add(checkpoint.written());
                checkpoint.commit();
            }
        }
    }

    // Failures

    private void kill() throws Exception {
        job.close();
        for (Checkpoint old : completed) {
            if (old.isCommitted() && newest().isCommitted() && old != newest()) {
                requireRefused(old);
                break;
            }
        }
        if (hasUncommitted() && random.nextInt(4) == 0) {
            note(() -> "KILL for so long that Kafka aborts what is not committed");
            completed.removeIf(it -> !it.isCommitted());
        } else {
            note(() -> "KILL");
            commitAll();
        }
        job = start(newestOrNull());
    }

    /** Starts the job from a checkpoint, although results of a later one are committed. */
    private void requireRefused(Checkpoint old) throws Exception {
        Job wrong = new Job(history, new Job.Start(old, 1, 1, nowMs, backend, guard));
        try {
            wrong.loops().get(0).operator().prepareSnapshotPreBarrier(checkpoints + 1);
        } catch (Refused e) {
            return;
        } finally {
            wrong.close();
        }
        throw new AssertionError(
                "the job goes on from checkpoint %d, although %d is committed"
                        .formatted(old.number(), newest().number()));
    }

    /** Thrown if state and results do not fit. */
    private static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message);
        }
    }

    /** Stops the job with a savepoint and starts it again. */
    private void stop(boolean drain) throws Exception {
        while (job.pending() != null) {
            settle();
        }
        note(() -> "STOP" + (drain ? " and drain" : ""));
        savepoint(drain);
        commit();
        job.close();
        job = start(newest());
    }

    private void savepoint(boolean drain) throws Exception {
        startCheckpoint();
        for (int i = 0; i < job.sources().size(); i++) {
            Source<? extends IngestedEvent> source = job.sources().get(i);
            if (drain) {
                job.broadcast(source, new Inbox.Mark(Long.MAX_VALUE));
            }
            job.broadcast(source, new Inbox.End(drain));
            job.sendBarrier(i);
        }
        settle();
    }

    /** Lets all subtasks take everything that was sent, in an order that is drawn. */
    private void settle() throws Exception {
        for (int i = 0; i < job.sources().size(); i++) {
            if (job.sources().get(i).dueBarrier() != 0) {
                job.sendBarrier(i);
            }
        }
        while (job.subtasks().stream().anyMatch(Subtask::isReady)) {
            stepOfSubtask();
        }
        for (Subtask<?, ?, ?, ?> subtask : job.subtasks()) {
            while (subtask.runMail()) {
                // until nothing is due
            }
        }
        if (job.subtasks().stream().anyMatch(Subtask::isReady)) {
            settle();
        }
        completeIfAll();
    }

    /** Everything is read: all windows end, and what still waits for a spec is refused. */
    private void finish() throws Exception {
        settle();
        note(() -> "END of time");
        for (Source<? extends IngestedEvent> source : job.sources()) {
            if (source.feedback()) {
                source.end();
            }
            job.mark(source);
        }
        settle();
        pause(2 * Job.SPEC_WAIT.toMillis());
        settle();
        startCheckpoint();
        settle();
        commit();
        if (backend instanceof HashMapStateBackend) {
            job.joins().forEach(Simulation::requireNothingLeft);
        }
    }

    /** All that the join keeps in the end is the watermark of each key group. */
    private static void requireNothingLeft(Job.JoinSubtask join) {
        int groups = join.keyGroups().getNumberOfKeyGroups();
        if (join.stateEntries() != groups) {
            throw new AssertionError(
                    "a join of %d key groups keeps %d entries of state in the end"
                            .formatted(groups, join.stateEntries()));
        }
    }

    /** Compares markers with what was committed, as {@code CommittedCheckpoints} does. */
    private static final class Guard implements CheckpointGuard {
        private static final long serialVersionUID = 1L;

        private final transient List<OutgoingRecord> written;
        private final transient WireCodec<CheckpointMarkerRecord> codec =
                WireCodec.of(CheckpointMarkerRecord.class);

        Guard(List<OutgoingRecord> written) {
            this.written = written;
        }

        private Map<Integer, Long> committed() {
            Map<Integer, Long> markers = new TreeMap<>();
            for (OutgoingRecord record : written) {
                if (record.topic().equals(Job.TOPICS.name(Topic.CHECKPOINTS))) {
                    try {
                        CheckpointMarkerRecord marker =
                                codec.decode(Objects.requireNonNull(record.value()));
                        markers.put(marker.getSubtask(), marker.getCheckpoint());
                    } catch (UndecodableRecordException e) {
                        throw new IllegalStateException(e);
                    }
                }
            }
            return markers;
        }

        @Override
        public void requireCommitted(Map<Integer, Long> restored) {
            Map<Integer, Long> found = committed();
            restored.forEach(
                    (subtask, number) -> {
                        if (!number.equals(found.get(subtask))) {
                            throw new Refused(
                                    "subtask %d restored marker %d, but %s are committed"
                                            .formatted(subtask, number, found));
                        }
                    });
        }

        @Override
        public void requireNothingCommitted() {
            if (!committed().isEmpty()) {
                throw new Refused("it starts without state, but has written results");
            }
        }
    }
}
