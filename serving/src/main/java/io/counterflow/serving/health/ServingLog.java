package io.counterflow.serving.health;

import io.counterflow.serving.http.Reply;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The log for operators: one JSON object per line, with time, level, event and fields. It never
 * contains user data: no features, no tokens, no bodies. Safe for use by several threads.
 */
public final class ServingLog {

    private final PrintStream out;
    private final Clock clock;

    public ServingLog(PrintStream out, Clock clock) {
        this.out = out;
        this.clock = clock;
    }

    public void info(String event, Map<String, String> fields) {
        write("info", event, fields);
    }

    /** An event that an operator should look at. */
    public void warn(String event, String message) {
        write("warn", event, Map.of("message", message));
    }

    /** A defect. */
    public void error(String event, Map<String, String> fields) {
        write("error", event, fields);
    }

    private void write(String level, String event, Map<String, String> fields) {
        Map<String, String> line = new LinkedHashMap<>();
        line.put("time", clock.instant().toString());
        line.put("level", level);
        line.put("event", event);
        line.putAll(new TreeMap<>(fields));
        out.println(Reply.json(json -> json.writePOJO(line)).toString(StandardCharsets.UTF_8));
    }
}
