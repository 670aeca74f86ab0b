package io.counterflow.e2e.serving;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Draws bodies of requests: valid ones, extreme ones, and both with damage. */
final class HostileBodies {

    private static final List<String> VALUES =
            List.of(
                    "1e400",
                    "-1e400",
                    "1e-400",
                    "NaN",
                    "-Infinity",
                    "-0",
                    "-0.0",
                    "1E2147483648",
                    "1e-2147483649",
                    "0x10",
                    "01",
                    ".5",
                    "5.",
                    "1e",
                    "--1",
                    "+1",
                    "3.5e38",
                    "4.9e-324",
                    "1.7976931348623157e308",
                    "2147483648",
                    "-2147483649",
                    "9223372036854775808",
                    "18446744073709551616",
                    "9".repeat(900),
                    "0." + "0".repeat(900) + "1",
                    "true",
                    "null",
                    "\"1\"",
                    "[]",
                    "{}",
                    "[[]]",
                    "\"\"",
                    "1",
                    "0",
                    "-1",
                    "0.5");
    private static final List<String> TEXTS =
            List.of(
                    "",
                    " ",
                    "a",
                    "\\ud800",
                    "\\udc00x",
                    "\\ud83d\\ude00",
                    "\\u0000",
                    "\\u202e",
                    "\\uffff",
                    "\\x",
                    "\\u12",
                    "é",
                    "\u2028",
                    "../../etc/passwd",
                    "<script>",
                    "${jndi:ldap://x}",
                    "a@1",
                    "a\\r\\nb: c",
                    "%00",
                    "__proto__",
                    "e".repeat(513),
                    "x".repeat(5_000),
                    "\\ud800\\ud800",
                    "'",
                    "\\\"",
                    "\ufeff");
    private static final List<String> DAMAGE =
            List.of(
                    "\u00ff",
                    "\u00c0\u00af",
                    "\u00ed\u00a0\u0080",
                    "\u0000",
                    "\"",
                    "{",
                    "]",
                    ",",
                    "/*");

    private final Random random;

    HostileBodies(Random random) {
        this.random = random;
    }

