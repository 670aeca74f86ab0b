package io.counterflow.cli.console;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.JsonGeneratorDelegate;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** Writes results as one JSON object on one line. Numbers that are not finite become null. */
final class JsonOutput {

    private static final ObjectMapper MAPPER =
            JsonMapper.builder()
                    .addModule(
                            new SimpleModule()
                                    .addSerializer(Instant.class, ToStringSerializer.instance)
                                    .addSerializer(Duration.class, ToStringSerializer.instance)
                                    .addSerializer(Path.class, ToStringSerializer.instance))
                    .build();

    private JsonOutput() {}

    static String toJson(Object result) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = new FiniteNumbers(MAPPER.createGenerator(text))) {
            MAPPER.writeValue(generator, result);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String json = text.toString();
        if (!json.startsWith("{")) {
            throw new IllegalArgumentException(
                    "result must become a JSON object, got one of " + result.getClass());
        }
        return json;
    }

    /** Writes numbers that are not finite as {@code null}, in fields, arrays and trees. */
    private static final class FiniteNumbers extends JsonGeneratorDelegate {

        FiniteNumbers(JsonGenerator delegate) {
            super(delegate, false); // false: nested values are written by this class too
        }

        @Override
        public void writeNumber(double value) throws IOException {
            if (Double.isFinite(value)) {
                super.writeNumber(value);
            } else {
                writeNull();
            }
        }

        @Override
        public void writeNumber(float value) throws IOException {
            if (Float.isFinite(value)) {
                super.writeNumber(value);
            } else {
                writeNull();
            }
        }

        @Override
        public void writeArray(double[] values, int offset, int length) throws IOException {
            writeStartArray(values, length);
            for (int i = offset; i < offset + length; i++) {
                writeNumber(values[i]);
            }
            writeEndArray();
        }
    }
}
