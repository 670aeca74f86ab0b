package io.counterflow.core.objective;

import io.counterflow.core.log.ExampleLog;
import java.util.Optional;

/**
 * What training minimises: the mean loss of the examples plus strength · ‖μ − centre‖².
 *
 * <p>Biases are learned but never regularised, as in the paper's experiments. {@link Objectives}
 * makes the objectives of the paper by name.
 */
public interface Objective {

    /** Where the regulariser pulls the weights to. */
    enum Centre {
        /** The logging policy's parameters: logging policy regularisation (LPR). */
        PRIOR,
        /** The origin, where every action is equally likely: L2. */
        ZERO
    }

    /** Its name on the command line and in snapshots, such as {@code ips-lpr}. */
    String name();

    /** λ, the regulariser's strength; 0 for none. */
    double strength();

    /** What the regulariser measures the distance to. */
    Centre centre();

    /**
     * The loss to descend during the next epoch. Most objectives always return the same; those that
     * depend on the whole sample make a pass over it here.
     */
    ExampleLoss lossForEpoch(SamplePass pass);

    /**
     * The loss itself where it is the same in every epoch, which is what learning from a stream
     * needs; empty where it depends on the whole sample.
     */
    default Optional<ExampleLoss> fixedLoss() {
        return Optional.empty();
    }

    /**
     * The same objective for a policy that the softmax decides only in part.
     *
     * <p>With an exploration floor ε the policy is (1 − ε) softmax + ε uniform. What uniform draws
     * earn does not depend on the parameters, so the data term is 1 − ε times that of the softmax.
     * For losses that are linear in π (IPS, logarithmic smoothing) this is the loss of the whole
     * policy, up to a constant; for convex ones (likelihood, trusted weights) it is an upper bound
     * that stays convex and keeps its pull on actions that the softmax has given up.
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
