package io.counterflow.core.learn;

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
     * The objective's data term for the whole sample, without the regulariser.
     *
     * @param logProbabilities ln π(a<sub>i</sub>|x<sub>i</sub>) of every example. Not modified.
     */
    double dataTerm(ExampleLog log, double[] logProbabilities);
}
