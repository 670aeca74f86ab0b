package io.counterflow.experiments.worlds;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.HashedEncoder;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.spec.LoopSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Ten fixed actions, some of which are excluded from each request.
 *
 * <p>A context has ten normal coordinates, divided by √10. The log-odds of a reward of action a are
 * −2 + b<sub>a</sub> + θ<sub>a</sub>·x, with normal b<sub>a</sub> (deviation 0.5) and θ<sub>a</sub>
 * (deviation 1.5 for each coordinate). Each action is excluded with probability 0.3, but never all
 * of them. Rewards are about 17 to 47 %.
 *
 * <p>Learners get the context as a vector, or the same numbers as named features; the stream is the
 * same.
 */
final class VectorWorld implements World {

    private static final int ACTIONS = 10;
    private static final int DIMENSION = 10;
    private static final double BASE = -2.0;
    private static final double BIAS = 0.5;
    private static final double WEIGHT = 1.5;
    private static final double EXCLUDED = 0.3;
    private static final int BITS = 14;

    private final boolean hashed;
    private final EventRandom random;
    private final HashedEncoder encoder = new HashedEncoder(EncoderSpec.ofBits(BITS));
    private final double[][] weights = new double[ACTIONS][DIMENSION + 1];
    private final List<NamedAction> actions =
            IntStream.range(0, ACTIONS)
                    .mapToObj(a -> new NamedAction("a" + a, NamedFeatures.none()))
                    .toList();

    VectorWorld(boolean hashed, long seed) {
        this.hashed = hashed;
        this.random = EventRandom.named("vectors/" + seed);
        for (double[] ofAction : weights) {
            for (int j = 0; j <= DIMENSION; j++) {
                ofAction[j] = (j < DIMENSION ? WEIGHT : BIAS) * random.nextGaussian();
            }
        }
    }

    @Override
    public LoopSpec.Builder spec() {
        LoopSpec.Builder spec = LoopSpec.builder("world");
        return hashed
                ? spec.names(BITS)
                : spec.vectors(
                        DIMENSION, actions.stream().map(NamedAction::id).toArray(String[]::new));
    }

    @Override
    public Request next() {
        float[] x = new float[DIMENSION];
        for (int j = 0; j < DIMENSION; j++) {
            x[j] = (float) (random.nextGaussian() / Math.sqrt(DIMENSION));
        }
        double[] rewards = new double[ACTIONS];
        for (int a = 0; a < ACTIONS; a++) {
            double logOdds = BASE + weights[a][DIMENSION];
            for (int j = 0; j < DIMENSION; j++) {
                logOdds += weights[a][j] * x[j];
            }
            rewards[a] = 1.0 / (1.0 + Math.exp(-logOdds));
        }
        int always = random.nextInt(ACTIONS);
        AllowedActions allowed =
                AllowedActions.allBut(
                        IntStream.range(0, ACTIONS)
                                .filter(a -> random.nextDouble() < EXCLUDED && a != always)
                                .toArray());
        Features features = hashed ? encoder.encode(named(x), actions) : DenseVector.owning(x);
        return new Request(features, allowed, rewards, random.nextDouble(), () -> lines(x));
    }

    private static NamedFeatures named(float[] x) {
        List<NamedFeatures.Entry> entries = new ArrayList<>();
        for (int j = 0; j < x.length; j++) {
            entries.add(new NamedFeatures.Entry("x" + j, new FeatureValue.Quantity(x[j])));
        }
        return new NamedFeatures(entries);
    }

    private List<String> lines(float[] x) {
        StringBuilder shared = new StringBuilder("shared |u");
        for (int j = 0; j < x.length; j++) {
            shared.append(" x").append(j).append(':').append(x[j]);
        }
        List<String> lines = new ArrayList<>();
        lines.add(shared.toString());
        actions.forEach(action -> lines.add("|a " + action.id()));
        return lines;
    }
}
