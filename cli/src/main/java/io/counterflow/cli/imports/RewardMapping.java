package io.counterflow.cli.imports;

import io.counterflow.core.log.RewardRange;
import java.util.function.DoubleUnaryOperator;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Maps the rewards of a log to [0, 1].
 *
 * @param range the range of the log's rewards
 */
record RewardMapping(RewardRange range) implements DoubleUnaryOperator {

    static final RewardMapping NONE = new RewardMapping(RewardRange.UNIT);

    @Override
    public double applyAsDouble(double reward) {
        try {
            return range.toUnit("reward", reward);
        } catch (IllegalArgumentException e) {
            throw new RejectedRecordException(
                    Rejection.REWARD, e.getMessage() + "; --reward-range maps another range");
        }
    }

    /** The reward of a cost: its negation. */
    double ofCost(double cost) {
        return applyAsDouble(0.0 - cost); // never -0.0
    }

    static final class Converter implements ITypeConverter<RewardMapping> {
        @Override
        public RewardMapping convert(String text) {
            String[] ends = text.split(",", -1);
            if (ends.length != 2) {
                throw new TypeConversionException(
                        "must be two numbers with a comma between them, got \"" + text + '"');
            }
            try {
                return new RewardMapping(
                        new RewardRange(
                                Double.parseDouble(ends[0].strip()),
                                Double.parseDouble(ends[1].strip())));
            } catch (NumberFormatException e) {
                throw new TypeConversionException("must be two numbers, got \"" + text + '"');
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }
}
