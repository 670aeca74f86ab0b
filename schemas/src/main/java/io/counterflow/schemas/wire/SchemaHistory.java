package io.counterflow.schemas.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecordBase;

/**
 * All published versions of a record's schema, oldest first, from the files {@code NAME.v1.avsc},
 * {@code NAME.v2.avsc}, … in {@code src/main/avsc}.
 *
 * <p>The last one is the schema of the generated class. A published file is never edited: bytes on
 * topics and disks refer to it by its fingerprint.
 */
final class SchemaHistory {

    private static final String FOLDER = "/io/counterflow/schemas/history/";

    private static final ClassValue<SchemaHistory> HISTORIES =
            new ClassValue<>() {
                @Override
                protected SchemaHistory computeValue(Class<?> type) {
                    return new SchemaHistory(
                            SpecificData.get().getSchema(type), published(type.getSimpleName()));
                }
            };

    private final Schema current;
    private final long currentFingerprint;
    private final List<Schema> versions;
    private final Map<Long, Schema> byFingerprint = new TreeMap<>();

    SchemaHistory(Schema current, List<Schema> versions) {
        this.current = current;
        this.versions = List.copyOf(versions);
        for (Schema version : versions) {
            byFingerprint.put(fingerprint(version), version);
        }
        currentFingerprint = fingerprint(current);
        byFingerprint.put(currentFingerprint, current);
    }

    public static SchemaHistory of(Class<? extends SpecificRecordBase> type) {
        return HISTORIES.get(type);
    }

    private static List<Schema> published(String name) {
        List<Schema> versions = new ArrayList<>();
        Optional<Schema> version = load(name + ".v1.avsc");
        while (version.isPresent()) {
            versions.add(version.get());
            version = load(name + ".v" + (versions.size() + 1) + ".avsc");
        }
        return versions;
    }

    private static Optional<Schema> load(String name) {
        try (InputStream in = SchemaHistory.class.getResourceAsStream(FOLDER + name)) {
            return in == null ? Optional.empty() : Optional.of(new Schema.Parser().parse(in));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the schema " + name, e);
        }
    }

    public Schema current() {
        return current;
    }

    long currentFingerprint() {
        return currentFingerprint;
    }

    /** The published versions, oldest first. */
    public List<Schema> versions() {
        return versions;
    }

    /** The version with this CRC-64-AVRO fingerprint. */
    public Optional<Schema> withFingerprint(long fingerprint) {
        return Optional.ofNullable(byFingerprint.get(fingerprint));
    }

    /** The CRC-64-AVRO fingerprint of a schema's canonical form. */
    public static long fingerprint(Schema schema) {
        return SchemaNormalization.parsingFingerprint64(schema);
    }

    /**
     * A fingerprint as 16 hexadecimal digits: its bytes in the order in which records have them.
     */
    static String hex(long fingerprint) {
        return HexFormat.of().toHexDigits(Long.reverseBytes(fingerprint));
    }
}
