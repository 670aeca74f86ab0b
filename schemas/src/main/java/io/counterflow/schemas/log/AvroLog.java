package io.counterflow.schemas.log;

import io.counterflow.core.log.Impression;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.JournalKindRecord;
import io.counterflow.schemas.record.JournalRecord;
import io.counterflow.schemas.record.OutcomeRecord;
import io.counterflow.schemas.wire.BlockReader;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.Optionals;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecordBase;
import org.jspecify.annotations.Nullable;

/**
 * A log file that is an Avro container file of impressions, or of entries of a journal, of which
 * the examples are read.
 */
final class AvroLog implements ImpressionSource {

    private final Path file;
    private final ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());
    private final WireCodec<ImpressionRecord> codec = WireCodec.of(ImpressionRecord.class);
    private final AvroBlocks blocks;
    private Optional<Records<?>> records = Optional.empty(); // empty until the header has been read
    private long record;
    private long leftInBlock;
    private boolean ended;

    /** Reads the records of the file as impressions. */
    private record Records<T extends SpecificRecordBase>(
            BlockReader<T> reader, Function<T, Optional<Impression>> toImpression) {

        /** The impression of the next record; empty if the record has none. */
        Optional<Impression> next() throws UndecodableRecordException {
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
        Optional<Impression> impression = Optional.empty();
        while (impression.isEmpty() && !ended) {
            impression = nextRecord();
        }
        return impression;
    }

    private Optional<Impression> nextRecord() throws IOException {
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
            return read(reader);
        } catch (DamagedFileException e) {
            ended = true;
            throw bad(e.getMessage() + ", nothing after it can be read", e);
        }
    }

    private Optional<Impression> read(Records<?> reader) throws IOException {
        Optional<Impression> impression;
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
            return new Records<>(
                    impressions.get(), record -> Optional.of(conversion.fromRecord(record)));
        }
        Optional<BlockReader<JournalRecord>> entries = BlockReader.of(JournalRecord.class, schema);
        if (entries.isPresent()) {
            return new Records<>(entries.get(), this::exampleOf);
        }
        throw new DamagedFileException(
                "avro.schema must be a known version of ImpressionRecord or JournalRecord, got"
                        + " another");
    }

    private Optional<Impression> exampleOf(JournalRecord entry) {
        OutcomeRecord outcome = entry.getOutcome();
        if (entry.getKind() != JournalKindRecord.EXAMPLE || outcome == null) {
            return Optional.empty();
        }
        byte[] record = new byte[entry.getRecord().remaining()];
        entry.getRecord().get(record);
        try {
            return Optional.of(
                    conversion
                            .fromRecord(codec.decode(record))
                            .withReward(
                                    outcome.getReward(),
                                    Optionals.of(outcome.getGuardrailReward())));
        } catch (UndecodableRecordException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
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
