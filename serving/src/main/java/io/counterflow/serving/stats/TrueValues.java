package io.counterflow.serving.stats;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/**
 * Mean rewards that policies really have.
 *
 * @param best of the best possible policy
 * @param uniform of drawing actions at random
 * @param versions of published versions, as far as they are known
 */
public record TrueValues(double best, double uniform, Map<Long, Double> versions) {

    public TrueValues {
        versions = Map.copyOf(versions);
    }

    void write(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeNumberField("best", best);
        json.writeNumberField("uniform", uniform);
        json.writeObjectFieldStart("versions");
        for (Map.Entry<Long, Double> version : new TreeMap<>(versions).entrySet()) {
            json.writeNumberField(Long.toString(version.getKey()), version.getValue());
        }
        json.writeEndObject();
        json.writeEndObject();
    }
}
