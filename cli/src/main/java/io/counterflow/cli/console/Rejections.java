package io.counterflow.cli.console;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.schemas.file.AtomicFile;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The records that a conversion has rejected: names the first ones on standard error, writes all of
 * them to a file if there is one, and counts them by reason.
 *
 * @param <R> the reasons, in the order of the report
 */
public final class Rejections<R extends Enum<R> & Rejections.Reason> implements AutoCloseable {

    /** Why a record is rejected. */
    public interface Reason {

        /** The reason in the report. */
        String words();
    }

    private static final long MAX_NAMED = 20;

    private final Output output;
    private final ObjectMapper json = new ObjectMapper();
    private final @Nullable Path path;
    private final @Nullable AtomicFile file;
    private final @Nullable Writer writer;
    private final Map<R, Long> counts = new TreeMap<>();
    private long total;

    /**
     * @param path where to write all rejected records as JSON lines; null for no such file
     */
    public Rejections(Output output, @Nullable Path path) throws IOException {
        this.output = output;
        this.path = path;
        this.file = path == null ? null : AtomicFile.create(path);
        this.writer =
                file == null
                        ? null
                        : new BufferedWriter(
                                new OutputStreamWriter(file.out(), StandardCharsets.UTF_8));
    }

    /**
     * Adds a record.
     *
     * @param place where it is, such as its file and line
     */
    public void add(Map<String, Object> place, R reason, String detail) throws IOException {
        counts.merge(reason, 1L, Long::sum);
        if (total++ < MAX_NAMED) {
            String where =
                    place.entrySet().stream()
                            .map(part -> part.getKey() + " " + part.getValue())
                            .collect(Collectors.joining(", "));
            output.warn(printable("rejected: %s: %s: %s".formatted(where, reason.words(), detail)));
        }
        if (writer != null) {
            Map<String, Object> fields = new LinkedHashMap<>(place);
            fields.put("reason", reason.words());
            fields.put("detail", detail);
            writer.write(json.writeValueAsString(fields) + "\n");
        }
    }

    /** Ids come from outside and must not control the terminal. */
    private static String printable(String text) {
        return text.codePoints()
                .map(c -> Character.isISOControl(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    public long total() {
        return total;
    }

    /** Completes the file, and says how many records were not named. */
    public void finish() throws IOException {
        if (writer != null && file != null) {
            writer.flush();
            file.commit();
        }
        long unnamed = Math.max(0, total - MAX_NAMED);
        if (unnamed > 0) {
            output.warn(
                    Figures.count(unnamed, "more record was rejected", "more records were rejected")
                            + (path == null ? "; --rejected FILE lists all" : ""));
        }
    }

    /** Adds the counts to a report. */
    public void addTo(FieldReport report) {
        Map<String, Object> fields = new LinkedHashMap<>();
        Table table = Table.withColumns("rejected because", "records");
        counts.forEach(
                (reason, count) -> {
                    fields.put(reason.words(), count);
                    table.row(reason.words(), count);
                });
        report.field("rejected", total).field("rejectedBecause", fields);
        if (total > 0) {
            report.table(table);
        }
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
