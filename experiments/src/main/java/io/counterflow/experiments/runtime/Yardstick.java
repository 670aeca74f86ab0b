package io.counterflow.experiments.runtime;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.cli.console.BadInputException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The speed of another program at the same epoch, measured in the same run.
 *
 * @param examplesPerSecond examples per second of CPU time of one thread; examples without a reward
 *     are skipped
 */
record Yardstick(double examplesPerSecond) {

    private static final String FIELD = "epochSkipExamplesPerSecond";

    /**
     * Runs the program and reads the JSON object that it prints.
     *
     * @throws BadInputException if the program fails or prints anything else
     */
    static Yardstick run(Path program) throws IOException {
        Process process =
                new ProcessBuilder(program.toAbsolutePath().toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String printed;
        int exit;
        try (var out = process.getInputStream()) {
            printed = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            exit = process.waitFor();
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + program + " ran", e);
        }
        if (exit != 0) {
            throw new BadInputException(program + " must end with code 0, got " + exit);
        }
        return new Yardstick(speed(printed, program));
    }

    private static double speed(String printed, Path program) {
        try {
            JsonNode json = new ObjectMapper().readTree(printed);
            double speed = json.path(FIELD).asDouble(Double.NaN);
            if (speed > 0.0) {
                return speed;
            }
        } catch (JsonProcessingException e) {
            throw new BadInputException(program + " must print one JSON object", e);
        }
        throw new BadInputException(program + " must print a number above 0 as " + FIELD);
    }
}
