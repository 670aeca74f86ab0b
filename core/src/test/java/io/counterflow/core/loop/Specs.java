package io.counterflow.core.loop;

import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.spec.LearnerKind;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import java.time.Duration;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/** Specs to start from: LPR, small mini-batches, a candidate after each 40 examples, no floor. */
final class Specs {

    static final int ACTIONS = 4;
    static final int DIMENSION = 3;

    /** More bytes than any buffer of a test has. */
    static final long MANY_BYTES = Long.MAX_VALUE;

    private Specs() {}

    static LoopSpec dense() {
        return vectors(ACTIONS, DIMENSION).build();
    }

    static LoopSpec.Builder vectors(int actions, int features) {
        return usual(LoopSpec.builder("loop").vectors(features, ids(actions)));
    }

    static LoopSpec.Builder names(int bits) {
        return usual(LoopSpec.builder("loop").names(bits));
    }

    static String[] ids(int actions) {
        return IntStream.range(0, actions).mapToObj(a -> "a" + a).toArray(String[]::new);
    }

    private static LoopSpec.Builder usual(LoopSpec.Builder builder) {
        return batches(builder, 10, 2, 50, 7)
                .set(LoopSettings.LEARNER, LearnerKind.LPR)
                .set(LoopSettings.OBJECTIVE_NAME, ObjectiveName.IPS_LPR)
                .set(LoopSettings.LAMBDA, 1e-4)
                .set(LoopSettings.TAU, 0.01)
                .set(LoopSettings.SMOOTHING, 0.05)
                .set(LoopSettings.LEARNING_RATE, 0.5)
                .set(LoopSettings.ADA_GRAD_SMOOTHING, 1.0)
                .set(LoopSettings.SNAPSHOT_EXAMPLES, 40L)
                .set(LoopSettings.SNAPSHOT_REWARDS, 0.0)
                .set(LoopSettings.ATTRIBUTION_WINDOW, Duration.ZERO)
                .set(LoopSettings.DELTA, 0.05)
                .set(LoopSettings.EXPLORATION_FLOOR, 0.0);
    }

    static LoopSpec batches(LoopSpec spec, long size, long bufferSteps, long capacity, long seed) {
        return batches(spec.toBuilder(), size, bufferSteps, capacity, seed).build();
    }

    static LoopSpec.Builder batches(
            LoopSpec.Builder builder, long size, long bufferSteps, long capacity, long seed) {
        return builder.set(LoopSettings.BATCH_SIZE, size)
                .set(LoopSettings.BUFFER_STEPS, bufferSteps)
                .set(LoopSettings.BUFFER_CAPACITY, capacity)
                .set(LoopSettings.SEED, seed);
    }

    static LoopSpec of(LoopSpec spec, ObjectiveName objective) {
        LoopSpec.Builder builder = spec.toBuilder().set(LoopSettings.OBJECTIVE_NAME, objective);
        return objective.isBayesian()
                ? builder.set(LoopSettings.NORM_BOUND, OptionalDouble.of(2.0)).build()
                : builder.build();
    }
}
