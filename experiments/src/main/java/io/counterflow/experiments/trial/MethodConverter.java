package io.counterflow.experiments.trial;

import java.util.Arrays;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts the name of a method. */
public final class MethodConverter implements ITypeConverter<Method> {

    @Override
    public Method convert(String text) {
        for (Method method : Method.values()) {
            if (method.toString().equals(text)) {
                return method;
            }
        }
        throw new TypeConversionException(
                "must be one of %s, got \"%s\""
                        .formatted(
                                Arrays.stream(Method.values())
                                        .map(Method::toString)
                                        .collect(Collectors.joining(", ")),
                                text));
    }
}
