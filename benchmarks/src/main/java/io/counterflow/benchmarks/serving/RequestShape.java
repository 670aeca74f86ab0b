package io.counterflow.benchmarks.serving;

import java.util.Map;
import java.util.Random;
import java.util.StringJoiner;
import java.util.TreeMap;

/** A kind of request, with the loop that it uses. */
public enum RequestShape {
    /** 20 actions with two features each, 30 named features of the context, all crossed. */
    NAMED("20 actions, 30 named features") {
        @Override
        String spec() {
            Random random = new Random(2);
            Map<Integer, Double> weights = new TreeMap<>();
            while (weights.size() < WEIGHTS) {
                weights.put(random.nextInt(1 << 18), weight(random));
            }
            StringJoiner written = new StringJoiner(",", "{", "}");
            weights.forEach((index, weight) -> written.add("\"%d\":%.4f".formatted(index, weight)));
            return """
                    {"bits":18,"startingPolicy":{"loop":"%s","version":1,"model":"hashed","bits":18,
                     "interactions":["*:*"],"actionIds":true,"weights":%s}}"""
                    .formatted(loop(), written);
        }

        @Override
        String body(Random random) {
            StringJoiner user = new StringJoiner(",", "{", "}");
            for (int f = 0; f < 30; f++) {
                user.add(
                        f % 3 == 0
                                ? "\"f%d\":%.3f".formatted(f, random.nextDouble())
                                : "\"f%d\":\"v%d\"".formatted(f, random.nextInt(50)));
            }
            StringJoiner actions = new StringJoiner(",", "[", "]");
            for (int a = 0; a < 20; a++) {
                actions.add(
                        "{\"id\":\"article-%d\",\"features\":{\"topic\":\"t%d\",\"age\":%.2f}}"
                                .formatted(a, random.nextInt(10), random.nextDouble()));
            }
            return "{\"context\":{\"features\":{\"user\":%s}},\"actions\":%s}"
                    .formatted(user, actions);
        }
    },

    /** A vector as long as an image of Fashion-MNIST, half of it zero, and ten actions. */
    DENSE("10 actions, 784 numbers") {
        @Override
        String spec() {
            StringJoiner actions = new StringJoiner(",", "[", "]");
            for (int a = 0; a < 10; a++) {
                actions.add("\"a" + a + "\"");
            }
            Random random = new Random(2);
            StringJoiner rows = new StringJoiner(",", "[", "]");
            for (int a = 0; a < 10; a++) {
                StringJoiner row = new StringJoiner(",", "[", "]");
                for (int f = 0; f < 784; f++) {
                    row.add("%.4f".formatted(weight(random)));
                }
                rows.add(row.toString());
            }
            return """
                    {"actions":%s,"features":784,
                     "startingPolicy":{"loop":"%s","version":1,"model":"dense","actions":10,"features":784,
                     "weights":%s,"biases":[0,0,0,0,0,0,0,0,0,0]}}"""
                    .formatted(actions, loop(), rows);
        }

        @Override
        String body(Random random) {
            StringJoiner values = new StringJoiner(",", "[", "]");
            for (int f = 0; f < 784; f++) {
                values.add(random.nextBoolean() ? "0" : "%.4f".formatted(random.nextDouble()));
            }
            return "{\"context\":{\"dense\":%s}}".formatted(values);
        }
    };

    private static final int WEIGHTS = 20_000; // others are 0, so that the spec fits into a request

    private final String words;

    RequestShape(String words) {
        this.words = words;
    }

    String words() {
        return words;
    }

    /** The name of the loop. */
    String loop() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** A policy with weights of 0 would be cheaper than others. */
    private static double weight(Random random) {
        return 0.02 * (random.nextDouble() - 0.5);
    }

    /** The loop's spec, with a starting policy. */
    abstract String spec();

    abstract String body(Random random);
}
