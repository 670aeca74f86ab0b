package io.counterflow.schemas.json;

import java.util.Random;

/** Random JSON documents, with all kinds of white space, escapes and numbers. */
final class DrawnJson {

    private static final String[] SPACES = {"", "", "", " ", "\n", "\t", "\r\n", "  "};
    private static final String[] PIECES = {
        "a",
        "feature",
        "0",
        " ",
        "\u00e9",
        "\u4e2d",
        "\uD83D\uDE00",
        "\\n",
        "\\\\",
        "\\\"",
        "\\/",
        "\\u0041",
        "\\u00e9",
        "\\uD83D\\uDE00",
        "\\b\\f\\r\\t",
        "\uFFFD",
        "{",
        "]",
        ":"
    };

    private final Random random;

    DrawnJson(Random random) {
        this.random = random;
    }

    String object() {
        return space() + object(0) + space();
    }

    private String object(int depth) {
        StringBuilder json = new StringBuilder("{").append(space());
        int fields = random.nextInt(4);
        for (int i = 0; i < fields; i++) {
            json.append(i == 0 ? "" : "," + space()).append(string()).append(space());
            json.append(':').append(space()).append(value(depth + 1)).append(space());
        }
        return json.append('}').toString();
    }

    private String value(int depth) {
        return switch (random.nextInt(depth > 5 ? 5 : 7)) {
            case 0 -> "true";
            case 1 -> "false";
            case 2 -> "null";
            case 3 -> string();
            case 4 -> number(random);
            case 5 -> object(depth);
            default -> {
                StringBuilder json = new StringBuilder("[").append(space());
                int elements = random.nextInt(4);
                for (int i = 0; i < elements; i++) {
                    json.append(i == 0 ? "" : "," + space()).append(value(depth + 1));
                    json.append(space());
                }
                yield json.append(']').toString();
            }
        };
    }

    private String string() {
        StringBuilder json = new StringBuilder("\"");
        int pieces = random.nextInt(5);
        for (int i = 0; i < pieces; i++) {
            json.append(PIECES[random.nextInt(PIECES.length)]);
        }
        return json.append('"').toString();
    }

    private String space() {
        return SPACES[random.nextInt(SPACES.length)];
    }

    /** A number of one of many forms: short and long, large and small, with and without a point. */
    static String number(Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> Integer.toString(random.nextInt(2_000) - 1_000);
            case 1 -> Long.toString(random.nextLong());
            case 2 -> "%.4f".formatted(random.nextDouble());
            case 3 -> Double.toString(random.nextGaussian());
            case 4 -> Float.toString((float) random.nextGaussian());
            case 5 -> Double.toString(Double.longBitsToDouble(random.nextLong() >>> 2));
            case 6 ->
                    "%s%d.%018de%d"
                            .formatted(
                                    random.nextBoolean() ? "-" : "",
                                    random.nextInt(10),
                                    random.nextLong() >>> 5,
                                    random.nextInt(60) - 30);
            default -> // close to half-way between two floats
                    new java.math.BigDecimal(
                                    (double) Float.intBitsToFloat(random.nextInt(0x7f000000))
                                            * (1.0 + 0x1p-24))
                            .round(new java.math.MathContext(8 + random.nextInt(20)))
                            .toString()
                            .replace("E+", "E");
        };
    }
}
