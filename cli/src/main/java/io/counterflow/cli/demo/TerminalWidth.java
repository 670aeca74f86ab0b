package io.counterflow.cli.demo;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/** How many columns the terminal has, asked again now and then: people resize windows. */
public final class TerminalWidth implements IntSupplier {

    private static final int USUAL = 80;
    private static final long FRESH_NS = Duration.ofSeconds(2).toNanos();
    private static final File TERMINAL = new File("/dev/tty");

    private int columns = USUAL;
    private long askedNs = System.nanoTime() - 2 * FRESH_NS;

    @Override
    public int getAsInt() {
        if (System.nanoTime() - askedNs > FRESH_NS && TERMINAL.canRead()) {
            askedNs = System.nanoTime();
            columns = ask();
        }
        return columns;
    }

    private int ask() {
        try {
            Process stty =
                    new ProcessBuilder("stty", "size")
                            .redirectInput(TERMINAL)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            String answer =
                    new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            stty.waitFor(1, TimeUnit.SECONDS);
            return parse(answer);
        } catch (IOException e) {
            return columns; // no such program here
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return columns;
        }
    }

    /** Reads "rows columns". */
    static int parse(String answer) {
        String[] parts = answer.strip().split(" ", -1);
        boolean known = parts.length == 2 && parts[1].matches("[1-9]\\d{0,4}");
        return known ? Integer.parseInt(parts[1]) : USUAL;
    }
}
