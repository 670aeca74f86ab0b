package io.counterflow.cli.imports;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A format that can be imported. */
enum ImportFormat {
    DSJSON,
    VW_TEXT,
    OPEN_BANDIT,
    CSV,
    JSONL;

    /** Its name on the command line. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static final class Converter implements ITypeConverter<ImportFormat> {
        @Override
        public ImportFormat convert(String text) {
            for (ImportFormat format : values()) {
                if (format.word().equals(text)) {
                    return format;
                }
            }
            List<String> words = Arrays.stream(values()).map(ImportFormat::word).toList();
            throw new TypeConversionException(
                    "must be one of %s, got \"%s\"".formatted(String.join(", ", words), text));
        }
    }
}
