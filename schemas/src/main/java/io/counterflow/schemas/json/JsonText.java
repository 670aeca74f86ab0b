package io.counterflow.schemas.json;

import com.fasterxml.jackson.core.io.NumberOutput;

/** Writes JSON values as text, for objects that are written for every decision. */
public final class JsonText {

    private static final boolean FAST = true;
    private static final String HEX = "0123456789ABCDEF";

    private JsonText() {}

    /** Appends a finite number in its shortest form. */
    public static void append(double value, StringBuilder json) {
        json.append(NumberOutput.toString(value, FAST));
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