    private <T> T any(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private String value() {
        return chance(70) ? any(VALUES) : text();
    }

    private String text() {
        return '"' + any(TEXTS) + '"';
    }

    private static String list(int size, Supplier<String> item) {
        return IntStream.range(0, size)
                .mapToObj(i -> item.get())
                .collect(Collectors.joining(",", "[", "]"));
    }

    private static String nested(String open, int depth, String close) {
        return open.repeat(depth) + "1" + close.repeat(depth);
    }

    /** Usually small, sometimes large, so that the sum of all bodies stays bounded. */
    private int size(int small, int large) {
        return 1 + random.nextInt(random.nextInt(200) == 0 ? large : small);
    }

    private String features(int depth) {
        return switch (random.nextInt(9)) {
            case 0 -> list(size(20, 8_000), () -> "1");
            case 1 -> list(size(5, 50), this::value);
            case 2 -> nested("{\"a\":", size(30, 5_000), "}");
            case 3 -> nested("[", size(30, 20_000), "]");
            case 4 -> value();
            case 5 -> "{\"a\":1,\"a\":2}";
            default ->
                    IntStream.range(0, size(4, 300))
                            .mapToObj(
                                    i ->
                                            (chance(80) ? "\"f" + i + '"' : text())
                                                    + ":"
                                                    + (depth > 0 ? features(depth - 1) : value()))
                            .collect(Collectors.joining(",", "{", "}"));
        };
    }

    private String action(int i) {
        return switch (random.nextInt(20)) {
            case 0 -> "{}";
            case 1 -> value();
            case 2 -> "{\"id\":" + value() + "}";
            case 3 -> "{\"id\":\"a" + i + "\",\"features\":" + features(1) + "}";
            default -> "{\"id\":\"a" + i + "\"}";
        };
    }

    private String actions() {
        int[] i = {0};
        return list(size(6, 2_200), () -> action(i[0]++));
    }

    private String field(String name, String value) {
        return ",\"" + name + "\":" + value;
    }

    private String optional() {
        StringBuilder fields = new StringBuilder();
        if (chance(30)) {
            fields.append(
                    field("eventId", chance(50) ? text() : "\"h-" + random.nextInt(99) + '"'));
        }
        if (chance(10)) {
            fields.append(
                    field(
                            "excludedActions",
                            chance(50) ? list(size(3, 100), this::text) : value()));
        }
        if (chance(10)) {
            fields.append(field("deferActivation", value()));
        }
        if (chance(5)) {
            fields.append(field(any(TEXTS), value()));
        }
        return fields.toString();
    }

    /** Many features times many actions: around the limit and far above it. */
    private String amplified() {
        int[] i = {0};
        return "{\"context\":{\"features\":{\"a\":%s}},\"actions\":%s}"
                .formatted(
                        list(1 + random.nextInt(8_000), () -> "1"),
                        list(1 + random.nextInt(2_090), () -> "{\"id\":\"" + i[0]++ + "\"}"));
    }

    String rank() {
        if (random.nextInt(400) == 0) {
            return amplified();
        }
        String context =
                switch (random.nextInt(5)) {
                    case 0 -> "{\"dense\":[1,1]}";
                    case 1 -> "{\"dense\":" + list(size(3, 20_000), this::value) + "}";
                    case 2 ->
                            "{\"sparse\":{\"dimension\":%s,\"indices\":%s,\"values\":%s}}"
                                    .formatted(
                                            value(),
                                            list(size(3, 100), this::value),
                                            list(size(3, 100), this::value));
                    default -> "{\"features\":" + features(2) + "}";
                };
        return "{\"context\":"
                + context
                + (chance(60) ? field("actions", actions()) : "")
                + optional()
                + "}";
    }

    String personalizer() {
        return "{\"contextFeatures\":"
                + list(size(3, 50), () -> features(1))
                + field(
                        "actions",
                        actions().replace("\"features\":", "\"features\":[").replace("}}", "}]}"))
                + optional()
                + "}";
    }

    String reward() {
        return "{\"value\":"
                + value()
                + (chance(30) ? field("rewardId", text()) : "")
                + (chance(30)
                        ? field("time", chance(50) ? text() : "\"9999-12-31T23:59:59Z\"")
                        : "")
                + (chance(20) ? field("metric", text()) : "")
                + "}";
    }

    String rollout() {
        String snapshot =
                "{\"model\":\"hashed\",\"bits\":%s,\"weights\":{%s:%s}}"
                        .formatted(chance(50) ? "18" : value(), text(), value());
        return "{\"action\":\""
                + any(List.of("promote", "canary", "rollback", "register", "withdraw", "x"))
                + '"'
                + (chance(50) ? field("version", value()) : "")
                + (chance(50) ? field("share", value()) : "")
                + (chance(40) ? field("snapshot", chance(80) ? snapshot : features(2)) : "")
                + (chance(20) ? field("greedyOf", value()) : "")
                + (chance(20) ? field("constantAction", text()) : "")
                + (chance(80) ? field("reason", text()) : "")
                + "}";
    }

    /** Mostly a spec that is refused, because a stored one takes a transaction. */
    String spec() {
        String wrong =
                field(
                        any(
                                List.of(
                                        "explorationFloor",
                                        "learningRate",
                                        "attributionWindow",
                                        "inverseTemperature",
                                        "featureLimit",
                                        "bufferSteps",
                                        "snapshotRewards",
                                        "seed",
                                        "x")),
                        value());
        return switch (random.nextInt(4)) {
            case 0 -> "{\"bits\":" + value() + wrong + "}";
            case 1 ->
                    "{\"actions\":"
                            + list(size(4, 3_000), this::value)
                            + ",\"features\":"
                            + value()
                            + "}";
            case 2 -> "{\"bits\":" + (20 + random.nextInt(50)) + wrong + wrong + "}";
            default -> "{\"bits\":10,\"startingPolicy\":" + features(2) + "}";
        };
    }

    /** The bytes of a body, of which some are damaged. */
    byte[] bytes(String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        if (chance(80) || bytes.length == 0) {
            return bytes;
        }
        int at = random.nextInt(bytes.length);
        return switch (random.nextInt(3)) {
            case 0 -> java.util.Arrays.copyOf(bytes, at);
            case 1 -> {
                bytes[at] = (byte) random.nextInt(256);
                yield bytes;
            }
            default -> {
                byte[] damage = any(DAMAGE).getBytes(StandardCharsets.ISO_8859_1);
                byte[] more = java.util.Arrays.copyOf(bytes, bytes.length + damage.length);
                System.arraycopy(bytes, at, more, at + damage.length, bytes.length - at);
                System.arraycopy(damage, 0, more, at, damage.length);
                yield more;
            }
        };
    }
}
