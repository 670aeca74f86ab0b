package io.counterflow.serving.schemas;

import static io.counterflow.serving.ServingFixture.json;
import static io.counterflow.serving.ServingFixture.problem;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.schemas.record.HeartbeatRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.WireCodec;
import io.counterflow.serving.ServingFixture;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

final class SchemaEndpointsIT {

    private static final ServingFixture SERVING = ServingFixture.start();

    @AfterAll
    static void close() {
        SERVING.close();
    }

    @Test
    void everySchemaOfTheListCanBeRead() {
        JsonNode topics = json(200, SERVING.get("/v1/schemas")).get("topics");
        assertThat(topics.findValuesAsText("topic"))
                .containsExactlyElementsOf(
                        Stream.of(Topic.values()).map(it -> "counterflow." + it.suffix()).toList());
        List<JsonNode> listed =
                topics.valueStream().flatMap(it -> it.get("schemas").valueStream()).toList();
        assertThat(listed).hasSizeGreaterThan(Topic.values().length);
        for (JsonNode schema : listed) {
            String path = "/v1/schemas/" + schema.get("fingerprint").asText();
            HttpResponse<String> response = SERVING.get(path);
            assertThat(response.headers().firstValue("content-type")).hasValue("application/json");
            assertThat(new Schema.Parser().parse(response.body()).getName())
                    .isEqualTo(schema.get("record").asText());
        }
    }

    @Test
    void theFingerprintIsThatOfARecordInItsOrderOfBytes() {
        byte[] record =
                WireCodec.of(HeartbeatRecord.class)
                        .encode(new HeartbeatRecord("serving", Instant.EPOCH));
        String fingerprint = HexFormat.of().formatHex(record, 2, 10);
        JsonNode schema = json(200, SERVING.get("/v1/schemas/" + fingerprint));
        assertThat(schema.get("name").asText()).isEqualTo("HeartbeatRecord");
        assertThat(json(200, SERVING.get("/v1/schemas/" + fingerprint.toUpperCase(Locale.ROOT))))
                .isEqualTo(schema);
    }

    @Test
    void anUnknownFingerprintIsNotFound() {
        for (String fingerprint : List.of("0123456789abcdef", "heartbeat", "%F0%9F%98%80")) {
            problem(
                    404,
                    "unknown-schema",
                    "16 hexadecimal digits",
                    SERVING.get("/v1/schemas/" + fingerprint));
        }
    }
}
