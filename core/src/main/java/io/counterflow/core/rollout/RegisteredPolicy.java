package io.counterflow.core.rollout;

import io.counterflow.core.features.HashedEncoder;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopShape;
import io.counterflow.core.spec.LoopSpec;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.LongFunction;

/** A policy that a person registers as a candidate: with its parameters, or by a short form. */
public sealed interface RegisteredPolicy {

    /**
     * Scores of a policy that always chooses the best action, times the inverse temperature: the
     * largest weight is about this large. It is so large that scores which differ in the last bit
     * of a float give probabilities of 0 and 1, and so small that scores stay finite.
     */
    double SHARPNESS = 1L << 30;

    /**
     * Its parameters.
     *
     * @param versions the stored parameters of a version; empty if there are none
     * @throws IllegalArgumentException if the loop cannot serve it
     */
    VersionParameters parameters(LoopSpec spec, LongFunction<Optional<VersionParameters>> versions);

    /**
     * Refuses a policy that no loop with this spec can serve. What depends on stored versions is
     * not checked.
     */
    void requireFits(LoopSpec spec);

    /** How it was learned. */
    default Training training() {
        return Training.none();
    }

    /** What it is, as the start of a reason; empty if nothing has to be said. */
    default String description() {
        return "";
    }

    /** A policy that was learned elsewhere. */
    record Snapshot(PolicySnapshot snapshot) implements RegisteredPolicy {

        @Override
        public VersionParameters parameters(
                LoopSpec spec, LongFunction<Optional<VersionParameters>> versions) {
            requireFits(spec);
            return snapshot.parameters();
        }

        @Override
        public void requireFits(LoopSpec spec) {
            spec.requireFits(snapshot, "snapshot");
            spec.requireVariance(snapshot.variance());
        }

        @Override
        public Training training() {
            return snapshot.training();
        }
    }

    /**
     * The policy that always chooses the action with the highest score of another version. Its
     * parameters are those of the version times a power of two, which changes no order of scores.
     * Actions with the same score are equally likely.
     */
    record GreedyOf(long version) implements RegisteredPolicy {

        public GreedyOf {
            Require.atLeast(0, version, "greedyOf");
        }

        @Override
        public VersionParameters parameters(
                LoopSpec spec, LongFunction<Optional<VersionParameters>> versions) {
            VersionParameters stored =
                    versions.apply(version)
                            .orElseThrow(
                                    () ->
                                            new IllegalArgumentException(
                                                    "version %d is not one of the stored versions"
                                                            .formatted(version)));
            requireFits(spec);
            double largest = 0.0;
            for (float parameter : FlatParameters.of(stored.model())) {
                largest = Math.max(largest, Math.abs(parameter));
            }
            Require.that(
                    largest > 0.0,
                    "greedyOf must be a version that prefers an action, got version %d, whose"
                            + " weights are all 0",
                    version);
            int doublings = Math.getExponent(sharpWeight(spec) / largest);
            return new VersionParameters(
                    stored.model().scaled(Math.scalb(1.0, Math.max(0, doublings))),
                    stored.variance().isPresent() ? stored.variance() : variance(spec));
        }

        @Override
        public void requireFits(LoopSpec spec) {
            sharpWeight(spec);
        }

        @Override
        public String description() {
            return "the greedy policy of version %d; ".formatted(version);
        }
    }

    /**
     * The policy that always chooses one action: a bias for it or, with named features, a weight of
     * its id. Where the action cannot be chosen, the others are equally likely.
     */
    record ConstantAction(String actionId) implements RegisteredPolicy {

        public ConstantAction {
            Require.notEmpty(actionId, "constantAction");
        }

        @Override
        public VersionParameters parameters(
                LoopSpec spec, LongFunction<Optional<VersionParameters>> versions) {
            LoopShape shape = spec.shape();
            int action = shape.actionIds().indexOf(actionId);
            Require.that(
                    action >= 0 || shape.actionIds().isEmpty(),
                    "constantAction must be one of the %d actions of the loop, got another id",
                    shape.actionIds().size());
            float[] parameters = FlatParameters.of(shape.zeros());
            int index =
                    shape.encoder()
                            .map(encoder -> idIndex(spec))
                            .orElse(parameters.length - shape.actionIds().size() + action);
            parameters[index] = (float) sharpWeight(spec);
            LinearModel model = FlatParameters.toModel(shape.zeros(), parameters);
            requireAlone(model, shape, action);
            return new VersionParameters(model, variance(spec));
        }

        private int idIndex(LoopSpec spec) {
            Require.that(
                    spec.get(LoopSettings.ACTION_IDS),
                    "constantAction must be absent where actionIds is false, because an action has"
                            + " no weight of its own");
            return HashedEncoder.idIndex(spec.encoder().orElseThrow(), actionId);
        }

        /** Refuses a weight that features of other actions of the fixed list share. */
        private void requireAlone(LinearModel model, LoopShape shape, int action) {
            if (shape.encoder().isEmpty() || shape.fixedActions().isEmpty()) {
                return;
            }
            double[] scores = new double[shape.fixedActions().size()];
            model.scores(
                    new HashedEncoder(shape.encoder().get())
                            .encode(NamedFeatures.none(), shape.fixedActions()),
                    scores);
            for (int other = 0; other < scores.length; other++) {
                Require.that(
                        other == action || scores[other] == 0.0,
                        "constantAction must not share its weight with another action, got one that"
                                + " shares it with actions[%d]; use more bits",
                        other);
            }
        }

        @Override
        public void requireFits(LoopSpec spec) {
            parameters(spec, version -> Optional.empty());
        }

        @Override
        public String description() {
            return "always action \"%s\"; ".formatted(actionId);
        }
    }

    /** The variance of a policy that was not learned: that of the prior, if a loop learns them. */
    private static OptionalDouble variance(LoopSpec spec) {
        return spec.hasLearnedVariance()
                ? OptionalDouble.of(spec.get(LoopSettings.PRIOR_VARIANCE))
                : OptionalDouble.empty();
    }

    /** The largest weight of a policy that always chooses the best action. */
    private static double sharpWeight(LoopSpec spec) {
        double inverseTemperature = spec.get(LoopSettings.INVERSE_TEMPERATURE);
        double weight = SHARPNESS / inverseTemperature;
        Require.that(
                weight <= LoopSpec.MAX_PARAMETER,
                "inverseTemperature must be at least %s for a policy that always chooses one action,"
                        + " got %s",
                SHARPNESS / LoopSpec.MAX_PARAMETER,
                inverseTemperature);
        return weight;
    }
}
