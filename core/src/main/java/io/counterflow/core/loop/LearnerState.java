package io.counterflow.core.loop;

import io.counterflow.core.log.LoggedExample;
import java.util.List;

/**
 * The state of the learner of a loop, for storage. Immutable; arrays are copied on input and
 * output.
 *
 * <p>Arrays have a number for each parameter of the model: weights action by action, then biases.
 */
public final class LearnerState {

    private final LearnerProgress progress;
    private final float[] prior;
    private final float[] parameters;
    private final float[] squaredGradientSum;
    private final List<LoggedExample> examples;

    /**
     * @param squaredGradientSum AdaGrad's state
     * @param examples the buffer, oldest example first
     */
    public LearnerState(
            LearnerProgress progress,
            float[] prior,
            float[] parameters,
            float[] squaredGradientSum,
            List<LoggedExample> examples) {
        if (prior.length != parameters.length || prior.length != squaredGradientSum.length) {
            throw new IllegalArgumentException(
                    "prior, parameters and squaredGradientSum must be equally long, got %d, %d, %d"
                            .formatted(prior.length, parameters.length, squaredGradientSum.length));
        }
        if (examples.size() < progress.pending() || examples.size() > progress.received()) {
            throw new IllegalArgumentException(
                    "examples must be between %d pending and %d received ones, got %d"
                            .formatted(progress.pending(), progress.received(), examples.size()));
        }
        this.progress = progress;
        this.prior = prior.clone();
        this.parameters = parameters.clone();
        this.squaredGradientSum = squaredGradientSum.clone();
        this.examples = List.copyOf(examples);
    }

    public LearnerProgress progress() {
        return progress;
    }

    /** The prior's parameters; a copy. */
    public float[] prior() {
        return prior.clone();
    }

    /** The parameters; a copy. */
    public float[] parameters() {
        return parameters.clone();
    }

    /** AdaGrad's state; a copy. */
    public float[] squaredGradientSum() {
        return squaredGradientSum.clone();
    }

    /** The buffer, oldest example first. */
    public List<LoggedExample> examples() {
        return examples;
    }

    /** Contains sizes only: features are user data and must not be logged. */
    @Override
    public String toString() {
        return "LearnerState[%s, %d parameters, %d examples]"
                .formatted(progress, parameters.length, examples.size());
    }
}
