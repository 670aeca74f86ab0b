package io.counterflow.experiments.report;

import java.util.List;

/** A table in Markdown. Cells must not contain {@code |}. */
public final class MarkdownTable {

    private final StringBuilder text = new StringBuilder();
    private final int columns;

    public MarkdownTable(List<String> headings) {
        this.columns = headings.size();
        row(headings);
        text.append("|---".repeat(columns)).append("|\n");
    }

    /** Adds a row and returns this table. */
    public MarkdownTable row(List<String> cells) {
        if (cells.size() != columns) {
            throw new IllegalArgumentException(
                    "a row must have %d cells, got %d".formatted(columns, cells.size()));
        }
        text.append("| ").append(String.join(" | ", cells)).append(" |\n");
        return this;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
