package io.counterflow.experiments.gate;

import io.counterflow.core.confidence.MeanWeightBounds;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.rollout.ComparedExample;
import io.counterflow.core.rollout.ComparedVersion;
import io.counterflow.core.rollout.Gate;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.LongStream;

/**
 * False promotions of candidates that are exactly as good as the active version, but choose other
 * actions. No candidate that is worse is promoted more often.
 *
 * @param candidates number of candidates that are compared at the same time
 * @param share the share of the events that the first of them decides
 * @param delta the sum of their shares of δ
 * @param streams number of streams
 * @param promoted number of streams in which one of the candidates was promoted
 */
record GateErrors(int candidates, double share, double delta, int streams, long promoted) {

    private static final double RATE = 0.5;
    private static final double[] FACTORS = {2.0, 2.0, 4.0, 4.0};

    /**
     * Gives the streams to the gate alone, on all processors. The rewards are frequent, so that the
     * gate looks at many differences.
     *
     * @param candidates at most 4
     */
    static GateErrors of(int candidates, double share, double delta, int streams, int events) {
        long promoted =
                LongStream.range(0, streams)
                        .parallel()
                        .filter(seed -> promotes(candidates, share, events, seed))
                        .count();
        return new GateErrors(candidates, share, spent(candidates, delta), streams, promoted);
    }

    /** The sum of the first shares 6δ/(π²j²). */
    private static double spent(int comparisons, double delta) {
        double sum = 0.0;
        for (int j = 1; j <= comparisons; j++) {
            sum += 6.0 * delta / (Math.PI * Math.PI * j * j);
        }
        return sum;
    }

    private static boolean promotes(int candidates, double share, int events, long seed) {
        GateWorld world = new GateWorld(RATE, seed);
        LoopSpec spec = GateStream.spec().at(1, Instant.EPOCH).build();
        Gate gate = Gate.start(spec);
        double[][] active = world.probabilities(spec.policyOf(world.start()));
        List<double[][]> others = new ArrayList<>();
        for (int i = 0; i < candidates; i++) {
            DenseModel equal = world.equalModel(FACTORS[i], i % 2 == 0);
            others.add(world.probabilities(spec.policyOf(equal)));
            gate.register(i + 1, 0, "equal");
        }
        EventRandom random = new EventRandom(~seed);
        for (int event = 0; event < events; event++) {
            int context = random.nextInt(GateWorld.CONTEXTS);
            double[] logging = mixture(active[context], others.get(0)[context], share);
            int action = draw(logging, random);
            double reward = random.nextDouble() < world.reward(context, action) ? 1.0 : 0.0;
            double p = logging[action];
            List<ComparedVersion> registered = new ArrayList<>(candidates);
            for (double[][] other : others) {
                registered.add(
                        new ComparedVersion(
                                other[context][action],
                                ComparedVersion.loss(
                                        active[context],
                                        other[context],
                                        logging,
                                        GateWorld.ACTIONS)));
            }
            Optional<RolloutChange> change =
                    gate.observe(
                            new ComparedExample(
                                    0,
                                    event,
                                    p,
                                    1.0 / (1.0 - share),
                                    0.0,
                                    reward,
                                    OptionalDouble.empty(),
                                    ComparedVersion.of(active[context][action]),
                                    ComparedVersion.NONE,
                                    ComparedVersion.NONE,
                                    registered,
                                    p,
                                    MeanWeightBounds.maxWeight(
                                            GateWorld.ACTIONS,
                                            spec.get(LoopSettings.EXPLORATION_FLOOR)),
                                    ComparedExample.Evidence.USABLE));
            if (change.isPresent() && change.get().startsGeneration()) {
                return true;
            }
        }
        return false;
    }

    private static double[] mixture(double[] active, double[] candidate, double share) {
        double[] mixture = new double[active.length];
        for (int action = 0; action < mixture.length; action++) {
            mixture[action] = (1.0 - share) * active[action] + share * candidate[action];
        }
        return mixture;
    }

    private static int draw(double[] probabilities, EventRandom random) {
        double left = random.nextDouble();
        for (int action = 0; action < probabilities.length - 1; action++) {
            left -= probabilities[action];
            if (left < 0.0) {
                return action;
            }
        }
        return probabilities.length - 1;
    }

    /**
     * The largest number of errors that is plausible if each stream has one with probability δ: the
     * smallest k with P(X ≤ k) ≥ 0.99 for a binomial X.
     */
    static int allowed(int streams, double delta) {
        double log = streams * Math.log1p(-delta); // ln P(X = 0)
        double below = Math.exp(log);
        int k = 0;
        while (below < 0.99) {
            k++;
            log += Math.log((streams - k + 1.0) / k * delta / (1.0 - delta));
            below += Math.exp(log);
        }
        return k;
    }
}
