package io.counterflow.flink.state;

import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopShape;
import io.counterflow.core.spec.LoopSpec;

/** Estimates the heap of a loop from its spec. */
public final class LoopHeap {

    /**
     * Shapes of learner and versions, prior, parameters, centre, gradient, squared gradients, the
     * three scored policies and the starting policy.
     */
    private static final long COPIES_OF_PARAMETERS = 11;

    /**
     * Means and variances of champion and challenger, the starting policy as a model and as an
     * array, and the parameters of the last policy.
     */
    private static final long COPIES_OF_A_REWARD_MODEL = 7;

    /** Shape, prior, parameters, centre, gradient and squared gradients of LPR. */
    private static final long COPIES_OF_LPR = 6;

    private static final long SCORED_POLICIES = 3;

    /** Weights of scored dense policies are also stored transposed, for so many actions each. */
    private static final long ACTIONS_OF_A_BLOCK = 16;

    private static final long BYTES_AROUND = 16_384;

    /** Bytes per example of a mini-batch: its place, its context and its terms of the products. */
    private static final long BYTES_OF_A_PLACE = 32;

    /** Bytes per example and action of a mini-batch: a score and an error. */
    private static final long BYTES_OF_A_SCORE = 8;

    private LoopHeap() {}

    /** Everything except the buffer and registered policies, in bytes. */
    public static long withoutBuffer(LoopSpec spec) {
        LoopShape shape = spec.shape();
        long batch = spec.get(LoopSettings.BATCH_SIZE);
        long scores = shape instanceof LoopShape.Dense dense ? dense.actions().size() : 0;
        long blocks = (scores + ACTIONS_OF_A_BLOCK - 1) / ACTIONS_OF_A_BLOCK;
        long transposed = scores == 0 ? 0 : ofPolicy(spec) / scores * blocks * ACTIONS_OF_A_BLOCK;
        long copies =
                COPIES_OF_PARAMETERS
                        + (spec.learner().hasRewardModel() ? COPIES_OF_A_REWARD_MODEL : 0)
                        - (spec.learner().hasLpr() ? 0 : COPIES_OF_LPR);
        long baselines = spec.hasHoldout() ? 1 : 0;
        return BYTES_AROUND
                + (copies + baselines) * ofPolicy(spec)
                + (SCORED_POLICIES + baselines) * transposed
                + batch * (BYTES_OF_A_PLACE + BYTES_OF_A_SCORE * scores);
    }

    /** The largest policy of loops that need at most so much heap, in bytes. */
    public static long maxPolicy(long maxLoopBytes) {
        return maxLoopBytes / COPIES_OF_PARAMETERS;
    }

    /** The parameters of one policy, such as a registered one, in bytes. */
    public static long ofPolicy(LoopSpec spec) {
        return Float.BYTES * spec.shape().parameterCount();
    }
}
