package io.counterflow.experiments.run;

import io.counterflow.cli.console.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Runs units of work on a fixed number of threads. Units whose results exist are skipped. */
public final class UnitPool implements AutoCloseable {

    private final ExecutorService threads;
    private final ResultFile results;
    private final Progress progress;
    private final AtomicInteger done = new AtomicInteger();
    private final AtomicInteger found = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /**
     * @param progress called with numbers of examples, by one thread at a time
     */
    public UnitPool(int threads, ResultFile results, Progress progress) {
        this.threads = Executors.newFixedThreadPool(threads, work -> daemon(work, "experiment"));
        this.results = results;
        this.progress = progress;
    }

    /** Number of units that this pool has run. */
    public int done() {
        return done.get();
    }

    /** Number of units whose results existed. */
    public int found() {
        return found.get();
    }

    /**
     * Runs trials in order, two at a time. Threads that have no more work for one trial work on the
     * next.
     *
     * @param trial runs one trial by calling {@link #run}
     */
    public void runTrials(int trials, IntConsumer trial) {
        ExecutorService waiting = Executors.newFixedThreadPool(2, work -> daemon(work, "trial"));
        try {
            List<Future<?>> begun = new ArrayList<>();
            for (int i = 0; i < trials; i++) {
                int number = i;
                begun.add(waiting.submit(() -> trial.accept(number)));
            }
            for (Future<?> one : begun) {
                one.get();
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (ExecutionException e) {
            throw asUnchecked(e.getCause());
        } finally {
            waiting.shutdownNow();
        }
    }

    /** Runs all units, longest first. Returns when their results are in the file. */
    public void run(List<WorkUnit> units) {
        List<WorkUnit> missing = units.stream().filter(unit -> !results.has(unit)).toList();
        found.addAndGet(units.size() - missing.size());
        List<Callable<Void>> work =
                missing.stream()
                        .sorted(Comparator.comparingLong(WorkUnit::examples).reversed())
                        .map(unit -> (Callable<Void>) () -> work(unit))
                        .toList();
        try {
            threads.invokeAll(work);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        Throwable cause = failure.get();
        if (cause != null) {
            throw asUnchecked(cause);
        }
    }

    /** Runs a unit. After a failure in any trial, the remaining units are skipped. */
    private @Nullable Void work(WorkUnit unit) {
        if (failure.get() == null) {
            try {
                List<Measured> measured = unit.work().apply(this::advance);
                results.append(unit.keys(), measured);
                done.incrementAndGet();
            } catch (IOException | RuntimeException | Error e) {
                failure.compareAndSet(null, e);
            }
        }
        return null;
    }

    private IllegalStateException interrupted(InterruptedException e) {
        IllegalStateException stopped =
                new IllegalStateException("interrupted; what is done is kept", e);
        failure.compareAndSet(null, stopped);
        Thread.currentThread().interrupt();
        return stopped;
    }

    private static RuntimeException asUnchecked(@Nullable Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        if (cause instanceof IOException io) {
            return new UncheckedIOException(io);
        }
        return cause instanceof RuntimeException unchecked
                ? unchecked
                : new IllegalStateException("a unit of work failed", cause);
    }

    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true); // so that a stopped run does not wait for it
        return thread;
    }

    private void advance(long examples) {
        synchronized (progress) {
            progress.advance(examples);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
