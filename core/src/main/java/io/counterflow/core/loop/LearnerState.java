package io.counterflow.core.loop;

import io.counterflow.core.rewardmodel.RewardModelState;
import java.util.Optional;

/**
 * The state of the learner of a loop, for storage. Immutable; arrays are copied on input and
 * output.
 *
 * <p>Arrays have a number for each parameter of the model: weights action by action, then biases.
 * They are empty in a loop that does not learn with LPR.
 */
public final class LearnerState {

    private final LearnerProgress progress;
    private final float[] prior;
    private final float[] parameters;
    private final float[] squaredGradientSum;
    private final BufferState buffer;
    private final Optional<RewardModelState> rewardModel;
    private final EvidenceState evidence;

    /**
     * @param squaredGradientSum AdaGrad's state
     * @param rewardModel the state of the reward model; empty in a loop without one
     * @param evidence which of the two learners is better
     */
    public LearnerState(
            LearnerProgress progress,
            float[] prior,
            float[] parameters,
            float[] squaredGradientSum,
            BufferState buffer,
            Optional<RewardModelState> rewardModel,
            EvidenceState evidence) {
        if (prior.length != parameters.length || prior.length != squaredGradientSum.length) {
            throw new IllegalArgumentException(
                    "prior, parameters and squaredGradientSum must be equally long, got %d, %d, %d"
                            .formatted(prior.length, parameters.length, squaredGradientSum.length));
        }
        if (buffer.open().size() < progress.pending() || buffer.size() > progress.received()) {
            throw new IllegalArgumentException(
                    "the buffer must have between %d pending and %d received examples, got %s"
                            .formatted(progress.pending(), progress.received(), buffer));
        }
        this.progress = progress;
        this.prior = prior.clone();
        this.parameters = parameters.clone();
        this.squaredGradientSum = squaredGradientSum.clone();
        this.buffer = buffer;
        this.rewardModel = rewardModel;
        this.evidence = evidence;
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

    public BufferState buffer() {
        return buffer;
    }

    public Optional<RewardModelState> rewardModel() {
        return rewardModel;
    }

    public EvidenceState evidence() {
        return evidence;
    }

    /** Contains sizes only: features are user data and must not be logged. */
    @Override
    public String toString() {
        return "LearnerState[%s, %d parameters, %s]".formatted(progress, parameters.length, buffer);
    }
}
