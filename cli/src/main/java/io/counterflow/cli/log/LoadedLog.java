package io.counterflow.cli.log;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.log.PolicyOnLog;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import java.time.Instant;
import java.util.BitSet;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * One loop's examples, read from log files.
 *
 * @param loop the loop's name
 * @param examples the examples; a missing propensity is 1
 * @param missingPropensities positions of the examples without a logged propensity
 * @param shape a model that fits the examples, all zero
 * @param encoder how named features were hashed; present exactly when the shape is hashed
 * @param normBound the bound that was enforced on the features
 * @param latest the latest impression's time
 * @param skipped number of skipped bad lines
 */
public record LoadedLog(
        String loop,
        ExampleLog examples,
        BitSet missingPropensities,
        LinearModel shape,
        Optional<EncoderSpec> encoder,
        OptionalDouble normBound,
        Instant latest,
        long skipped) {

    /** Whether some propensities are missing, or estimated. */
    public boolean lacksPropensities() {
        return !missingPropensities.isEmpty();
    }

    /** Refuses a log without propensities. */
    public void requirePropensities(String remedy) {
        if (lacksPropensities()) {
            throw new BadInputException(
                    "the log lacks the propensity of %d of its %d impressions; %s"
                            .formatted(missingPropensities.cardinality(), examples.size(), remedy));
        }
    }

    /** The same log, with missing propensities estimated by a learned logging policy. */
    public LoadedLog withPropensitiesOf(LinearModel loggingPolicy) {
        PolicyOnLog policy = new PolicyOnLog(Policy.softmax(loggingPolicy), examples);
        ExampleLog estimated = new ExampleLog();
        for (int i = 0; i < examples.size(); i++) {
            LoggedExample example = examples.example(i);
            if (missingPropensities.get(i)) {
                // A softmax is above zero, but may round to zero.
                example =
                        example.withPropensity(Math.max(Double.MIN_NORMAL, policy.probability(i)));
            }
            estimated.add(example);
        }
        return with(estimated, missingPropensities);
    }

    /** The same log with other examples. */
    public LoadedLog with(ExampleLog others, BitSet missing) {
        return new LoadedLog(loop, others, missing, shape, encoder, normBound, latest, skipped);
    }
}
