package io.counterflow.cli.imports;

import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.log.TextLines;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The rows of a CSV file with a header. Fields may be in double quotes, where two of them stand for
 * one, but must end on the line where they start.
 */
final class CsvTable {

    /** The fields of one row. */
    record Row(long line, List<String> fields) {}

    private static final int MAX_COLUMNS = 100_000;

    private final TextLines lines;
    private final char delimiter;
    private final Map<String, Integer> columns = new HashMap<>();
    private int width;

    private CsvTable(TextLines lines, char delimiter) {
        this.lines = lines;
        this.delimiter = delimiter;
    }

    /**
     * Reads the header.
     *
     * @throws IllegalArgumentException if the file has no valid header
     */
    static CsvTable open(TextLines lines, char delimiter) throws IOException {
        CsvTable table = new CsvTable(lines, delimiter);
        boolean found = false;
        while (!found && lines.advance()) {
            found = !lines.isBlank();
        }
        if (!found) {
            throw new IllegalArgumentException("the file must have a header, and is empty");
        }
        List<String> names = table.fields();
        for (int i = 0; i < names.size(); i++) {
            String name = i == 0 ? withoutByteOrderMark(names.get(i)) : names.get(i);
            if (table.columns.put(name, i) != null) {
                throw new IllegalArgumentException(
                        "the header must have each column once, got column %d again"
                                .formatted(i + 1));
            }
        }
        table.width = names.size();
        return table;
    }

    private static String withoutByteOrderMark(String text) {
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    /** Moves to the next row; false at the end. */
    boolean advance() throws IOException {
        while (lines.advance()) {
            if (!lines.isBlank()) {
                return true;
            }
        }
        return false;
    }

    /** The line of the current row. */
    long line() {
        return lines.number();
    }

    /** The current row. */
    Row row() {
        List<String> fields = fields();
        if (fields.size() != width) {
            throw new RejectedRecordException(
                    Rejection.MALFORMED,
                    "the row must have %d fields, as the header has, got %d"
                            .formatted(width, fields.size()));
        }
        return new Row(lines.number(), fields);
    }

    /** The position of a column; empty if there is none of this name. */
    OptionalInt column(String name) {
        Integer position = columns.get(name);
        return position == null ? OptionalInt.empty() : OptionalInt.of(position);
    }

    /** The names of all columns, with their positions. */
    Map<String, Integer> columns() {
        return columns;
    }

    private List<String> fields() {
        LineLog.requireComplete(lines);
        List<String> fields = new ArrayList<>(width);
        String text = lines.text();
        int at = 0;
        while (at <= text.length()) {
            StringBuilder field = new StringBuilder();
            int end =
                    at < text.length() && text.charAt(at) == '"'
                            ? quoted(text, at, field)
                            : plain(text, at, field);
            if (fields.size() == MAX_COLUMNS || field.length() > maxLength()) {
                throw new RejectedRecordException(
                        Rejection.TOO_LARGE,
                        "a row must not have more than %d fields, or fields of more than %d"
                                        .formatted(MAX_COLUMNS, maxLength())
                                + " characters");
            }
            fields.add(field.toString());
            at = end + 1;
        }
        return fields;
    }

    private static int maxLength() {
        return JsonLimits.defaults().maxStringLength();
    }

    private int plain(String text, int from, StringBuilder field) {
        int end = text.indexOf(delimiter, from);
        end = end < 0 ? text.length() : end;
        field.append(text, from, end);
        return end;
    }

    /** Returns the position after the closing quote, which a delimiter or the end must follow. */
    private int quoted(String text, int from, StringBuilder field) {
        int at = from + 1;
        while (true) {
            int quote = text.indexOf('"', at);
            if (quote < 0) {
                throw new RejectedRecordException(
                        Rejection.MALFORMED, "a quoted field must end on its line");
            }
            field.append(text, at, quote);
            boolean doubled = quote + 1 < text.length() && text.charAt(quote + 1) == '"';
            if (!doubled) {
                if (quote + 1 < text.length() && text.charAt(quote + 1) != delimiter) {
                    throw new RejectedRecordException(
                            Rejection.MALFORMED, "a delimiter must follow a quoted field");
                }
                return quote + 1;
            }
            field.append('"');
            at = quote + 2;
        }
    }
}
