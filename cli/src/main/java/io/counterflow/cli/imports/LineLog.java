package io.counterflow.cli.imports;

import io.counterflow.core.log.Impression;
import io.counterflow.schemas.log.TextLines;
import java.io.IOException;

/** A format with one decision on every line. */
abstract class LineLog implements ForeignLog {

    @Override
    public void read(TextLines lines, String source, Intake intake) throws IOException {
        while (lines.advance()) {
            if (!lines.isBlank()) {
                long number = lines.number();
                intake.take(number, () -> parse(lines, source + "-" + number, intake));
            }
        }
    }

    /**
     * The decision of the current line.
     *
     * @param eventId the id of the event if the line has none
     * @throws IllegalArgumentException or a {@link RejectedRecordException} if it has none
     */
    abstract Impression parse(TextLines line, String eventId, Intake intake);

    /** Refuses a line of which only the start has been kept. */
    static void requireComplete(TextLines line) {
        if (line.isTooLong()) {
            throw new RejectedRecordException(
                    Rejection.TOO_LARGE,
                    "the line must not be longer than %d bytes"
                            .formatted(TextLines.MAX_LINE_BYTES));
        }
    }
}
