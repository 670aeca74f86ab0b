package io.counterflow.schemas;

import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.Interaction;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.RewardRange;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LearnerKind;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopShape;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.core.spec.Setting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SplittableRandom;

/**
 * Loop specs drawn from a seed. Every setting of the table gets a random value of its kind and
 * range; then settings that depend on each other are drawn again.
 */
public final class SpecDraws {

    private final Draws draws;
    private final SplittableRandom random;

    public SpecDraws(long seed) {
        this.draws = new Draws(seed);
        this.random = draws.random();
    }

    public LoopSpec spec() {
        LoopSpec.Builder spec =
                LoopSpec.builder("loop-" + random.nextInt(100))
                        .at(1 + random.nextLong(1_000_000), draws.time());
        LoopSettings.ALL.forEach(setting -> set(spec, setting));
        drawShape(spec);
        boolean bayesian = drawObjective(spec);
        drawPolicy(spec, bayesian);
        drawBuffer(spec);
        drawRewards(spec);
        if (spec.get(LoopSettings.ROLLOUT_MODE) == RolloutMode.APPRENTICE) {
            spec.set(LoopSettings.LEARNER, LearnerKind.BEST).set(LoopSettings.HOLDOUT_SHARE, 0.0);
        }
        spec.set(
                LoopSettings.FEATURE_LIMIT,
                random.nextLong(10_000, 10_000_000)); // fits the actions
        spec.set(LoopSettings.STARTING_POLICY, Optional.empty());
        LoopSpec drawn = spec.build();
        return random.nextBoolean()
                ? drawn
                : drawn.with(LoopSettings.STARTING_POLICY, Optional.of(start(drawn.shape())));
    }

    private void drawRewards(LoopSpec.Builder spec) {
        RewardRange range = new RewardRange(-10.0 * random.nextDouble(), 100.0);
        spec.set(LoopSettings.REWARD_RANGE, range)
                .set(LoopSettings.DEFAULT_REWARD, range.fromUnit(random.nextDouble()))
                .set(LoopSettings.MINIMUM_GAIN, random.nextDouble(-100.0, 100.0));
    }

    /** Draws until the value is within the range, which only the setting knows. */
    private <T> void set(LoopSpec.Builder spec, Setting<T> setting) {
        int attempts = 0;
        while (!accepts(spec, setting)) {
            if (++attempts == 10_000) {
                throw new IllegalStateException("no draw is in the range of " + setting);
            }
        }
    }

    @SuppressWarnings("unchecked") // any returns the type of the setting's kind
    private <T> boolean accepts(LoopSpec.Builder spec, Setting<T> setting) {
        try {
            spec.set(setting, (T) any(setting));
            return true;
        } catch (IllegalArgumentException outOfRange) {
            return false;
        }
    }

    private Object any(Setting<?> setting) {
        return switch (setting.kind()) {
            case NUMBER -> number();
            case OPTIONAL_NUMBER ->
                    random.nextBoolean() ? OptionalDouble.empty() : OptionalDouble.of(number());
            case WHOLE -> whole();
            case OPTIONAL_WHOLE ->
                    random.nextBoolean() ? OptionalLong.empty() : OptionalLong.of(whole());
            case FLAG -> random.nextBoolean();
            case DURATION -> Duration.ofMillis(whole());
            case WORD ->
                    Objects.requireNonNull(
                            setting.constant(
                                    setting.words().get(random.nextInt(setting.words().size()))));
            case REWARD_RANGE -> new RewardRange(-random.nextDouble(), 1e-3 + number() / 1e7);
            case INTERACTIONS -> interactions();
            case ACTIONS -> actions(random.nextInt(4));
            case SNAPSHOT ->
                    random.nextBoolean() ? Optional.empty() : Optional.of(draws.snapshot());
        };
    }

    /** Numbers of all usual magnitudes. */
    private double number() {
        return random.nextDouble() * Math.pow(10.0, random.nextInt(-12, 16));
    }

    /** Numbers of all magnitudes, with either sign. */
    private long whole() {
        return random.nextLong() >> random.nextInt(64);
    }

    private List<Interaction> interactions() {
        List<Interaction> interactions = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            interactions.add(new Interaction("user", draws.text()));
        }
        return interactions;
    }

    private List<NamedAction> actions(int n) {
        List<NamedAction> actions = new ArrayList<>();
        for (int a = 0; a < n; a++) {
            boolean known = random.nextBoolean();
            actions.add(
                    new NamedAction(a + draws.text(), known ? features() : NamedFeatures.none()));
        }
        return actions;
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

    /** Either vectors or named features, with small models. */
    private void drawShape(LoopSpec.Builder spec) {
        OptionalLong size = OptionalLong.of(1 + random.nextInt(6));
        if (random.nextBoolean()) {
            spec.set(LoopSettings.FEATURES, OptionalLong.empty()).set(LoopSettings.BITS, size);
            return;
        }
        spec.set(LoopSettings.FEATURES, size)
                .set(LoopSettings.BITS, OptionalLong.empty())
                .set(LoopSettings.INTERACTIONS, EncoderSpec.ALL_INTERACTIONS)
                .set(LoopSettings.ACTION_IDS, true)
                .set(
                        LoopSettings.ACTIONS,
                        LoopShape.unnamed(
                                actions(1 + random.nextInt(4)).stream()
                                        .map(NamedAction::id)
                                        .toList()));
    }

    /** Returns whether it is a Bayesian one, which needs a norm bound. */
    private boolean drawObjective(LoopSpec.Builder spec) {
        List<ObjectiveName> names = ObjectiveName.ofStreams();
        ObjectiveName name = names.get(random.nextInt(names.size()));
        spec.set(LoopSettings.OBJECTIVE_NAME, name);
        if (name.isBayesian()) {
            spec.set(LoopSettings.NORM_BOUND, OptionalDouble.of(random.nextDouble(1e-9, 1e3)));
        }
        return name.isBayesian();
    }

    private void drawPolicy(LoopSpec.Builder spec, boolean bayesian) {
        if (bayesian) {
            spec.set(LoopSettings.LEARNER, LearnerKind.BEST);
        }
        if (random.nextBoolean()) {
            spec.set(LoopSettings.POLICY, PolicyKind.SOFTMAX)
                    .set(LoopSettings.PROPENSITY_KIND, PropensityKind.EXACT)
                    .set(LoopSettings.VARIANCE, OptionalDouble.empty());
            return;
        }
        spec.set(LoopSettings.LEARNER, LearnerKind.LPR)
                .set(LoopSettings.POLICY, PolicyKind.MIXED_LOGIT)
                .set(
                        LoopSettings.PROPENSITY_KIND,
                        random.nextBoolean()
                                ? PropensityKind.ESTIMATED
                                : PropensityKind.UPPER_BOUND)
                .set(
                        LoopSettings.VARIANCE,
                        bayesian && random.nextBoolean()
                                ? OptionalDouble.empty()
                                : OptionalDouble.of(random.nextDouble(1e-9, 1e3)))
                .set(
                        LoopSettings.ROLLOUT_MODE,
                        random.nextBoolean() ? RolloutMode.MANUAL : RolloutMode.IMMEDIATE);
    }

    private void drawBuffer(LoopSpec.Builder spec) {
        long batchSize = 1 + random.nextLong(500);
        spec.set(LoopSettings.BATCH_SIZE, batchSize)
                .set(LoopSettings.BUFFER_CAPACITY, batchSize + random.nextLong(1_000));
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
}
