package io.counterflow.core.objective;

import io.counterflow.core.log.ExampleLog;
import java.util.Optional;

/**
 * The function that training minimises: the mean loss of the examples plus strength · ‖μ −
 * centre‖².
 *
 * <p>Biases are learned but not regularised, as in the paper's experiments, except by the Bayesian
 * objectives. {@link Objectives} creates the objectives of the paper.
 */
public interface Objective {

    /** The centre of the regulariser. */
    enum Centre {
        /** The logging policy's parameters: logging policy regularisation (LPR). */
        PRIOR,
        /** The origin, at which every action is equally likely: L2. */
        ZERO
    }

    /** Its name on the command line and in snapshots, such as {@code ips-lpr}. */
    String name();

    /** λ, the regulariser's strength; 0 for none. */
    double strength();

    /** The centre of the regulariser. */
    Centre centre();

    /**
     * Whether biases are regularised like weights. Objectives that minimise a bound need it,
     * because the bound charges for biases that differ from the prior's.
     */
    default boolean regularisesBiases() {
        return false;
    }

    /**
     * The loss for the next epoch. Most objectives always return the same loss; those that depend
     * on the whole sample make a pass over it.
     */
    ExampleLoss lossForEpoch(SamplePass pass);

    /**
     * The loss if it is the same in every epoch, which streams need; empty if it depends on the
     * whole sample.
     */
    default Optional<ExampleLoss> fixedLoss() {
        return Optional.empty();
    }

    /**
     * The same objective for a policy in which the softmax decides only a share of the events.
     *
     * <p>With an exploration floor ε the policy is (1 − ε) softmax + ε uniform. The reward of
     * uniform draws does not depend on the parameters, so the data term is 1 − ε times that of the
     * softmax. For losses that are linear in π (IPS, logarithmic smoothing) this is the loss of the
     * whole policy, up to a constant; for convex ones (likelihood, trusted weights) it is an upper
     * bound that is convex and still has a gradient for actions with a small probability.
     *
     * @param share 1 − ε, in [0, 1]
     */
    Objective withSoftmaxShare(double share);

    /**
     * The objective's data term for the whole sample, without the regulariser.
     *
     * @param logProbabilities ln π(a<sub>i</sub>|x<sub>i</sub>) of every example. Not modified.
     */
    double dataTerm(ExampleLog log, double[] logProbabilities);
}
