package io.counterflow.cli.demo;

import io.counterflow.cli.console.Figures;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/** Says what the demo is doing, and how long it took. */
final class DemoNotes {

    private final Consumer<String> told;

    DemoNotes(Consumer<String> told) {
        this.told = told;
    }

    void tell(String message) {
        told.accept(message);
    }

    <T> T timed(String what, Callable<T> start) throws Exception {
        long startNs = System.nanoTime();
        T started = start.call();
        tell(
                "%s started in %s"
                        .formatted(what, Figures.seconds((System.nanoTime() - startNs) / 1e9)));
        return started;
    }
}
