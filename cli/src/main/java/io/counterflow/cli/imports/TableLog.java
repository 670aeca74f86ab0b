package io.counterflow.cli.imports;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.core.log.Impression;
import io.counterflow.schemas.log.TextLines;
import java.io.IOException;
import java.util.OptionalInt;

/** A format that is a CSV table with one decision on every row. */
abstract class TableLog implements ForeignLog {

    private final char delimiter;

    TableLog(char delimiter) {
        this.delimiter = delimiter;
    }

    @Override
    public void read(TextLines lines, String source, Intake intake) throws IOException {
        CsvTable table;
        try {
            table = CsvTable.open(lines, delimiter);
            start(table);
        } catch (IllegalArgumentException | RejectedRecordException e) {
            throw new BadInputException(source + ": " + e.getMessage(), e);
        }
        while (table.advance()) {
            long line = table.line();
            intake.take(line, () -> parse(table.row(), source + "-" + line));
        }
    }

    /** Finds the columns of a file; refuses one that lacks them. */
    abstract void start(CsvTable table);

    /** The decision of a row. */
    abstract Impression parse(CsvTable.Row row, String eventId);

    /** The position of a column that the file must have. */
    static int require(CsvTable table, String column) {
        OptionalInt position = table.column(column);
        if (position.isEmpty()) {
            throw new IllegalArgumentException("the file must have a column \"" + column + '"');
        }
        return position.getAsInt();
    }

    /** A finite number, or a rejection. */
    static double number(String text, Rejection reason, String column) {
        try {
            double value = Double.parseDouble(text);
            if (Double.isFinite(value)) {
                return value;
            }
        } catch (NumberFormatException e) {
            // not a number, as NaN and infinity are not
        }
        throw new RejectedRecordException(reason, column + " must be a finite number");
    }
}
