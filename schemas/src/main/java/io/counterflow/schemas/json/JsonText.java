package io.counterflow.schemas.json;

import com.fasterxml.jackson.core.io.NumberOutput;

/** Writes JSON values as text, for objects that are written for every decision. */
public final class JsonText {

    private static final boolean FAST = true;
    private static final double MIN_PLAIN = 1e-3;
    private static final double MAX_PLAIN = 1e7;
    private static final double MILLION = 1e6;
    private static final String HEX = "0123456789ABCDEF";

    private JsonText() {}

    /** Appends a finite number in its shortest form. */
    public static void append(double value, StringBuilder json) {
        double size = Math.abs(value);
        // Others are written with an exponent.
        if (size < MIN_PLAIN || size >= MAX_PLAIN || !appendMillionths(value, size, json)) {
            json.append(NumberOutput.toString(value, FAST));
        }
    }

    /**
     * Appends a number that was written with at most six decimals, as most features are. With so
     * few digits, no other decimal is the same double, so this one is the shortest.
     *
     * @return whether it is such a number
     */
    private static boolean appendMillionths(double value, double size, StringBuilder json) {
        long millionths = (long) (size * MILLION + 0.5);
        if (millionths / MILLION != size) {
            return false;
        }
        if (value < 0) {
            json.append('-');
        }
        json.append(millionths / (long) MILLION).append('.');
        int rest = (int) (millionths % (long) MILLION);
        int unit = (int) MILLION;
        do {
            unit /= 10;
            json.append((char) ('0' + rest / unit));
            rest %= unit;
        } while (rest > 0);
        return true;
    }

    /** Appends a string in quotes. Text that is not valid Unicode is refused. */
    public static void append(String text, StringBuilder json) {
        json.append('"');
        int copied = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c == '"' || c == '\\') {
                json.append(text, copied, i);
                escape(c, json);
                copied = i + 1;
            } else if (Character.isSurrogate(c)) {
                JsonDocument.requireUnicode("text", text);
            }
        }
        json.append(text, copied, text.length()).append('"');
    }

    private static void escape(char c, StringBuilder json) {
        json.append('\\');
        switch (c) {
            case '"', '\\' -> json.append(c);
            case '\b' -> json.append('b');
            case '\f' -> json.append('f');
            case '\n' -> json.append('n');
            case '\r' -> json.append('r');
            case '\t' -> json.append('t');
            default -> json.append("u00").append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
        }
    }
}
