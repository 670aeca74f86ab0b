package io.counterflow.schemas.snapshot;

import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.text.Sha256;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecordBase;
import org.jspecify.annotations.Nullable;

/**
 * SHA-256 of the content of a snapshot, without the checksum itself.
 *
 * <p>For each field, in the schema's order, the input is: the length of the field's name (8 bytes,
 * little-endian like all numbers), the name, the length of the value, the value. Texts are in
 * UTF-8, numbers and booleans have 8 bytes, times are in microseconds. A field that is null is left
 * out, the elements of an array follow each other under one name, and nested fields have names like
 * {@code model.weights}. A field that a later version of the schema adds must be left out if it has
 * its default, so that the checksum does not depend on the schema's version.
 */
final class SnapshotChecksum {

    private final Sha256 digest = new Sha256();

    private SnapshotChecksum() {}

    /** The checksum in lower-case hexadecimal digits. The record is not modified. */
    static String of(PolicySnapshotRecord record) {
        SnapshotChecksum checksum = new SnapshotChecksum();
        for (Schema.Field field : record.getSchema().getFields()) {
            if (!field.name().equals("checksum")) {
                checksum.feed(field.name(), record.get(field.pos()));
            }
        }
        return checksum.digest.hex();
    }

    private void feed(String name, @Nullable Object value) {
        if (value instanceof SpecificRecordBase record) {
            for (Schema.Field field : record.getSchema().getFields()) {
                feed(name + "." + field.name(), record.get(field.pos()));
            }
        } else if (value instanceof List<?> elements) {
            elements.forEach(element -> feed(name, element));
        } else if (value != null) {
            byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
            ByteBuffer valueBytes = bytesOf(value);
            digest.update(bytesOf(nameBytes.length))
                    .update(ByteBuffer.wrap(nameBytes))
                    .update(bytesOf(valueBytes.remaining()))
                    .update(valueBytes);
        }
    }

    private static ByteBuffer bytesOf(Object value) {
        if (value instanceof ByteBuffer bytes) {
            return bytes;
        }
        if (value instanceof String text) {
            return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        }
        return ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, numberOf(value));
    }

    private static long numberOf(Object value) {
        if (value instanceof Boolean flag) {
            return flag ? 1 : 0;
        }
        if (value instanceof Double number) {
            return Double.doubleToLongBits(number);
        }
        if (value instanceof Instant time) { // ChronoUnit.MICROS.between can overflow
            return time.getEpochSecond() * 1_000_000 + time.getNano() / 1_000;
        }
        return ((Number) value).longValue();
    }
}
