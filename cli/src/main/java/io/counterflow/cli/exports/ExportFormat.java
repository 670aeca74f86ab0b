package io.counterflow.cli.exports;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A format that can be exported. */
enum ExportFormat {
    JSONL,
    AVRO,
    DSJSON,
    PARQUET;

    /** Its name on the command line. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it is a log of Counterflow, whose rewards are in [0, 1]. */
    boolean isOwn() {
        return this == JSONL || this == AVRO;
    }

    static final class Converter implements ITypeConverter<ExportFormat> {
        @Override
        public ExportFormat convert(String text) {
            for (ExportFormat format : values()) {
                if (format.word().equals(text)) {
                    return format;
                }
            }
            List<String> words = Arrays.stream(values()).map(ExportFormat::word).toList();
            throw new TypeConversionException(
                    "must be one of %s, got \"%s\"".formatted(String.join(", ", words), text));
        }
    }
}
