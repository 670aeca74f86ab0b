package io.counterflow.cli.console;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.util.JsonGeneratorDelegate;
import com.fasterxml.jackson.databind.JsonSerializable;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** Writes results as one JSON object on one line. Numbers that are not finite become null. */
final class JsonOutput {

    private static final ObjectMapper MAPPER =
            JsonMapper.builder()
                    .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
                    .addModule(
                            new SimpleModule()
                                    .addSerializer(Instant.class, ToStringSerializer.instance)
                                    .addSerializer(Duration.class, ToStringSerializer.instance)
                                    .addSerializer(Path.class, ToStringSerializer.instance))
                    .build();

    private JsonOutput() {}

    /**
     * Writes a result piece by piece, because it may have millions of weights.
     *
     * @param result a record, a map, or a value that writes itself as an object
     */
    static void write(Object result, Writer out) {
        boolean object = result instanceof Record || result instanceof Map;
        if (!object && !(result instanceof JsonSerializable)) {
            throw new IllegalArgumentException(
                    "result must become a JSON object, got one of " + result.getClass());
        }
        try (JsonGenerator generator = new FiniteNumbers(MAPPER.createGenerator(out))) {
            MAPPER.writeValue(generator, result);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
