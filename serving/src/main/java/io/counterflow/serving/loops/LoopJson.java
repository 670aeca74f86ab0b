package io.counterflow.serving.loops;

import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.spec.LoopSpecJson;
import java.io.IOException;

/** A loop as answers show it: its spec in force, and who decides. */
final class LoopJson {

    private static final LoopSpecJson SPECS = new LoopSpecJson(JsonLimits.defaults());

    private LoopJson() {}

    static void writeSummary(ServedLoop loop, JsonGenerator json) throws IOException {
        json.writeStartObject();
        writeState(loop, json);
        json.writeEndObject();
    }

    static void write(ServedLoop loop, JsonGenerator json) throws IOException {
        json.writeStartObject();
        writeState(loop, json);
        json.writeFieldName("spec");
        SPECS.write(loop.spec(), json);
        if (loop.newestSpec().version() > loop.spec().version()) {
            json.writeFieldName("waitingSpec");
            SPECS.write(loop.newestSpec(), json);
        }
        json.writeEndObject();
    }

    private static void writeState(ServedLoop loop, JsonGenerator json) throws IOException {
        json.writeStringField("loop", loop.spec().loop());
        json.writeNumberField("specVersion", loop.spec().version());
        json.writeNumberField("policyVersion", loop.active().version());
        if (loop.canary().isPresent()) {
            json.writeNumberField("canaryVersion", loop.canary().get().version());
            json.writeNumberField("canaryShare", loop.canaryShare());
        }
        if (loop.degradedReason().isPresent()) {
            json.writeStringField("degradedReason", loop.degradedReason().get());
        }
    }
}
