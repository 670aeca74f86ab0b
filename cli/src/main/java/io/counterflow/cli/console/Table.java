package io.counterflow.cli.console;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows under headings, in aligned columns.
 *
 * <p>Columns of numbers are aligned to the right. Fractions have four significant digits, counts
 * have thousands separators, and null is a dash. Numbers that must not be formatted, such as
 * versions, are passed as text.
 */
public final class Table {

    private static final String GAP = "  ";
    private static final String NOTHING = "-";

    private final String[] headings;
    private final List<String[]> rows = new ArrayList<>();
    private final boolean[] hasText;

    private Table(String[] headings) {
        this.headings = headings.clone();
        this.hasText = new boolean[headings.length];
    }

    public static Table withColumns(String... headings) {
        if (headings.length == 0) {
            throw new IllegalArgumentException("headings must not be empty, got none");
        }
        return new Table(headings);
    }

    public Table row(@Nullable Object... cells) {
        if (cells.length != headings.length) {
            throw new IllegalArgumentException(
                    "a row must have %d cells, got %d".formatted(headings.length, cells.length));
        }
        String[] row = new String[cells.length];
        for (int column = 0; column < cells.length; column++) {
            Object cell = cells[column];
            row[column] = text(cell);
            hasText[column] |= cell != null && !(cell instanceof Number);
        }
        rows.add(row);
        return this;
    }

    /** The table with its headings; every line ends with a line separator. */
    @Override
    public String toString() {
        int[] widths = widths();
        StringBuilder text = new StringBuilder();
        appendLine(text, headings, widths);
        for (String[] row : rows) {
            appendLine(text, row, widths);
        }
        return text.toString();
    }

    private static String text(@Nullable Object cell) {
        if (cell == null) {
            return NOTHING;
        }
        if (cell instanceof Double || cell instanceof Float) {
            return Figures.of(((Number) cell).doubleValue());
        }
        if (cell instanceof Long || cell instanceof Integer) {
            return Figures.count(((Number) cell).longValue());
        }
        return cell.toString();
    }

    private int[] widths() {
        int[] widths = new int[headings.length];
        for (int column = 0; column < widths.length; column++) {
            widths[column] = width(headings[column]);
            for (String[] row : rows) {
                widths[column] = Math.max(widths[column], width(row[column]));
            }
        }
        return widths;
    }

    private void appendLine(StringBuilder text, String[] cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < cells.length; column++) {
            String padding = " ".repeat(widths[column] - width(cells[column]));
            line.append(column == 0 ? "" : GAP)
                    .append(hasText[column] ? "" : padding)
                    .append(cells[column])
                    .append(hasText[column] ? padding : "");
        }
        text.append(line.toString().stripTrailing()).append(System.lineSeparator());
    }

    private static int width(String text) {
        return text.codePointCount(0, text.length());
    }
}
