package io.counterflow.cli.exports;

import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.log.LogInput;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Decisions in log files. */
final class LogSource implements DecisionSource {

    private final LogInput input;
    private final LoopFacts facts;
    private final Output output;
    private long skipped;

    /**
     * @param facts what the user says about the loop, because a log does not have it
     */
    LogSource(LogInput input, LoopFacts facts, Output output) {
        this.input = input;
        this.facts = facts;
        this.output = output;
    }

    @Override
    public void read(Export export) throws IOException {
        try {
            skipped =
                    input.read(
                            output,
                            impression -> {
                                try {
                                    export.take(new LoggedDecision(impression, facts));
                                } catch (IOException e) {
                                    throw new UncheckedIOException(e);
                                }
                            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public void addTo(FieldReport report) {
        report.field("skippedBadLines", skipped);
    }
}
