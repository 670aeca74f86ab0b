package io.counterflow.cli.exports;

import io.counterflow.cli.console.Losses;
import io.counterflow.schemas.log.LogWriter;
import java.io.IOException;
import java.nio.file.Path;

/** A log of Counterflow, as JSON lines or as an Avro container file. */
final class OwnLog implements DecisionWriter {

    private final LogWriter log;

    OwnLog(Path file) throws IOException {
        this.log = LogWriter.create(file);
    }

    @Override
    public void write(LoggedDecision decision, Losses<ExportLoss> losses)
            throws IOException, LeftOutException {
        try {
            log.write(decision.impression());
        } catch (IllegalArgumentException e) {
            throw new LeftOutException(LeftOut.TOO_LARGE, String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void finish() throws IOException {
        log.finish();
    }

    @Override
    public void close() throws IOException {
        log.close();
    }
}
