package io.counterflow.cli.evaluate;

import io.counterflow.core.numeric.EventRandom;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Log files with rare rewards, written line by line. */
final class EvaluationLogs {

    static final int ACTIONS = 4;

    private EvaluationLogs() {}

    /** Rewards of the actions 0 to 3 in a country; the mean over both countries is the rate. */
    static double rate(double rate, int action, boolean german) {
        return rate * (action + 1) / 2.5 * (german ? 1.5 : 0.5);
    }

    /** The value of the uniform policy in such a log. */
    static double uniformValue(double rate) {
        return rate;
    }

    /**
     * A log of a uniform policy with named features: user.country is de or fr, and user.vip only
     * sometimes there.
     *
     * @param target further fields of each line; %d is the number of the event
     */
    static Path named(Path file, int n, double rate, long seed, String target) throws IOException {
        EventRandom random = new EventRandom(seed);
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < n; i++) {
            boolean german = random.nextDouble() < 0.5;
            int action = random.nextInt(ACTIONS);
            int reward = random.nextDouble() < rate(rate, action, german) ? 1 : 0;
            lines.append(
                    String.format(
                            Locale.ROOT,
                            "{\"eventId\":\"e-%d\",\"time\":\"2026-01-0%dT00:00:00Z\","
                                    + "\"context\":{\"features\":{\"user\":{\"country\":\"%s\"%s}}},"
                                    + "\"actions\":[{\"id\":\"a\"},{\"id\":\"b\"},{\"id\":\"c\"},"
                                    + "{\"id\":\"d\"}],\"action\":%d,\"propensity\":0.25,"
                                    + "\"reward\":%d%s}\n",
                            i,
                            1 + i % 7,
                            german ? "de" : "fr",
                            i % 3 == 0 ? ",\"vip\":true" : "",
                            action,
                            reward,
                            target));
        }
        return Files.writeString(file, lines);
    }

    /** A log whose every line is given, but for the event id. */
    static Path lines(Path file, int n, String line) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < n; i++) {
            lines.append("{\"eventId\":\"e-").append(i).append("\",").append(line).append("}\n");
        }
        return Files.writeString(file, lines);
    }
}
