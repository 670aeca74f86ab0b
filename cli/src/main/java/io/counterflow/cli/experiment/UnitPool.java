package io.counterflow.cli.experiment;

import io.counterflow.cli.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Does units of work on a fixed number of threads, but for those whose results are there already.
 */
final class UnitPool implements AutoCloseable {

    private final ExecutorService threads;
    private final ResultFile results;
    private final Progress progress;
    private final AtomicInteger done = new AtomicInteger();
    private final AtomicInteger found = new AtomicInteger();

    /**
     * @param progress told of examples; called by one thread at a time
     */
    UnitPool(int threads, ResultFile results, Progress progress) {
        this.threads =
                Executors.newFixedThreadPool(
                        threads,
                        work -> {
                            Thread thread = new Thread(work, "experiment");
                            thread.setDaemon(true); // a run that is stopped does not wait for them
                            return thread;
                        });
        this.results = results;
        this.progress = progress;
    }

    /** How many units this pool has worked on. */
    int done() {
        return done.get();
    }

    /** How many were there already. */
    int found() {
        return found.get();
    }

    /** Does all units; their results are in the file then. */
    void run(List<WorkUnit> units) {
        AtomicBoolean failed = new AtomicBoolean();
        List<Callable<Boolean>> missing = new ArrayList<>();
        for (WorkUnit unit : units) {
            if (results.has(unit)) {
                found.incrementAndGet();
            } else {
                missing.add(() -> work(unit, failed));
            }
        }
        try {
            for (Future<Boolean> unit : threads.invokeAll(missing)) {
                unit.get();
            }
        } catch (InterruptedException e) {
            failed.set(true);
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted; what is done is kept", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException("a unit of work failed", e.getCause());
        }
    }

    /** True where it was done; a unit after one that has failed is left undone. */
    private boolean work(WorkUnit unit, AtomicBoolean failed) {
        if (failed.get()) {
            return false;
        }
        try {
            List<Measured> measured = unit.work().measure(this::advance);
            results.append(unit.keys(), measured);
            done.incrementAndGet();
            return true;
        } catch (IOException e) {
            failed.set(true);
            throw new UncheckedIOException(e);
        } catch (RuntimeException | Error e) {
            failed.set(true);
            throw e;
        }
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
