package io.counterflow.schemas.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.core.log.Impression;
import io.counterflow.schemas.Draws;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.JournalKindRecord;
import io.counterflow.schemas.record.JournalRecord;
import io.counterflow.schemas.record.OutcomeRecord;
import io.counterflow.schemas.record.RewardOriginRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.specific.SpecificDatumWriter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LogFilesIT {

    private static final String GOOD = "{\"context\":{\"dense\":[1]},\"action\":0,\"reward\":1}";
    private static final String BAD = "{\"context\":{\"dense\":[1]},\"action\":0,\"reward\":2}";

    @TempDir private Path folder = Path.of("");

    private static List<Impression> drawn(int n) {
        return Stream.iterate(0L, seed -> seed + 1)
                .limit(n)
                .map(seed -> new Draws(seed).impression())
                .toList();
    }

    private Path written(String name, List<Impression> impressions) throws IOException {
        Path file = folder.resolve(name);
        try (LogWriter writer = LogWriter.create(file)) {
            for (Impression impression : impressions) {
                writer.write(impression);
            }
            writer.finish();
        }
        return file;
    }

    private static List<Impression> read(Path file, BadLines badLines) throws IOException {
        List<Impression> impressions = new ArrayList<>();
        try (LogReader reader = LogReader.open(file, badLines, ReadProgress.none())) {
            reader.forEachRemaining(impressions::add);
            assertThat(reader.impressions()).isEqualTo(impressions.size());
        }
        return impressions;
    }

    private static void assertBad(Path file, long line, String reason) {
        assertThatExceptionOfType(BadLineException.class)
                .isThrownBy(() -> read(file, BadLines.fail()))
                .withMessageStartingWith(file.toString())
                .satisfies(e -> assertThat(e.line()).isEqualTo(line))
                .satisfies(e -> assertThat(e.reason()).contains(reason));
    }

    @ParameterizedTest
    @ValueSource(strings = {"log.jsonl", "log.jsonl.gz", "log.avro"})
    void whatWasWrittenIsRead(String name) throws IOException {
        List<Impression> impressions = drawn(500);
        Path file = written(name, impressions);
        assertThat(read(file, BadLines.fail())).isEqualTo(impressions);
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"log.jsonl", "log.jsonl.gz", "log.avro"})
    void anEmptyLogHasNoImpressions(String name) throws IOException {
        assertThat(read(written(name, List.of()), BadLines.fail())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {".jsonl", ".jsonl.gz", ".avro"})
    void theSameImpressionsGiveTheSameBytes(String suffix) throws IOException {
        List<Impression> impressions = drawn(50);
        assertThat(written("a" + suffix, impressions))
                .hasSameBinaryContentAs(written("b" + suffix, impressions));
    }

    @ParameterizedTest
    @ValueSource(strings = {"log.jsonl", "log.jsonl.gz", "log.avro"})
    void aRunThatStopsHalfWayLeavesTheOldFileAlone(String name) throws IOException {
        List<Impression> old = drawn(3);
        Path file = written(name, old);
        try (LogWriter writer = LogWriter.create(file)) {
            writer.write(old.get(0));
        }
        assertThat(read(file, BadLines.fail())).isEqualTo(old);
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void aBadLineIsNamedByFileAndLine() throws IOException {
        Path file = folder.resolve("log.jsonl");
        Files.writeString(file, GOOD + "\n\n" + BAD + "\n");
        assertBad(file, 3, "reward must be in [0, 1], got 2.0");
    }

    @Test
    void badLinesAreSkippedAndCountedOnRequest() throws IOException {
        Path file = folder.resolve("log.jsonl");
        String tooLong = "\"" + "x".repeat(TextLines.MAX_LINE_BYTES) + "\"";
        Files.writeString(
                file,
                String.join("\r\n", GOOD, " \t", BAD, "", "nonsense", tooLong, "\u00e9", GOOD));
        List<Long> lines = new ArrayList<>();
        BadLines badLines = BadLines.skip(line -> lines.add(line.line()));
        List<Impression> read = read(file, badLines);
        assertThat(read).extracting(Impression::eventId).containsExactly("line-1", "line-8");
        assertThat(lines).containsExactly(3L, 5L, 6L, 7L);
        assertThat(badLines.skipped()).isEqualTo(4);
    }

    @Test
    void aGzipFileThatIsCutOffEndsThere() throws IOException {
        List<Impression> impressions = drawn(2_000);
        Path file = written("log.jsonl.gz", impressions);
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(whole, whole.length / 2));
        BadLines badLines = BadLines.skip();
        List<Impression> read = read(file, badLines);
        assertThat(badLines.skipped()).isEqualTo(1);
        assertThat(read).isNotEmpty().isEqualTo(impressions.subList(0, read.size()));
        assertBad(file, read.size() + 1L, "cut off");
    }

    @Test
    void severalGzipMembersAreOneLog() throws IOException {
        Path file = folder.resolve("log.jsonl.gz");
        try (OutputStream out = Files.newOutputStream(file)) {
            for (int i = 0; i < 3; i++) {
                GZIPOutputStream member = new GZIPOutputStream(out);
                member.write((GOOD + "\n").getBytes(StandardCharsets.UTF_8));
                member.finish();
            }
        }
        assertThat(read(file, BadLines.fail())).hasSize(3);
    }

    @Test
    void aFileThatIsNotWhatItsNameSaysIsRefused() throws IOException {
        Path gzip = folder.resolve("log.jsonl.gz");
        Files.writeString(gzip, GOOD);
        assertBad(gzip, 1, "gzip");
        Path avro = folder.resolve("log.avro");
        Files.writeString(avro, GOOD);
        assertBad(avro, 1, "must start with Obj");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LogReader.open(folder.resolve("log.csv")))
                .withMessageContaining("must end in .jsonl, .jsonl.gz or .avro, got log.csv");
    }

    @Test
    void theExamplesOfAJournalAreALog() throws IOException {
        ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());
        WireCodec<ImpressionRecord> codec = WireCodec.of(ImpressionRecord.class);
        Path file = folder.resolve("journal.avro");
        List<Impression> impressions = drawn(20);
        try (DataFileWriter<JournalRecord> writer =
                new DataFileWriter<>(new SpecificDatumWriter<>(JournalRecord.class))) {
            writer.create(JournalRecord.getClassSchema(), file.toFile()); // not compressed
            long sequence = 0;
            for (Impression impression : impressions) {
                byte[] record = codec.encode(conversion.toRecord(impression));
                OutcomeRecord outcome =
                        new OutcomeRecord(0.25, 0.5, RewardOriginRecord.OBSERVED, 1);
                writer.append(entry(JournalKindRecord.EXAMPLE, ++sequence, record, outcome));
                writer.append(entry(JournalKindRecord.TIME, ++sequence, new byte[0], null));
            }
        }
        assertThat(read(file, BadLines.fail()))
                .isEqualTo(
                        impressions.stream()
                                .map(it -> it.withReward(0.25, OptionalDouble.of(0.5)))
                                .toList());
    }

    private static JournalRecord entry(
            JournalKindRecord kind, long sequence, byte[] record, @Nullable OutcomeRecord outcome) {
        return new JournalRecord(
                kind, "home", sequence, Instant.EPOCH, -1, -1L, ByteBuffer.wrap(record), outcome);
    }

    @Test
    void anAvroFileOfSomethingElseIsRefused() throws IOException {
        Path file = folder.resolve("rewards.avro");
        try (DataFileWriter<RewardRecord> writer =
                new DataFileWriter<>(new SpecificDatumWriter<>(RewardRecord.class))) {
            writer.create(RewardRecord.getClassSchema(), file.toFile());
        }
        assertBad(file, 1, "avro.schema must be a known version of ImpressionRecord");
    }

    @Test
    void anInvalidAvroRecordIsTheOnlyOneSkipped() throws IOException {
        ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());
        Path file = folder.resolve("log.avro");
        List<Impression> impressions = drawn(3);
        try (DataFileWriter<ImpressionRecord> writer =
                new DataFileWriter<>(new SpecificDatumWriter<>(ImpressionRecord.class))) {
            writer.create(ImpressionRecord.getClassSchema(), file.toFile());
            for (int i = 0; i < 3; i++) {
                ImpressionRecord record = conversion.toRecord(impressions.get(i));
                record.setReward(i == 1 ? Double.valueOf(-1.0) : record.getReward());
                writer.append(record);
            }
        }
        assertBad(file, 2, "reward must be in [0, 1], got -1.0");
        assertThat(read(file, BadLines.skip()))
                .containsExactly(impressions.get(0), impressions.get(2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"log.jsonl", "log.jsonl.gz", "log.avro"})
    void damageAnywhereGivesImpressionsOrBadLines(String name) throws IOException {
        byte[] whole = Files.readAllBytes(written(name, drawn(40)));
        Path damaged = folder.resolve("damaged-" + name);
        for (long seed = 0; seed < 400; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] bytes = Arrays.copyOf(whole, random.nextInt(whole.length / 2, whole.length + 1));
            for (int i = random.nextInt(4); i > 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            Files.write(damaged, bytes);
            BadLines badLines = BadLines.skip();
            assertThat(read(damaged, badLines).size())
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(40 + (int) badLines.skipped());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"log.jsonl", "log.jsonl.gz", "log.avro"})
    void progressEndsAtTheFilesSize(String name) throws IOException {
        Path file = written(name, drawn(2_000));
        List<Long> positions = new ArrayList<>();
        ReadProgress progress =
                (bytesRead, totalBytes) -> {
                    assertThat(totalBytes).isEqualTo(file.toFile().length());
                    positions.add(bytesRead);
                };
        try (LogReader reader = LogReader.open(file, BadLines.fail(), progress)) {
            reader.forEachRemaining(impression -> {});
        }
        assertThat(positions).isSorted().hasSizeGreaterThan(1).endsWith(Files.size(file));
    }
}
