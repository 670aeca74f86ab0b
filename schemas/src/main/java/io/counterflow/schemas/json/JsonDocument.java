package io.counterflow.schemas.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.counterflow.core.text.DurationText;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a JSON document token by token. Each method that reads a value takes the name of the field,
 * so that messages can name the field, the expected type and the actual type.
 */
public final class JsonDocument implements Closeable {

    private final JsonParser parser;

    private JsonDocument(JsonParser parser) {
        this.parser = parser;
    }

    /** A factory with limits for parsers, which writes numbers in their shortest form. */
    public static JsonFactory factory(JsonLimits limits) {
        return JsonFactory.builder()
                .streamReadConstraints(
                        StreamReadConstraints.builder()
                                .maxNestingDepth(limits.maxDepth())
                                .maxStringLength(limits.maxStringLength())
                                .maxNameLength(limits.maxStringLength())
                                .build())
                // Names are untrusted: interning them would let clients fill the table of the JVM.
                .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
                .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
                .build();
    }

    /** Reads a value from a document. */
    @FunctionalInterface
    public interface Reading<T> {
        T read(JsonDocument document) throws IOException;
    }

    /** Reads a document that is one JSON object and nothing else, from memory. */
    public static <T> T read(
            JsonFactory factory, byte[] bytes, int offset, int length, Reading<T> reading) {
        try (JsonDocument document =
                new JsonDocument(factory.createParser(bytes, offset, length))) {
            return document.whole(reading);
        } catch (IOException e) {
            throw invalid(e);
        }
    }

    /** Reads a document that is one JSON object and nothing else. */
    public static <T> T read(JsonFactory factory, String text, Reading<T> reading) {
        try (JsonDocument document = new JsonDocument(factory.createParser(text))) {
            return document.whole(reading);
        } catch (IOException e) {
            throw invalid(e);
        }
    }

