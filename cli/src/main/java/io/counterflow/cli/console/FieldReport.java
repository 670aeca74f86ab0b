package io.counterflow.cli.console;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A report of named fields. The JSON form has all fields; the text has lines and tables, in the
 * order in which they are added. A field with a label is also a row of the current section.
 */
public final class FieldReport implements Report {

    private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    private final List<Object> parts = new ArrayList<>(); // lines and tables
    private Table section = Table.withColumns("", "");

    /** Adds a field that only the JSON form shows. */
    public FieldReport field(String name, @Nullable Object value) {
        fields.put(name, unwrapped(value));
        return this;
    }

    /** Adds a field that is also a row of the current section. */
    public FieldReport field(String name, String label, @Nullable Object value) {
        section.row(label, unwrapped(value));
        return field(name, value);
    }

    /** Adds several fields that only the JSON form shows. */
    public FieldReport fields(Map<String, ? extends @Nullable Object> more) {
        more.forEach(this::field);
        return this;
    }

    /** Adds a row of the current section that only the text shows. */
    public FieldReport row(String label, @Nullable Object value) {
        section.row(label, unwrapped(value));
        return this;
    }

    /** Starts a section: a table of labels and values. */
    public FieldReport section(String title) {
        return section(title, "");
    }

    /** Starts a section whose column of values has a heading. */
    public FieldReport section(String title, String heading) {
        section = Table.withColumns(title, heading);
        return table(section);
    }

    public FieldReport table(Table table) {
        parts.add(table);
        return this;
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation's library is not a dependency
    public FieldReport line(String format, @Nullable Object... arguments) {
        parts.add(arguments.length == 0 ? format : format.formatted(arguments));
        return this;
    }

    private static @Nullable Object unwrapped(@Nullable Object value) {
        if (value instanceof OptionalDouble number) {
            return number.isPresent() ? (Double) number.getAsDouble() : null;
        }
        if (value instanceof OptionalLong number) {
            return number.isPresent() ? (Long) number.getAsLong() : null;
        }
        return value instanceof Optional<?> optional ? optional.orElse(null) : value;
    }

    /** The lines and tables, with an empty line before and after each table. */
    @Override
    public String toText() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < parts.size(); i++) {
            boolean table = parts.get(i) instanceof Table;
            if (i > 0 && (table || parts.get(i - 1) instanceof Table)) {
                text.append(System.lineSeparator());
            }
            text.append(parts.get(i)).append(table ? "" : System.lineSeparator());
        }
        return text.toString();
    }

    @Override
    public Map<String, @Nullable Object> toJson() {
        return fields;
    }
}
