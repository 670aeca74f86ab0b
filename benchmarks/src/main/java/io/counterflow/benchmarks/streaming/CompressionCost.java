package io.counterflow.benchmarks.streaming;

import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardRule;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.MemoryRecordsBuilder;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.TimestampType;

/**
 * Measures what the compression of a batch of impressions costs a producer and a consumer. Prints a
 * JSON object for each shape, codec and number of records per batch.
 */
public final class CompressionCost {

    private static final int RECORDS = 2_000;
    private static final int PASSES = 15;
    private static final Instant TIME = Instant.parse("2026-01-01T00:00:00Z");
    private static final RewardRule RULE =
            new RewardRule(Duration.ofMinutes(10), 0.0, RewardAggregation.FIRST, false);

    private final ByteBuffer buffer = ByteBuffer.allocate(1 << 20);
    private long seen; // so that the compiler cannot remove the work

    private CompressionCost() {}

    public static void main(String[] args) throws Exception {
        for (TrafficShape shape : TrafficShape.values()) {
            List<byte[]> impressions = impressions(shape);
            for (CompressionType type : CompressionType.values()) {
                for (int perBatch : new int[] {1, 3, 10, 100}) {
                    new CompressionCost().run(shape, impressions, type, perBatch);
                }
            }
        }
    }

    private static List<byte[]> impressions(TrafficShape shape) {
        ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());
        WireCodec<ImpressionRecord> codec = WireCodec.of(ImpressionRecord.class);
        return IntStream.range(0, RECORDS)
                .mapToObj(
                        i -> shape.impression(i, "front-page", TIME, RULE, OptionalDouble.empty()))
                .map(impression -> codec.encode(conversion.toRecord(impression)))
                .toList();
    }

    private void run(
            TrafficShape shape, List<byte[]> impressions, CompressionType type, int perBatch)
            throws Exception {
        Compression compression = Compression.of(type).build();
        List<List<byte[]>> batches =
                IntStream.range(0, RECORDS / perBatch)
                        .mapToObj(b -> impressions.subList(b * perBatch, (b + 1) * perBatch))
                        .toList();
        Cost written =
                Cost.best(
                        PASSES,
                        batches.size(),
                        b -> seen += batch(batches.get(b), compression).sizeInBytes());
        List<MemoryRecords> read =
                batches.stream()
                        .map(batch -> batch(batch, compression).buffer())
                        .map(CompressionCost::copy)
                        .map(MemoryRecords::readableRecords)
                        .toList();
        Cost consumed =
                Cost.best(
                        PASSES,
                        batches.size(),
                        b -> {
                            for (Record record : read.get(b).records()) {
                                seen += record.valueSize();
                            }
                        });
        System.out.printf(
                Locale.ROOT,
                "{\"shape\":\"%s\",\"compression\":\"%s\",\"recordsPerBatch\":%d,"
                        + "\"recordBytes\":%.0f,\"batchBytes\":%.0f,\"writeNsPerBatch\":%.0f,"
                        + "\"readNsPerBatch\":%.0f,\"seen\":%d}%n",
                shape,
                type.name,
                perBatch,
                impressions.stream().mapToInt(it -> it.length).average().orElseThrow(),
                read.stream().mapToInt(MemoryRecords::sizeInBytes).average().orElseThrow(),
                written.threadNs(),
                consumed.threadNs(),
                seen & 1);
    }

    /** A batch as a producer makes it. */
    private MemoryRecords batch(List<byte[]> values, Compression compression) {
        buffer.clear();
        MemoryRecordsBuilder builder =
                MemoryRecords.builder(buffer, compression, TimestampType.CREATE_TIME, 0L);
        for (int i = 0; i < values.size(); i++) {
            builder.append(
                    TIME.toEpochMilli(),
                    "e-%09d".formatted(i).getBytes(StandardCharsets.UTF_8),
                    values.get(i));
        }
        return builder.build();
    }

    private static ByteBuffer copy(ByteBuffer bytes) {
        ByteBuffer copy = ByteBuffer.allocate(bytes.remaining());
        copy.put(bytes.duplicate());
        copy.flip();
        return copy;
    }
}
