package io.counterflow.schemas;

import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.Interaction;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.loop.StreamObjective;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopShape;
import io.counterflow.core.spec.RolloutMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SplittableRandom;

/** Loop specs drawn from a seed, over all that a spec may say. */
public final class SpecDraws {

    private final Draws draws;
    private final SplittableRandom random;

    public SpecDraws(long seed) {
        this.draws = new Draws(seed);
        this.random = draws.random();
    }

    public LoopSpec spec() {
        LoopShape shape = random.nextBoolean() ? dense() : hashed();
        DecisionRule decisions = random.nextBoolean() ? softmax() : mixedLogit();
        return new LoopSpec(
                "loop-" + random.nextInt(100),
                1 + random.nextLong(1_000_000),
                draws.time(),
                shape,
                maybe(random.nextDouble(1e-3, 1e3)),
                decisions,
                random.nextBoolean() ? Optional.empty() : Optional.of(start(shape)),
                learning(),
                new RewardRule(
                        Duration.ofMillis(random.nextLong(1_000_000_000_000L)),
                        random.nextDouble(),
                        any(RewardAggregation.values()),
                        false),
                rollout(decisions));
    }

    private LoopShape dense() {
        List<String> actions = new ArrayList<>();
        for (int a = 1 + random.nextInt(4); a > 0; a--) {
            actions.add(a + draws.text());
        }
        return new LoopShape.Dense(actions, 1 + random.nextInt(6));
    }

    private LoopShape hashed() {
        List<NamedAction> actions = new ArrayList<>();
        for (int a = random.nextInt(4); a > 0; a--) {
            actions.add(new NamedAction(a + draws.text(), features()));
        }
        return new LoopShape.Hashed(
                1 + random.nextInt(6),
                random.nextBoolean() ? List.of() : List.of(new Interaction("user", draws.text())),
                random.nextBoolean(),
                actions);
    }

    /** Within the range of a float, so that they can be hashed. */
    private NamedFeatures features() {
        return new NamedFeatures(
                List.of(
                        new NamedFeatures.Entry(
                                draws.text(), new FeatureValue.Quantity(draws.anyFloat())),
                        new NamedFeatures.Entry(draws.text(), new FeatureValue.Flag(true)),
                        new NamedFeatures.Entry(
                                draws.text(),
                                new NamedFeatures(
                                        List.of(
                                                new NamedFeatures.Entry(
                                                        draws.text(),
                                                        new FeatureValue.Text(draws.text())))))));
    }

    private DecisionRule softmax() {
        return decisions(DecisionRule.Kind.SOFTMAX, PropensityKind.EXACT, OptionalDouble.empty());
    }

    private DecisionRule mixedLogit() {
        return decisions(
                DecisionRule.Kind.MIXED_LOGIT,
                random.nextBoolean() ? PropensityKind.ESTIMATED : PropensityKind.UPPER_BOUND,
                OptionalDouble.of(random.nextDouble(1e-9, 1e3)));
    }

    private DecisionRule decisions(
            DecisionRule.Kind kind, PropensityKind propensities, OptionalDouble variance) {
        return new DecisionRule(
                kind,
                propensities,
                2 + random.nextInt(1_000),
                variance,
                random.nextDouble(),
                random.nextDouble(),
                random.nextInt(1_000),
                any(DecisionRule.UnloggedDecision.values()));
    }

    private PolicySnapshot start(LoopShape shape) {
        LinearModel model = shape.zeros();
        if (model instanceof DenseModel dense) {
            float[][] weights = new float[dense.actions()][];
            for (int a = 0; a < weights.length; a++) {
                weights[a] = parameters(dense.dimension());
            }
            model = new DenseModel(weights, parameters(dense.actions()));
        } else if (model instanceof HashedModel hashed) {
            model = new HashedModel(hashed.bits(), parameters(1 << hashed.bits()));
        }
        return PolicySnapshot.of("trained", random.nextLong(100), model, shape.encoder());
    }

    /** Any floats that a loop may start with. */
    private float[] parameters(int n) {
        float[] values = draws.floats(n);
        for (int i = 0; i < n; i++) {
            if (Math.abs(values[i]) > (float) 1e15) {
                values[i] = 1.0f / values[i];
            }
        }
        return values;
    }

    private LearningRule learning() {
        int batchSize = 1 + random.nextInt(500);
        return new LearningRule(
                new LearningRule.Loss(
                        any(StreamObjective.Kind.values()),
                        random.nextDouble(),
                        random.nextDouble(),
                        random.nextDouble(1e-6, 1.0),
                        maybe(random.nextDouble(1e-6, 1e6))),
                new LearningRule.Optimizer(
                        random.nextDouble(1e-6, 10.0), random.nextDouble(1e-6, 10.0)),
                new LearningRule.Batches(
                        batchSize,
                        random.nextInt(10),
                        batchSize + random.nextInt(1_000),
                        random.nextLong()),
                new LearningRule.Snapshots(
                        random.nextLong(1_000_000),
                        Duration.ofMillis(random.nextLong(1_000_000_000))),
                random.nextDouble(1e-6, 1.0),
                random.nextDouble(1e-6, 10.0));
    }

    private RolloutRule rollout(DecisionRule decisions) {
        RolloutMode mode = any(RolloutMode.values());
        boolean gateable = decisions.policy() == DecisionRule.Kind.SOFTMAX;
        return new RolloutRule(
                mode == RolloutMode.GATED && !gateable ? RolloutMode.MANUAL : mode,
                random.nextDouble(1e-6, 1.0),
                random.nextLong(1_000_000),
                random.nextBoolean());
    }

    private <T> T any(T[] values) {
        return values[random.nextInt(values.length)];
    }

    private OptionalDouble maybe(double value) {
        return random.nextBoolean() ? OptionalDouble.empty() : OptionalDouble.of(value);
    }
}
