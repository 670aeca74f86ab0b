package io.counterflow.serving.health;

import io.counterflow.serving.http.Reply;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Map;
import java.util.TreeMap;

/**
 * What operators read: one JSON object per line, with time, level, event and its fields. Nothing of
 * users is in it: no features, no tokens, no bodies. Safe for use by several threads.
 */
public final class ServingLog {

    private final PrintStream out;
    private final Clock clock;

    public ServingLog(PrintStream out, Clock clock) {
        this.out = out;
        this.clock = clock;
    }

    /** Something that is as it should be. */
    public void info(String event, Map<String, String> fields) {
        write("info", event, fields);
    }

    /** Something that somebody should look at. */
    public void warn(String event, String message) {
        write("warn", event, Map.of("message", message));
    }

    /** Something that should not have happened. */
    public void error(String event, Map<String, String> fields) {
        write("error", event, fields);
    }

    private void write(String level, String event, Map<String, String> fields) {
        String line =
                Reply.json(
                                json -> {
                                    json.writeStartObject();
                                    json.writeStringField("time", clock.instant().toString());
                                    json.writeStringField("level", level);
                                    json.writeStringField("event", event);
                                    for (Map.Entry<String, String> field :
                                            new TreeMap<>(fields).entrySet()) {
                                        json.writeStringField(field.getKey(), field.getValue());
                                    }
                                    json.writeEndObject();
                                })
                        .toString(StandardCharsets.UTF_8);
        out.println(line);
    }
}
