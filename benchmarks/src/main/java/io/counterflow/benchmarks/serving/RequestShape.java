package io.counterflow.benchmarks.serving;

import java.util.Random;
import java.util.StringJoiner;

/** A kind of request, with the loop that it uses. */
enum RequestShape {
    /** 20 actions with two features each, 30 named features of the context, all crossed. */
    NAMED("20 actions, 30 named features") {
        @Override
        String spec() {
            return "{\"bits\":18}";
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
            return "{\"actions\":%s,\"features\":784}".formatted(actions);
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

    abstract String spec();

    abstract String body(Random random);
}
