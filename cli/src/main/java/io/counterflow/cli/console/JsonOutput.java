package io.counterflow.cli.console;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.JsonGeneratorDelegate;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import io.counterflow.core.text.DurationText;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** The JSON form of results: one object, on one line, with finite numbers only. */
final class JsonOutput {

    private static final ObjectMapper MAPPER =
            JsonMapper.builder()
                    .addModule(
                            new SimpleModule()
                                    .addSerializer(Instant.class, ToStringSerializer.instance)
                                    .addSerializer(Duration.class, new DurationSerializer())
                                    .addSerializer(Path.class, ToStringSerializer.instance))
                    .build();

    /** As specs and configuration write them. */
    private static final class DurationSerializer extends StdScalarSerializer<Duration> {

        private static final long serialVersionUID = 1;

        DurationSerializer() {
            super(Duration.class);
        }

        @Override
        public void serialize(
                Duration duration, JsonGenerator generator, SerializerProvider provider)
                throws IOException {
            generator.writeString(DurationText.format(duration));
        }
    }

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

    /**
     * Writes {@code null} where JSON has no number.
     *
     * <p>Done where the bytes are made, so that fields, arrays and trees are all covered.
     */
    private static final class FiniteNumbers extends JsonGeneratorDelegate {

        FiniteNumbers(JsonGenerator delegate) {
            super(delegate, false); // false: nested values come back through this class
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
