package io.counterflow.schemas.log;

import io.counterflow.core.log.Impression;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.LoggedExampleRecord;
import io.counterflow.schemas.wire.BlockReader;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.Optionals;
import io.counterflow.schemas.wire.UndecodableRecordException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecordBase;
import org.jspecify.annotations.Nullable;

/** A log file that is an Avro container file of impressions, or of logged examples. */
final class AvroLog implements ImpressionSource {

    private final Path file;
    private final ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());
    private final AvroBlocks blocks;
    private Optional<Records<?>> records = Optional.empty(); // empty until the header has been read
    private long record;
    private long leftInBlock;
    private boolean ended;

    /** Reads the records of the file as impressions. */
    private record Records<T extends SpecificRecordBase>(
            BlockReader<T> reader, Function<T, Impression> toImpression) {

        Impression next() throws UndecodableRecordException {
            return toImpression.apply(reader.next());
        }
    }

    AvroLog(Path file, ReadProgress progress) throws IOException {
        this.file = file;
        LogFileInput input = LogFileInput.open(file, progress);
        this.blocks = new AvroBlocks(new BufferedInputStream(input, 64 * 1024), input.size());
    }

    @Override
    public Optional<Impression> next() throws IOException {
        if (ended) {
            return Optional.empty();
        }
        record++;
        try {
            if (records.isEmpty()) {
                records = Optional.of(recordsOf(blocks.open()));
            }
            Records<?> reader = records.get();
            while (leftInBlock == 0) {
                if (!blocks.hasNext()) {
                    ended = true;
                    return Optional.empty();
                }
                reader.reader().start(blocks.next());
                leftInBlock = blocks.records();
            }
            leftInBlock--;
            return Optional.of(read(reader));
        } catch (DamagedFileException e) {
            ended = true;
            throw bad(e.getMessage() + ", nothing after it can be read", e);
        }
    }

    private Impression read(Records<?> reader) throws IOException {
        Impression impression;
        try {
            impression = reader.next();
        } catch (UndecodableRecordException e) {
            // The start of the next record is unknown, but that of the next block is not.
            BadLineException bad = bad(e.getMessage() + ", the rest of it is skipped", e);
            record += leftInBlock;
            leftInBlock = 0;
            throw bad;
        } catch (IllegalArgumentException e) {
            throw bad(String.valueOf(e.getMessage()), e);
        }
        if (leftInBlock == 0 && !reader.reader().isEnd()) {
            throw new DamagedFileException("the block has bytes after its last record");
        }
        return impression;
    }

    private Records<?> recordsOf(Schema schema) throws DamagedFileException {
        Optional<BlockReader<ImpressionRecord>> impressions =
                BlockReader.of(ImpressionRecord.class, schema);
        if (impressions.isPresent()) {
            return new Records<>(impressions.get(), conversion::fromRecord);
        }
        Optional<BlockReader<LoggedExampleRecord>> examples =
                BlockReader.of(LoggedExampleRecord.class, schema);
        if (examples.isPresent()) {
            return new Records<>(
                    examples.get(),
                    example ->
                            conversion
                                    .fromRecord(example.getImpression())
                                    .withReward(
                                            example.getReward(),
                                            Optionals.of(example.getGuardrailReward())));
        }
        throw new DamagedFileException(
                "avro.schema must be a known version of ImpressionRecord or LoggedExampleRecord,"
                        + " got another");
    }

    @Override
    public BadLineException bad(String reason, @Nullable Throwable cause) {
        return new BadLineException(file, LogFormat.AVRO, record, reason, cause);
    }

    @Override
    public void close() throws IOException {
        blocks.close();
    }
}
