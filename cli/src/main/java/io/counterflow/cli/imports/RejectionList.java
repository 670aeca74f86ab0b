package io.counterflow.cli.imports;

import io.counterflow.schemas.file.AtomicFile;
import io.counterflow.schemas.json.JsonText;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Names the first rejected records, writes all of them to a file if there is one, and counts. */
final class RejectionList implements AutoCloseable {

    private final Consumer<String> names;
    private final long maxNamed;
    private final @Nullable AtomicFile file;
    private final @Nullable Writer writer;
    private final Map<Rejection, Long> counts = new EnumMap<>(Rejection.class);
    private long total;

    /**
     * @param names receives the name and the reason of the first {@code maxNamed} records
     * @param path where to write all of them as JSON lines; null for no such file
     */
    RejectionList(Consumer<String> names, long maxNamed, @Nullable Path path) throws IOException {
        this.names = names;
        this.maxNamed = maxNamed;
        this.file = path == null ? null : AtomicFile.create(path);
        this.writer =
                file == null
                        ? null
                        : new BufferedWriter(
                                new OutputStreamWriter(file.out(), StandardCharsets.UTF_8));
    }

    void add(Path source, long line, Rejection reason, String detail) throws IOException {
        counts.merge(reason, 1L, Long::sum);
        if (total++ < maxNamed) {
            names.accept(
                    "rejected: %s, line %d: %s: %s"
                            .formatted(source, line, reason.words(), detail));
        }
        if (writer != null) {
            StringBuilder json = new StringBuilder(160).append("{\"file\":");
            JsonText.append(source.toString(), json);
            json.append(",\"line\":").append(line).append(",\"reason\":");
            JsonText.append(reason.words(), json);
            json.append(",\"detail\":");
            JsonText.append(detail, json);
            writer.write(json.append("}\n").toString());
        }
    }

    Map<Rejection, Long> counts() {
        return counts;
    }

    long total() {
        return total;
    }

    /** How many rejected records were not named. */
    long unnamed() {
        return Math.max(0, total - maxNamed);
    }

    /** Completes the file, if there is one. */
    void finish() throws IOException {
        if (writer != null && file != null) {
            writer.flush();
            file.commit();
        }
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
