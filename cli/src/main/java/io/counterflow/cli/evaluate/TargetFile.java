package io.counterflow.cli.evaluate;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.counterflow.cli.console.BadInputException;
import io.counterflow.schemas.log.DamagedFileException;
import io.counterflow.schemas.log.ReadProgress;
import io.counterflow.schemas.log.TextLines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file of target probabilities by event id, made by another program. JSON lines with the fields
 * {@code eventId} and {@code distribution}, or CSV with the columns {@code eventId} and {@code
 * 0,1,2,…}; in place of all probabilities there may be that of the logged action alone ({@code
 * probability}).
 *
 * <p>{@code FILE#FIELD} names another field of JSON lines, for example one of the log itself.
 */
final class TargetFile {

    private static final Pattern NAME = Pattern.compile("(.*\\.(jsonl|csv)(\\.gz)?)(#([^#]+))?");
    private static final String EVENT_ID = "eventId";
    private static final String DISTRIBUTION = "distribution";
    private static final String PROBABILITY = "probability";
    private static final int MAX_ACTIONS = 1_000_000;

    private static final JsonFactory JSON =
            JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    /** Receives the probabilities of all events. */
    @FunctionalInterface
    interface Taker {
        /**
         * Takes the probabilities of one event.
         *
         * @param probabilities π of every action, or of the logged action alone
         * @param complete whether they are those of every action
         * @throws IllegalArgumentException if they do not fit the event
         */
        void take(String eventId, double[] probabilities, boolean complete);
    }

    private final Path path;
    private final boolean csv;
    private final @Nullable String field; // of JSON lines; null for the usual ones

    private TargetFile(Path path, boolean csv, @Nullable String field) {
        this.path = path;
        this.csv = csv;
        this.field = field;
    }

    /** The file that a policy's name means; empty if it is not that of such a file. */
    static Optional<TargetFile> named(String name) {
        var match = NAME.matcher(name);
        if (!match.matches()) {
            return Optional.empty();
        }
        boolean csv = match.group(2).equals("csv");
        if (csv && match.group(5) != null) {
            throw new BadInputException(
                    "--policy %s: only JSON lines have fields to choose from".formatted(name));
        }
        Path path = Path.of(match.group(1));
        if (!Files.isRegularFile(path)) {
            throw new BadInputException("--policy %s: there is no such file".formatted(name));
        }
        return Optional.of(new TargetFile(path, csv, match.group(5)));
    }

    /** Reads all events, one at a time. */
    void read(Taker taker) {
        try (TextLines lines = TextLines.open(path, ReadProgress.none())) {
            boolean some = false;
            List<String> header = List.of();
            while (lines.advance()) {
                if (lines.isBlank()) {
                    continue;
                }
                try {
                    if (lines.isTooLong()) {
                        throw new IllegalArgumentException(
                                "the line must not be longer than %d bytes"
                                        .formatted(TextLines.MAX_LINE_BYTES));
                    }
                    if (csv && header.isEmpty()) {
                        header = header(lines.text());
                        continue;
                    }
                    take(lines, header, taker);
                    some = true;
                } catch (IllegalArgumentException e) {
                    throw new BadInputException(
                            "%s, line %d: %s".formatted(path, lines.number(), e.getMessage()), e);
                }
            }
            if (!some) {
                throw new BadInputException(path + " has no probabilities");
            }
        } catch (DamagedFileException e) {
            throw new BadInputException(path + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void take(TextLines lines, List<String> header, Taker taker) throws IOException {
        if (csv) {
            takeCsv(header, lines.text(), taker);
        } else {
            takeJson(lines, taker);
        }
    }

    private static List<String> header(String line) {
        List<String> columns = fields(line.startsWith("\uFEFF") ? line.substring(1) : line);
        boolean one = columns.equals(List.of(EVENT_ID, PROBABILITY));
        for (int k = 1; k < columns.size() && !one; k++) {
            requireColumn(columns.get(k).equals(Integer.toString(k - 1)));
        }
        requireColumn(columns.size() > 1 && columns.get(0).equals(EVENT_ID));
        return columns;
    }

    private static void requireColumn(boolean holds) {
        if (!holds) {
            throw new IllegalArgumentException(
                    "the columns must be eventId and then 0,1,2,... or probability");
        }
    }

    private static List<String> fields(String line) {
        if (line.indexOf('"') >= 0) {
            throw new IllegalArgumentException("fields must not be in quotes");
        }
        return Arrays.asList(line.split(",", -1));
    }

    private static void takeCsv(List<String> header, String line, Taker taker) {
        List<String> fields = fields(line);
        if (fields.size() != header.size()) {
            throw new IllegalArgumentException(
                    "the row must have %d fields, as the header has, got %d"
                            .formatted(header.size(), fields.size()));
        }
        double[] probabilities = new double[fields.size() - 1];
        for (int k = 0; k < probabilities.length; k++) {
            try {
                probabilities[k] = Double.parseDouble(fields.get(k + 1));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        "column %s must be a number".formatted(header.get(k + 1)), e);
            }
        }
        taker.take(fields.get(0), probabilities, !header.get(1).equals(PROBABILITY));
    }

    private void takeJson(TextLines lines, Taker taker) throws IOException {
        String eventId = null;
        double[] all = null;
        double[] one = null;
        try (JsonParser json = JSON.createParser(lines.bytes(), 0, lines.length())) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("must be a JSON object");
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                JsonToken value = json.nextToken();
                boolean chosen =
                        field == null
                                ? name.equals(DISTRIBUTION) || name.equals(PROBABILITY)
                                : name.equals(field);
                if (name.equals(EVENT_ID)) {
                    eventId = value == JsonToken.VALUE_STRING ? json.getText() : null;
                } else if (chosen && value == JsonToken.START_ARRAY) {
                    all = numbers(json, name);
                } else if (chosen) {
                    one = new double[] {number(json, name)};
                } else {
                    json.skipChildren();
                }
            }
        } catch (JsonProcessingException e) {
            // Jackson's message may quote the input.
            throw new IllegalArgumentException("must be one JSON object", e);
        }
        if (eventId == null) {
            throw new IllegalArgumentException("eventId must be given, as text");
        }
        double[] found = all == null ? one : all;
        if (found == null) {
            throw new IllegalArgumentException(
                    "%s must be given"
                            .formatted(field == null ? "distribution or probability" : field));
        }
        taker.take(eventId, found, all != null);
    }

    private static double[] numbers(JsonParser json, String name) throws IOException {
        double[] numbers = new double[16];
        int n = 0;
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (n == MAX_ACTIONS) {
                throw new IllegalArgumentException(
                        "%s must have at most %d entries".formatted(name, MAX_ACTIONS));
            }
            numbers = n == numbers.length ? Arrays.copyOf(numbers, 2 * n) : numbers;
            numbers[n] = number(json, "%s[%d]".formatted(name, n));
            n++;
        }
        return Arrays.copyOf(numbers, n);
    }

    private static double number(JsonParser json, String name) throws IOException {
        JsonToken token = json.currentToken();
        if (token == null || !token.isNumeric()) {
            throw new IllegalArgumentException(name + " must be a number");
        }
        return json.getDoubleValue();
    }
}
