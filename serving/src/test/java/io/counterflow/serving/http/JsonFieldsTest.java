package io.counterflow.serving.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class JsonFieldsTest {

    private final List<String> seen = new ArrayList<>();

    private void read(String body) {
        read(Buffer.buffer(body));
    }

    private void read(Buffer body) {
        JsonFields.read(
                body,
                (name, json) -> {
                    switch (name) {
                        case "ids" -> seen.addAll(JsonFields.texts(name, json));
                        case "text" -> seen.add(json.text(name));
                        default -> throw JsonFields.unknown(name);
                    }
                });
    }

    @Test
    void fieldsComeInAnyOrderAndNullMeansAbsent() {
        read("{\"ids\":[\"a\",\"b\"],\"text\":\"c\"}");
        read("{\"text\":null,\"ids\":[]}");
        assertThat(seen).containsExactly("a", "b", "c");
    }

    @Test
    void anUnknownFieldIsRefusedByItsShortenedName() {
        assertThatThrownBy(() -> read("{\"%s\":1}".formatted("x".repeat(1_000))))
                .hasMessageContaining("x".repeat(40))
                .hasMessageNotContaining("x".repeat(41));
    }

    @Test
    void aFieldMustBeGivenOnce() {
        assertThatThrownBy(() -> read("{\"text\":\"a\",\"text\":\"b\"}"))
                .hasMessageContaining("text must be given once");
    }

    @Test
    void elementsAreNamedByTheirPosition() {
        assertThatThrownBy(() -> read("{\"ids\":[\"a\",7]}")).hasMessageContaining("ids[1]");
        assertThatThrownBy(() -> read("{\"ids\":\"a\"}"))
                .hasMessageContaining("ids must be an array of strings");
    }

    @Test
    void aListHasALimit() {
        String ids = "\"a\",".repeat(JsonFields.LIMITS.maxActions()) + "\"a\"";
        assertThatThrownBy(() -> read("{\"ids\":[" + ids + "]}"))
                .hasMessageContaining("ids must not have more than 10000 entries");
    }

    @Test
    void aReplacementCharacterMayBeSent() {
        read("{\"text\":\"\uFFFD\"}");
        assertThat(seen).containsExactly("\uFFFD");
        byte[] notUtf8 = "{\"text\":\"?\"}".getBytes(StandardCharsets.UTF_8);
        notUtf8[9] = (byte) 0xFF;
        assertThatThrownBy(() -> read(Buffer.buffer(notUtf8))).hasMessage("must be UTF-8");
    }
}
