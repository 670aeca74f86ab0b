package io.counterflow.experiments.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Progress;
import io.counterflow.cli.console.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs units on several threads with results in a real file. */
final class UnitPoolIT {

    @TempDir private Path directory;
    private ResultFile results;
    private UnitPool pool;

    @BeforeEach
    void open() throws IOException {
        results = ResultFile.open(directory.resolve("results.csv"));
        pool = new UnitPool(2, results, progress());
    }

    @AfterEach
    void close() throws IOException {
        pool.close();
        results.close();
    }

    private static Progress progress() {
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        return new Output(new Terminal(nowhere, nowhere, false, false, System::nanoTime))
                .progress("test", "units", 1);
    }

    private static UnitKey key(int trial, int number) {
        return new UnitKey("test", "data", "v1", trial, "m" + number, "", 0.0, 0, 1, 1);
    }

    private static WorkUnit unit(int trial, int number, Function<LongConsumer, Measured> work) {
        return WorkUnit.of(key(trial, number), 1, work);
    }

    private static Measured done() {
        return Measured.onHoldout(1.0);
    }

    @Test
    void anIdleThreadWorksOnTheNextTrial() throws Exception {
        CountDownLatch nextHasBegun = new CountDownLatch(1);
        pool.runTrials(
                2,
                trial ->
                        pool.run(
                                List.of(
                                        unit(
                                                trial,
                                                0,
                                                steps -> {
                                                    if (trial == 1) {
                                                        nextHasBegun.countDown();
                                                    } else {
                                                        await(nextHasBegun);
                                                    }
                                                    return done();
                                                }))));
        assertThat(pool.done()).isEqualTo(2);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).as("the next trial has begun").isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theFirstFailureEndsAllTrialsAndIsReported() {
        assertThatThrownBy(
                        () ->
                                pool.runTrials(
                                        2,
                                        trial -> {
                                            if (trial == 1) {
                                                pool.run(List.of(unit(1, 0, this::fails)));
                                            }
                                            // Runs until the other trial has failed.
                                            for (int i = 0; ; i++) {
                                                pool.run(List.of(unit(0, i, steps -> done())));
                                            }
                                        }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no such light");
        assertThatThrownBy(() -> pool.run(List.of(unit(2, 0, steps -> done()))))
                .as("nothing is done after a failure")
                .hasMessage("no such light");
        assertThat(results.find(key(2, 0))).isEmpty();
    }

    private Measured fails(LongConsumer steps) {
        throw new IllegalArgumentException("no such light");
    }

    @Test
    void existingResultsAreNotComputedAgain() {
        pool.run(List.of(unit(0, 0, steps -> done())));
        pool.run(List.of(unit(0, 0, this::fails), unit(0, 1, steps -> done())));
        assertThat(pool.done()).isEqualTo(2);
        assertThat(pool.found()).isEqualTo(1);
    }
}