    private <T> T whole(Reading<T> reading) throws IOException {
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw new InvalidJsonException("", "must be a JSON object, got " + kind());
        }
        T result = reading.read(this);
        if (parser.nextToken() != null) {
            throw new InvalidJsonException("", "must be one JSON object, got more after its end");
        }
        return result;
    }

    /** Replaces the messages of Jackson, which quote the input. */
    private static RuntimeException invalid(IOException e) {
        if (e instanceof StreamConstraintsException limit) {
            return new InvalidJsonException("", "is beyond a limit: " + limit.getOriginalMessage());
        }
        if (e instanceof JsonProcessingException malformed && malformed.getLocation() != null) {
            if (malformed.getOriginalMessage().startsWith("Unexpected end-of-input")) {
                return new InvalidJsonException("", "must be JSON, ends before the object does");
            }
            if (malformed.getOriginalMessage().startsWith("Duplicate field")) {
                return new InvalidJsonException(
                        "",
                        "must have each field once, repeats one at column " + columnOf(malformed));
            }
            return new InvalidJsonException(
                    "", "must be JSON, is malformed at column " + columnOf(malformed));
        }
        return new UncheckedIOException("reading from memory failed", e);
    }

    private static int columnOf(JsonProcessingException e) {
        return e.getLocation().getColumnNr();
    }

    /** The name of the next field of the current object; null at its end. */
    public @Nullable String nextField() throws IOException {
        return parser.nextToken() == JsonToken.END_OBJECT ? null : parser.currentName();
    }

    /** Moves to the value of the field whose name was read, or to the next element of an array. */
    public JsonToken nextToken() throws IOException {
        JsonToken token = parser.nextToken();
        if (token == null) {
            throw new InvalidJsonException("", "must be JSON, ends too early");
        }
        return token;
    }

    public JsonToken token() {
        JsonToken token = parser.currentToken();
        if (token == null) {
            throw new IllegalStateException("nothing has been read yet");
        }
        return token;
    }

    /** The current value, bound to a class by a mapper of {@link JsonBinding}. */
    public <T> T bind(JsonMapper mapper, Class<T> type) throws IOException {
        parser.enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);
        try {
            return mapper.readValue(parser, type);
        } catch (JsonMappingException e) {
            throw JsonBinding.orRefuse(e);
        }
    }

    /** Skips the current value. */
    public void skip() throws IOException {
        parser.skipChildren();
    }

    /** Reads an element of an array, whose name is like {@code actions[2]}. */
    @FunctionalInterface
    public interface Element<T> {
        T read(String field) throws IOException;
    }

    /** The elements of the current array, of which there may be at most {@code max}. */
    public <T> List<T> list(String field, String words, int max, Element<T> element)
            throws IOException {
        require(JsonToken.START_ARRAY, field, words);
        List<T> elements = new ArrayList<>();
        while (nextToken() != JsonToken.END_ARRAY) {
            if (elements.size() == max) {
                throw new InvalidJsonException(
                        field, "must not have more than " + max + " entries");
            }
            elements.add(element.read(field + "[" + elements.size() + "]"));
        }
        return elements;
    }

    /** Refuses any other current token. */
    public void require(JsonToken expected, String field, String words) {
        if (token() != expected) {
            throw new InvalidJsonException(field, "must be " + words + ", got " + kind());
        }
    }

    /** The current value as text of valid Unicode. */
    public String text(String field) throws IOException {
        require(JsonToken.VALUE_STRING, field, "a string");
        return requireUnicode(field, parser.getText());
    }

    /** Refuses unpaired surrogates, which cannot be written in UTF-8. */
    public static String requireUnicode(String field, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                if (!Character.isHighSurrogate(c)
                        || i + 1 == text.length()
                        || !Character.isLowSurrogate(text.charAt(i + 1))) {
                    throw new InvalidJsonException(field, "must be valid Unicode");
                }
                i++;
            }
        }
        return text;
    }

    /** The current value as a boolean. */
    public boolean flag(String field) {
        if (!token().isBoolean()) {
            throw new InvalidJsonException(field, "must be true or false, got " + kind());
        }
        return token() == JsonToken.VALUE_TRUE;
    }

    /** The current value as a finite double. */
    public double number(String field) throws IOException {
        double value = isNumber() ? parser.getDoubleValue() : Double.NaN;
        if (!Double.isFinite(value)) {
            throw new InvalidJsonException(field, "must be a finite number, got " + kind());
        }
        return value;
    }

    /** The current value as a finite float. */
    public float floatNumber(String field) throws IOException {
        float value = isNumber() ? parser.getFloatValue() : Float.NaN;
        if (!Float.isFinite(value)) {
            throw new InvalidJsonException(
                    field, "must be a finite number within the range of a float, got " + kind());
        }
        return value;
    }

    /** The current value as a whole number of 64 bits. */
    public long integer(String field) throws IOException {
        if (token() == JsonToken.VALUE_NUMBER_FLOAT) {
            throw new InvalidJsonException(
                    field, "must be a whole number, got one with a fraction or an exponent");
        }
        require(JsonToken.VALUE_NUMBER_INT, field, "a whole number");
        try {
            return parser.getLongValue();
        } catch (InputCoercionException e) {
            throw new InvalidJsonException(
                    field, "must be a whole number of 64 bits, got one out of range");
        }
    }

    /** The current value as a whole number of 32 bits, at least 0. */
    public int index(String field) throws IOException {
        long value = integer(field);
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw new InvalidJsonException(
                    field, "must be in [0, %d], got %d".formatted(Integer.MAX_VALUE, value));
        }
        return (int) value;
    }

    private boolean isNumber() {
        return token().isNumeric();
    }

    private String kind() {
        JsonToken token = parser.currentToken();
        return token == null ? "nothing" : kindOf(token);
    }

    private static String kindOf(JsonToken token) {
        return switch (token) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case VALUE_STRING -> "a string";
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number out of range";
            case VALUE_TRUE, VALUE_FALSE -> "a boolean";
            case VALUE_NULL -> "null";
            default -> "an end";
        };
    }

    @Override
    public void close() throws IOException {
        parser.close();
    }

    public static Duration duration(String text, String field) {
        try {
            return DurationText.parse(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidJsonException(field, String.valueOf(e.getMessage()));
        }
    }
}
