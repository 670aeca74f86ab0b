package io.counterflow.cli.demo;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the name of a data set. */
final class DatasetConverter implements ITypeConverter<Dataset> {

    @Override
    public Dataset convert(String text) {
        for (Dataset dataset : Dataset.values()) {
            if (dataset.toString().equals(text)) {
                return dataset;
            }
        }
        throw new TypeConversionException(
                "must be synthetic or fashion-mnist, got \"" + text + '"');
    }
}
