package io.counterflow.schemas.json;

import com.fasterxml.jackson.core.JsonToken;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Splits one JSON document (RFC 8259) into tokens. It reads untrusted bytes: they must be UTF-8,
 * and depth and lengths are limited. Strings and numbers are converted when they are asked for.
 *
 * <p>Messages contain positions and no text of the document.
 */
final class JsonScanner {

    private static final int MAX_NUMBER_LENGTH = 1_000;
    private static final char REPLACEMENT = '\uFFFD';

    /** So many digits always fit into a long. */
    private static final int MAX_EXACT_DIGITS = 18;

    /** Below this, a long is a double, and so are the powers of ten; one division rounds once. */
    private static final long MAX_EXACT_DOUBLE = 1L << 53;

    private static final double[] POWERS_OF_TEN = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22
    };

    /** The bits of a double that a float does not have; this value is half a unit of the float. */
    private static final long EXTRA_BITS = (1L << 29) - 1;

    private static final long HALF = 1L << 28;

    private final byte[] in;
    private final int start;
    private final int end;
    private final JsonLimits limits;
    private final boolean[] isObject; // by depth, from 1
    private int depth;
    private int at; // the next byte
    private @Nullable JsonToken token;

    private int valueStart; // of the token; for a string, after its quote
    private int valueEnd;
    private boolean escaped;
    private boolean plain; // ASCII without escapes
    private @Nullable String decoded; // the string, if it had to be decoded
    private boolean negative;
    private long digits; // of the number without its point, if there are at most 18
    private int digitCount;
    private int exponent; // of ten

    JsonScanner(byte[] in, int offset, int length, JsonLimits limits) {
        this.in = in;
        this.end = offset + length;
        this.start = hasByteOrderMark(in, offset, end) ? offset + 3 : offset;
        this.at = start;
        this.limits = limits;
        this.isObject = new boolean[limits.maxDepth() + 1];
    }

    private static boolean hasByteOrderMark(byte[] in, int offset, int end) {
        return end - offset >= 3
                && in[offset] == (byte) 0xEF
                && in[offset + 1] == (byte) 0xBB
                && in[offset + 2] == (byte) 0xBF;
    }

    /** The current token; null before the first and after the last one. */
    @Nullable JsonToken token() {
        return token;
    }

    /** Moves to the next token. */
    @Nullable JsonToken next() {
        decoded = null;
        JsonToken next = read();
        token = next;
        return next;
    }

    private @Nullable JsonToken read() {
        if (token == JsonToken.FIELD_NAME) {
            expect(':');
            return value(skipSpace());
        }
        if (depth == 0) {
            return token == null && at == start ? root() : afterRoot();
        }
        byte c = skipSpace();
        boolean first = token == JsonToken.START_OBJECT || token == JsonToken.START_ARRAY;
        if (c == (isObject[depth] ? '}' : ']')) {
            at++;
            return isObject[depth--] ? JsonToken.END_OBJECT : JsonToken.END_ARRAY;
        }
        if (!first) {
            expect(',');
            c = skipSpace();
        }
        if (!isObject[depth]) {
            return value(c);
        }
        if (c != '"') {
            throw malformed();
        }
        string();
        return JsonToken.FIELD_NAME;
    }

    /** The first token; null if there is only white space. */
    private @Nullable JsonToken root() {
        while (at < end && isSpace(in[at])) {
            at++;
        }
        return at == end ? null : value(in[at]);
    }

    private @Nullable JsonToken afterRoot() {
        while (at < end) {
            if (!isSpace(in[at])) {
                throw new MalformedJsonException("must be one JSON object, got more after its end");
            }
            at++;
        }
        return null;
    }

    private static boolean isSpace(byte c) {
        return c == ' ' || c == '\n' || c == '\r' || c == '\t';
    }

    /** The next byte that is not white space. It is not consumed. */
    private byte skipSpace() {
        while (at < end) {
            byte c = in[at];
            if (!isSpace(c)) {
                return c;
            }
            at++;
        }
        throw tooShort();
    }

    private void expect(char c) {
        if (skipSpace() != c) {
            throw malformed();
        }
        at++;
    }

    private JsonToken value(byte first) {
        switch (first) {
            case '"' -> {
                string();
                return JsonToken.VALUE_STRING;
            }
            case '{' -> {
                return open(true);
            }
            case '[' -> {
                return open(false);
            }
            case 't' -> {
                return word("true", JsonToken.VALUE_TRUE);
            }
            case 'f' -> {
                return word("false", JsonToken.VALUE_FALSE);
            }
            case 'n' -> {
                return word("null", JsonToken.VALUE_NULL);
            }
            default -> {
                return number();
            }
        }
    }

    private JsonToken open(boolean object) {
        if (depth == limits.maxDepth()) {
            throw new MalformedJsonException(
                    "is beyond a limit: objects and arrays must be nested at most %d deep"
                            .formatted(limits.maxDepth()));
        }
        valueStart = at++;
        isObject[++depth] = object;
        return object ? JsonToken.START_OBJECT : JsonToken.START_ARRAY;
    }

    private JsonToken word(String word, JsonToken as) {
        for (int i = 0; i < word.length(); i++, at++) {
            if (at == end) {
                throw tooShort();
            }
            if (in[at] != word.charAt(i)) {
                throw malformed();
            }
        }
        return as;
    }

    private void string() {
        valueStart = ++at;
        escaped = false;
        int or = 0;
        for (; at < end; at++) {
            byte c = in[at];
            if (c == '"') {
                valueEnd = at++;
                plain = or >= 0 && !escaped;
                if (!plain) {
                    decode();
                }
                requireLength();
                return;
            }
            if (c == '\\') {
                escaped = true;
                at++; // whatever follows does not end the string
            } else if (c >= 0 && c < ' ') {
                throw malformed();
            }
            or |= c;
        }
        throw tooShort();
    }

    /** Strings with escapes or other characters than ASCII must be checked, so they are decoded. */
    private void decode() {
        String text = new String(in, valueStart, valueEnd - valueStart, StandardCharsets.UTF_8);
        if (text.indexOf(REPLACEMENT) >= 0) { // which may have been sent as such
            try {
                var unused =
                        StandardCharsets.UTF_8
                                .newDecoder()
                                .onMalformedInput(CodingErrorAction.REPORT)
                                .decode(ByteBuffer.wrap(in, valueStart, valueEnd - valueStart));
            } catch (CharacterCodingException e) {
                throw new MalformedJsonException("must be UTF-8", e);
            }
        }
        decoded = escaped ? unescape(text) : text;
    }

    private void requireLength() {
        int max = limits.maxStringLength();
        if (valueEnd - valueStart > max && text().length() > max) {
            throw new MalformedJsonException(
                    "is beyond a limit: a string must have at most %d characters".formatted(max));
        }
    }

    /** The current string or name; unpaired surrogates are possible. */
    String text() {
        String known = decoded;
        if (known == null) {
            known = latin1(); // which has the characters of ASCII, and needs no check
            decoded = known;
        }
        return known;
    }

    /** Whether the current string is known to be ASCII. */
    boolean isPlain() {
        return plain;
    }

    private String latin1() {
        return new String(in, valueStart, valueEnd - valueStart, StandardCharsets.ISO_8859_1);
    }

    private String unescape(String raw) {
        StringBuilder text = new StringBuilder(raw.length());
        int copied = 0;
        for (int i = raw.indexOf('\\'); i >= 0; i = raw.indexOf('\\', copied)) {
            text.append(raw, copied, i);
            if (i + 1 == raw.length()) {
                throw malformed();
            }
            char escape = raw.charAt(i + 1);
            copied = i + 2;
            switch (escape) {
                case '"', '\\', '/' -> text.append(escape);
                case 'b' -> text.append('\b');
                case 'f' -> text.append('\f');
                case 'n' -> text.append('\n');
                case 'r' -> text.append('\r');
                case 't' -> text.append('\t');
                case 'u' -> {
                    text.append(unicode(raw, copied));
                    copied += 4;
                }
                default -> throw malformed();
            }
        }
        return text.append(raw, copied, raw.length()).toString();
    }

    private char unicode(String raw, int from) {
        int code = 0;
        for (int i = from; i < from + 4; i++) {
            int digit = i < raw.length() ? hexDigit(raw.charAt(i)) : -1;
            if (digit < 0) {
                throw malformed();
            }
            code = code << 4 | digit;
        }
        return (char) code;
    }

    private static int hexDigit(char c) {
        return c < 0x80 ? Character.digit(c, 16) : -1;
    }

    /** Counts zeros before the first other digit as digits, which is slower but as exact. */
    private JsonToken number() {
        int i = at;
        boolean minus = in[i] == '-';
        if (minus) {
            i++;
        }
        int first = i;
        long read = 0;
        for (; i < end && isDigit(in[i]); i++) {
            read = 10 * read + (in[i] - '0'); // may overflow, and is not used then
        }
        int whole = requireDigits(first, i);
        if (in[first] == '0' && whole > 1) {
            throw malformed();
        }
        int fraction = 0;
        boolean isInteger = true;
        if (i < end && in[i] == '.') {
            isInteger = false;
            int point = ++i;
            for (; i < end && isDigit(in[i]); i++) {
                read = 10 * read + (in[i] - '0');
            }
            fraction = requireDigits(point, i);
        }
        valueStart = at;
        at = i;
        exponent = -fraction;
        if (i < end && (in[i] | 0x20) == 'e') {
            isInteger = false;
            readExponent();
        }
        negative = minus;
        digits = read;
        digitCount = whole + fraction;
        valueEnd = at;
        if (valueEnd - valueStart > MAX_NUMBER_LENGTH) {
            throw new MalformedJsonException(
                    "is beyond a limit: a number must have at most %d characters"
                            .formatted(MAX_NUMBER_LENGTH));
        }
        return isInteger ? JsonToken.VALUE_NUMBER_INT : JsonToken.VALUE_NUMBER_FLOAT;
    }

    private static boolean isDigit(byte c) {
        return c >= '0' && c <= '9';
    }

    /** The number of digits between two positions, of which there must be one. */
    private int requireDigits(int from, int to) {
        if (to == from) {
            at = to;
            throw to == end ? tooShort() : malformed();
        }
        return to - from;
    }

    private void readExponent() {
        at++;
        boolean minus = at < end && in[at] == '-';
        if (minus || (at < end && in[at] == '+')) {
            at++;
        }
        int from = at;
        int value = 0;
        for (; at < end && isDigit(in[at]); at++) {
            value = Math.min(100_000, 10 * value + (in[at] - '0'));
        }
        requireDigits(from, at);
        exponent += minus ? -value : value;
    }

    private boolean hasExactDigits() {
        return digitCount <= MAX_EXACT_DIGITS;
    }

    /** The current number, rounded to the nearest double; infinite if it is too large. */
    double doubleNumber() {
        if (hasExactDigits()) {
            if (token == JsonToken.VALUE_NUMBER_INT) {
                return negative ? -digits : digits;
            }
            if (digits < MAX_EXACT_DOUBLE && Math.abs(exponent) < POWERS_OF_TEN.length) {
                double value =
                        exponent < 0
                                ? digits / POWERS_OF_TEN[-exponent]
                                : digits * POWERS_OF_TEN[exponent];
                return negative ? -value : value;
            }
        }
        return Double.parseDouble(numberText());
    }

    /** The current number, rounded to the nearest float; infinite if it is too large. */
    float floatNumber() {
        if (hasExactDigits() && token == JsonToken.VALUE_NUMBER_INT) {
            return negative ? -digits : digits;
        }
        double value = doubleNumber();
        double size = Math.abs(value);
        // Rounding twice differs from rounding once only if the double is half-way between two
        // floats. Very small floats have fewer bits.
        boolean roundsOnce =
                (Double.doubleToRawLongBits(value) & EXTRA_BITS) != HALF
                        && (size >= Float.MIN_NORMAL || size == 0.0);
        return roundsOnce ? (float) value : Float.parseFloat(numberText());
    }

    /** The current whole number, as text. */
    String numberText() {
        return latin1();
    }

    /** Moves to the end of the current object or array; other values end where they are. */
    void skip() {
        if (token == JsonToken.START_OBJECT || token == JsonToken.START_ARRAY) {
            int outer = depth - 1;
            while (depth > outer) {
                next();
            }
        }
    }

    /** The position of the first byte of the current object or array. */
    int valueStart() {
        return valueStart;
    }

    /** The position after the last byte that was read. */
    int position() {
        return at;
    }

    private MalformedJsonException malformed() {
        int line = Math.min(at, end) - 1;
        while (line >= start && in[line] != '\n') {
            line--;
        }
        return new MalformedJsonException(
                "must be JSON, is malformed at column " + (Math.min(at, end) - line));
    }

    private static MalformedJsonException tooShort() {
        return new MalformedJsonException("must be JSON, ends before the object does");
    }
}
