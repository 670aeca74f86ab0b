package io.counterflow.serving.loops;

import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.spec.LoopSpecJson;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Page;
import io.counterflow.serving.http.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Calls that show loops: the spec in force, and the versions that decide. */
public final class LoopEndpoints {

    private static final LoopSpecJson SPECS = new LoopSpecJson(JsonLimits.defaults());

    private final PolicyStore policies;

    public LoopEndpoints(PolicyStore policies) {
        this.policies = policies;
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.get("/v1/loops", this::list), Endpoint.get("/v1/loops/{loop}", this::get));
    }

    private Reply list(Call call) {
        Page page = Page.of(call.query(), Page.MAX_LIMIT);
        List<ServedLoop> shown = new ArrayList<>();
        int matches = 0;
        for (ServedLoop loop : policies.loops().values()) {
            String name = loop.spec().loop();
            if (call.caller().mayUse(name) && page.finds(name)) {
                if (page.contains(matches)) {
                    shown.add(loop);
                }
                matches++;
            }
        }
        int found = matches;
        return Reply.json(200, json -> write(found, page, shown, json));
    }

    private static void write(int matches, Page page, List<ServedLoop> shown, JsonGenerator json)
            throws IOException {
        json.writeStartObject();
        json.writeNumberField("matches", matches);
        json.writeNumberField("offset", page.offset());
        json.writeArrayFieldStart("loops");
        for (ServedLoop loop : shown) {
            json.writeStartObject();
            writeState(loop, json);
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private Reply get(Call call) {
        ServedLoop loop = call.loop(policies);
        return Reply.json(
                        200,
                        json -> {
                            json.writeStartObject();
                            writeState(loop, json);
                            json.writeFieldName("spec");
                            SPECS.write(loop.spec(), json);
                            if (loop.newestSpec().version() > loop.spec().version()) {
                                json.writeFieldName("waitingSpec");
                                SPECS.write(loop.newestSpec(), json);
                            }
                            json.writeEndObject();
                        })
                .with("etag", SpecTag.of(loop.newestSpec()));
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
