package io.counterflow.serving.schemas;

import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.Topics;
import io.counterflow.schemas.wire.TopicSchemas;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.ProblemException;
import io.counterflow.serving.http.Reply;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** The Avro schemas of records, for consumers of the topics. They are public, like the API. */
public final class SchemaEndpoints {

    private SchemaEndpoints() {}

    public static List<Endpoint> endpoints(Topics topics) {
        Reply list = Reply.json(200, json -> write(topics, json));
        return List.of(
                Endpoint.open("/v1/schemas", call -> list),
                Endpoint.open("/v1/schemas/{fingerprint}", SchemaEndpoints::schema));
    }

    private static void write(Topics topics, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeArrayFieldStart("topics");
        for (Topic topic : Topic.values()) {
            json.writeStartObject();
            json.writeStringField("topic", topics.name(topic));
            json.writeArrayFieldStart("schemas");
            for (TopicSchemas.Published schema : TopicSchemas.of(topic)) {
                json.writeStartObject();
                json.writeStringField("record", schema.name());
                json.writeNumberField("version", schema.version());
                json.writeStringField("fingerprint", schema.fingerprint());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static Reply schema(Call call) {
        return TopicSchemas.find(call.path("fingerprint").toLowerCase(Locale.ROOT))
                .map(it -> Reply.text(Reply.JSON, it.schema().toString()))
                .orElseThrow(
                        () ->
                                new ProblemException(
                                        404,
                                        "unknown-schema",
                                        "no schema of a topic has this fingerprint; it must be"
                                                + " bytes 3 to 10 of a record, as 16 hexadecimal"
                                                + " digits"));
    }
}
