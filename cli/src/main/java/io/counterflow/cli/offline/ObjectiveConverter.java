package io.counterflow.cli.offline;

import io.counterflow.core.objective.ObjectiveName;
import java.util.Arrays;
import java.util.Iterator;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** From the name of an objective on the command line. */
public final class ObjectiveConverter implements ITypeConverter<ObjectiveName> {

    @Override
    public ObjectiveName convert(String value) {
        try {
            return ObjectiveName.named(value);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }

    /** The names, for help and completion. */
    public static final class Candidates implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(ObjectiveName.values()).map(ObjectiveName::toString).iterator();
        }
    }
}
