package io.counterflow.cli.console;

import io.counterflow.core.log.RewardRange;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a range of rewards, such as {@code -1,1}. */
public final class RewardRangeConverter implements ITypeConverter<RewardRange> {

    @Override
    public RewardRange convert(String text) {
        String[] ends = text.split(",", -1);
        if (ends.length != 2) {
            throw new TypeConversionException(
                    "must be two numbers with a comma between them, got \"" + text + '"');
        }
        try {
            return new RewardRange(
                    Double.parseDouble(ends[0].strip()), Double.parseDouble(ends[1].strip()));
        } catch (NumberFormatException e) {
            throw new TypeConversionException("must be two numbers, got \"" + text + '"');
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}
