package io.counterflow.schemas.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.counterflow.core.text.DurationText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a JSON document token by token. Each method that reads a value takes the name of the field,
 * so that messages can name the field, the expected type and the actual type.
 */
public final class JsonDocument {

    private final byte[] in;
    private final JsonScanner scanner;

    private JsonDocument(byte[] in, int offset, int length, JsonLimits limits) {
        this.in = in;
        this.scanner = new JsonScanner(in, offset, length, limits);
    }

    /** A factory for Jackson's data binding, which writes numbers in their shortest form. */
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

    /** Reads a document that is one JSON object in UTF-8 and nothing else. */
    public static <T> T read(
            JsonLimits limits, byte[] bytes, int offset, int length, Reading<T> reading) {
        try {
            return new JsonDocument(bytes, offset, length, limits).whole(reading);
        } catch (IOException e) {
            throw invalid(e);
        }
    }

    /** Reads a document that is one JSON object and nothing else. */
    public static <T> T read(JsonLimits limits, String text, Reading<T> reading) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return read(limits, bytes, 0, bytes.length, reading);
    }

    private <T> T whole(Reading<T> reading) throws IOException {
        if (scanner.next() != JsonToken.START_OBJECT) {
            throw new InvalidJsonException("", "must be a JSON object, got " + kind());
        }
        T result = reading.read(this);
        JsonToken after = scanner.next();
        if (after != null) {
            throw new IllegalStateException("the document was not read to its end");
        }
        return result;
    }

    /** Replaces the messages of Jackson's data binding, which quote the input. */
    private static RuntimeException invalid(IOException e) {
        if (e instanceof StreamConstraintsException) {
            return new MalformedJsonException("is beyond a limit", e);
        }
        if (e instanceof JsonProcessingException malformed) {
            String message = malformed.getOriginalMessage();
            return new MalformedJsonException(
                    message != null && message.startsWith("Duplicate field")
                            ? "must have each field once, repeats one"
                            : "must be JSON, is malformed",
                    e);
        }
        return new UncheckedIOException("reading from memory failed", e);
    }

    /** The name of the next field of the current object; null at its end. */
    public @Nullable String nextField() {
        return scanner.next() == JsonToken.END_OBJECT ? null : scanner.text();
    }

    /** Moves to the value of the field whose name was read, or to the next element of an array. */
    public JsonToken nextToken() {
        JsonToken token = scanner.next();
        if (token == null) {
            throw new IllegalStateException("the document has been read to its end");
        }
        return token;
    }

    public JsonToken token() {
        JsonToken token = scanner.token();
        if (token == null) {
            throw new IllegalStateException("nothing has been read yet");
        }
        return token;
    }

    /** The current object, bound to a class by a mapper of {@link JsonBinding}. */
    public <T> T bind(JsonMapper mapper, Class<T> type) throws IOException {
        int start = scanner.valueStart();
        scanner.skip();
        try (JsonParser parser = mapper.createParser(in, start, scanner.position() - start)) {
            parser.enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);
            try {
                return mapper.readValue(parser, type);
            } catch (JsonMappingException e) { // it refers to the parser, so before that is closed
                throw JsonBinding.orRefuse(e);
            }
        }
    }

    /** Skips the current value. */
    public void skip() {
        scanner.skip();
    }

    /** Reads an element of an array. Fields in exceptions are those below the element. */
    @FunctionalInterface
    public interface Element<T> {
        T read() throws IOException;
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
            try {
                elements.add(element.read());
            } catch (InvalidJsonException e) {
                throw e.below(field + "[" + elements.size() + "]");
            }
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
    public String text(String field) {
        require(JsonToken.VALUE_STRING, field, "a string");
        String text = scanner.text();
        return scanner.isPlain() ? text : requireUnicode(field, text);
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
    public double number(String field) {
        double value = isNumber() ? scanner.doubleNumber() : Double.NaN;
        if (!Double.isFinite(value)) {
            throw new InvalidJsonException(field, "must be a finite number, got " + kind());
        }
        return value;
    }

    /** The current value as a finite float. */
    public float floatNumber(String field) {
        float value = isNumber() ? scanner.floatNumber() : Float.NaN;
        if (!Float.isFinite(value)) {
            throw new InvalidJsonException(
                    field, "must be a finite number within the range of a float, got " + kind());
        }
        return value;
    }

    /** The current value as a whole number of 64 bits. */
    public long integer(String field) {
        if (token() == JsonToken.VALUE_NUMBER_FLOAT) {
            throw new InvalidJsonException(
                    field, "must be a whole number, got one with a fraction or an exponent");
        }
        require(JsonToken.VALUE_NUMBER_INT, field, "a whole number");
        try {
            return Long.parseLong(scanner.numberText());
        } catch (NumberFormatException e) {
            throw new InvalidJsonException(
                    field, "must be a whole number of 64 bits, got one out of range");
        }
    }

    /** The current value as a whole number of 32 bits, at least 0. */
    public int index(String field) {
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
        JsonToken token = scanner.token();
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

    public static Duration duration(String text, String field) {
        try {
            return DurationText.parse(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidJsonException(field, String.valueOf(e.getMessage()));
        }
    }
}
