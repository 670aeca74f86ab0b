package io.counterflow.cli.offline;

import io.counterflow.core.learn.TrainerConfig;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code prior} or {@code zeros}. */
public final class StartConverter implements ITypeConverter<TrainerConfig.Start> {

    @Override
    public TrainerConfig.Start convert(String value) {
        return switch (value) {
            case "prior" -> TrainerConfig.Start.PRIOR;
            case "zeros" -> TrainerConfig.Start.ZEROS;
            default ->
                    throw new TypeConversionException(
                            "must be prior or zeros, got \"" + value + "\"");
        };
    }
}
