package io.counterflow.cli.demo;

import io.counterflow.cli.console.Terminal;
import java.time.Duration;
import java.util.List;
import java.util.function.IntSupplier;

/** Shows the demo's status: drawn over in place on a terminal, a line now and then elsewhere. */
public final class DemoScreen {

    private static final long REDRAW_NS = Duration.ofMillis(500).toNanos();
    private static final long LINE_NS = Duration.ofSeconds(5).toNanos();
    private static final String ERASE = "\r\u001b[K";

    private final Terminal terminal;
    private final DemoView view;
    private final IntSupplier width;
    private long nextNs;
    private int drawn;

    /**
     * @param colour whether colours are wanted
     * @param width columns of the terminal
     */
    public DemoScreen(Terminal terminal, boolean colour, IntSupplier width) {
        this.terminal = terminal;
        this.view = new DemoView(colour);
        this.width = width;
        this.nextNs = terminal.nanoTime().getAsLong();
    }

    /** Shows a status, where it is time for one. */
    public void show(DemoStatus status) {
        long nowNs = terminal.nanoTime().getAsLong();
        if (nowNs - nextNs < 0) {
            return;
        }
        nextNs = nowNs + (terminal.liveProgress() ? REDRAW_NS : LINE_NS);
        if (terminal.liveProgress()) {
            draw(view.lines(status, width.getAsInt()));
        } else {
            terminal.err().println(view.line(status));
        }
        terminal.err().flush();
    }

    private void draw(List<String> lines) {
        StringBuilder text = new StringBuilder();
        if (drawn > 0) {
            text.append("\u001b[").append(drawn).append('A'); // up to the first of them
        }
        for (String line : lines) {
            text.append(ERASE).append(line).append('\n');
        }
        terminal.err().print(text);
        drawn = lines.size();
    }
}
