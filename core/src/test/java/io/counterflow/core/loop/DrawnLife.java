package io.counterflow.core.loop;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.log.DecisionOrigin;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.numeric.Exponential;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.policy.Split;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.rollout.RolloutCommand.Action;
import io.counterflow.core.snapshot.Training;
import io.counterflow.core.spec.LearnerKind;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.IntPredicate;

/**
 * A random sequence of events for a loop: valid and invalid examples, late examples, commands and
 * new specs. An event depends only on its number and on the loop, so that a restart does not change
 * it.
 */
final class DrawnLife implements LoopOutput {

    static final int BITS = 5;
    private static final List<Action> ACTIONS =
            List.of(
                    Action.PROMOTE,
                    Action.CANARY,
                    Action.ROLLBACK,
                    Action.WITHDRAW,
                    Action.PAUSE,
                    Action.RESUME,
                    Action.RESUME);

    private final long seed;
    private final List<ObjectiveName> objectives;
    private final LinearModel truth;
    private final InMemoryStorage versions = new InMemoryStorage();
    private final List<Object> told = new ArrayList<>();
    private final List<RolloutChange> changes = new ArrayList<>();
    private final LoopLimits limits;
    private LearningLoop loop;

    DrawnLife(long seed) {
        this.seed = seed;
        EventRandom random = EventRandom.named("truth/" + seed);
        LoopSpec usual = (seed % 2 == 0 ? Specs.vectors(4, 3) : Specs.names(BITS)).build();
        this.objectives =
                ObjectiveName.ofStreams().stream()
                        .filter(name -> isBayesian(seed) || !name.isBayesian())
                        .toList();
        if (isBayesian(seed)) {
            usual = Specs.of(usual, seed % 5 == 0 ? ObjectiveName.BCRM : ObjectiveName.BCRM_CONVEX);
        }
        this.truth = drawn(usual.startingModel(), random);
        LoopSpec first = learning(served(usual, random), 0).at(1, Instant.EPOCH).build();
        this.limits =
                new LoopLimits(
                        seed % 3 == 0 ? 2_000 + random.nextInt(4_000) : Specs.MANY_BYTES,
                        1 + random.nextInt(4));
        this.loop = LearningLoop.start(first, limits, versions, this);
    }

    /** Some lives change what learns. The others learn with LPR only, as the rare ones need. */
    private LoopSpec.Builder learning(LoopSpec.Builder spec, int event) {
        LearnerKind[] kinds = LearnerKind.values();
        boolean drawn = seed < 1_000 && !isBayesian(seed);
        LearnerKind kind =
                drawn ? kinds[(int) ((seed / 5 + event) % kinds.length)] : LearnerKind.LPR;
        boolean holdout = (seed + event) % 3 == 0;
        boolean apprentice =
                seed % 6 == 5
                        && !holdout
                        && kind != LearnerKind.REWARD_MODEL
                        && spec.get(LoopSettings.ROLLOUT_MODE) != RolloutMode.GATED;
        if (apprentice) {
            spec.set(LoopSettings.ROLLOUT_MODE, RolloutMode.APPRENTICE);
        }
        return spec.set(LoopSettings.HOLDOUT_SHARE, holdout ? 0.2 : 0.0)
                .set(LoopSettings.HOLDOUT_VERSION, baseline(event))
                .set(LoopSettings.LEARNER, kind)
                .set(LoopSettings.SNAPSHOT_REWARDS, drawn && seed % 2 == 0 ? 12.0 : 0.0);
    }

    /** A version that is stored, or not any more. */
    private OptionalLong baseline(int event) {
        return event > 0 && (seed + event) % 4 == 1
                ? OptionalLong.of(loop.learner().progress().latestVersion() * (event % 3) / 2)
                : OptionalLong.empty();
    }

    /** Some lives start with a Bayesian objective, and may return to one. */
    private static boolean isBayesian(long seed) {
        return seed < 1_000 && seed % 5 < 2;
    }

    private static LinearModel drawn(LinearModel shape, EventRandom random) {
        float[] parameters = FlatParameters.of(shape);
        for (int i = 0; i < parameters.length; i++) {
            parameters[i] = (float) (2.0 * random.nextGaussian());
        }
        return FlatParameters.toModel(shape, parameters);
    }

    /** Runs a number of events; the loop is stored and restored before some of them. */
    DrawnLife live(int events, IntPredicate restartsBefore) {
        for (int i = 0; i < events; i++) {
            if (restartsBefore.test(i)) {
                loop =
                        LearningLoop.restore(
                                loop.spec(),
                                loop.waitingSpec(),
                                limits,
                                loop.learner().state(),
                                loop.gate().state(),
                                loop.holdout().state(),
                                versions);
            }
            told.add("event " + i);
            EventRandom random = EventRandom.named(seed + "/" + i);
            double kind = random.nextDouble();
            if (kind < 0.03) {
                LoopSpec next =
                        learning(
                                        served(
                                                changed(softmax(loop.spec()), objectives, random),
                                                random),
                                        i)
                                .build();
                told.add(loop.change(next.toBuilder().at(2L + i, Instant.EPOCH).build(), this));
            } else if (kind < 0.06) {
                loop.command(command(random), 1_000L * i, this);
            } else if (kind < 0.07) {
                VersionParameters drawn =
                        new VersionParameters(
                                drawn(truth, random), OptionalDouble.of(random.nextDouble()));
                loop.register(drawn, Training.none(), 1_000L * i, "drawn", this);
            } else {
                take(i, random);
            }
        }
        told.add(loop.spec());
        told.add(loop.waitingSpec());
        told.add(loop.gate().state());
        told.add(loop.holdout().state());
        told.addAll(LoopRun.values(loop.learner().state()));
        for (long version : versions.versions()) {
            told.add(version);
            told.add(LoopRun.values(versions.parameters(version).orElseThrow()));
        }
        return this;
    }

    @Override
    public void frozen(Candidate candidate) {
        told.add(candidate.version());
        told.add(candidate.parentVersion());
        told.add(candidate.examples());
        told.add(candidate.certificate());
        told.add(candidate.variance());
        told.add(candidate.fromRewardModel());
        told.add(LoopRun.values(candidate.model()));
    }

    @Override
    public void forgotten(long version) {
        told.add("forgotten " + version);
    }

    @Override
    public void changed(RolloutChange change) {
        told.add(change);
        changes.add(change);
    }

    /** All outputs, followed by the stored state. */
    List<Object> told() {
        return told;
    }

    List<RolloutChange> changes() {
        return changes;
    }

    private void take(int i, EventRandom random) {
        Features x = truth instanceof DenseModel ? context(random) : actions(random);
        int count = truth.actionCount(x);
        AllowedActions allowed =
                random.nextInt(3) == 0
                        ? AllowedActions.allBut(random.nextInt(count))
                        : AllowedActions.ALL;
        boolean holdout = loop.spec().hasHoldout() && i % 5 == 0;
        OptionalLong late =
                holdout ? OptionalLong.of(loop.spec().holdoutVersion()) : lateVersion(random);
        boolean apprentice = late.isEmpty() && loop.spec().isApprentice();
        Optional<Split> split = late.isPresent() ? Optional.empty() : loop.gate().rollout().split();
        long version = late.orElse(loop.gate().rollout().activeVersion());
        Decision decision =
                late.isPresent()
                        ? policy(version).decide(x, allowed, random)
                        : apprentice
                                ? Decision.certain(allowed.first(), count)
                                : SimulatedServing.decide(
                                        loop, versions, x, allowed, "loop", seed + "/" + i);
        double[] scores = new double[count];
        truth.scores(x, scores);
        double score = scores[decision.action()];
        boolean turned = i / 100 % 2 == 1; // good actions become bad, so that gates roll back
        double rewarded = 1.0 / (1.0 + Exponential.exp(turned ? score : -score));
        double reward = random.nextDouble() < rewarded ? 1.0 : 0.0;
        boolean bad = random.nextInt(40) == 0;
        double propensity = bad ? 1e-100 : decision.propensity();
        LoggedExample example =
                new LoggedExample(x, allowed, decision.action(), propensity, reward, version);
        try {
            told.add(
                    loop.take(
                            example,
                            origin(i, decision.kind(), split, holdout, apprentice, random),
                            1_000L * i,
                            this));
        } catch (IllegalArgumentException e) {
            told.add(String.valueOf(e.getMessage()));
        }
    }

    /** Decided under the spec in force; sometimes under an older one, or with an estimate. */
    private DecisionOrigin origin(
            int i,
            PropensityKind kind,
            Optional<Split> split,
            boolean holdout,
            boolean apprentice,
            EventRandom random) {
        long spec = loop.spec().version();
        boolean estimated = seed % 8 == 0 && i > 300 && random.nextInt(20) == 0;
        return new DecisionOrigin(
                random.nextInt(10) == 0 ? 1 + random.nextInt((int) spec) : spec,
                estimated ? PropensityKind.ESTIMATED : kind,
                split,
                holdout,
                apprentice,
                1_000L * i - random.nextInt(5_000),
                i % 5 == 0 ? OptionalDouble.empty() : OptionalDouble.of(i % 2));
    }

    /** Sometimes any stored version decides, as for late examples. */
    private OptionalLong lateVersion(EventRandom random) {
        if (random.nextInt(10) != 0) {
            return OptionalLong.empty();
        }
        List<Long> kept = List.copyOf(versions.versions());
        return OptionalLong.of(kept.get(random.nextInt(kept.size())));
    }

    private Policy policy(long version) {
        return loop.spec()
                .policyOf(
                        version == loop.spec().startingVersion()
                                ? loop.spec().startingParameters()
                                : versions.parameters(version).orElseThrow());
    }

    static DenseVector context(EventRandom random) {
        float[] x = new float[3];
        for (int j = 0; j < x.length; j++) {
            x[j] = (float) random.nextGaussian();
        }
        return DenseVector.of(x);
    }

    /** Two to five actions with none to four features each. */
    static ActionFeatures actions(EventRandom random) {
        int[] starts = new int[3 + random.nextInt(4)];
        for (int a = 1; a < starts.length; a++) {
            starts[a] = starts[a - 1] + random.nextInt(5);
        }
        int[] indices = new int[starts[starts.length - 1]];
        float[] values = new float[indices.length];
        for (int e = 0; e < indices.length; e++) {
            indices[e] = random.nextInt(1 << BITS);
            values[e] = (float) random.nextGaussian();
        }
        return ActionFeatures.of(BITS, starts, indices, values);
    }

    private RolloutCommand command(EventRandom random) {
        Action action = ACTIONS.get(random.nextInt(ACTIONS.size()));
        long latest = loop.learner().progress().latestVersion();
        return new RolloutCommand(
                action,
                random.nextInt(2) == 0
                        ? OptionalLong.empty()
                        : OptionalLong.of(latest + 1 - random.nextInt(5)),
                action == Action.CANARY ? OptionalDouble.of(0.4) : OptionalDouble.empty(),
                "asked");
    }

    /** The same served by a softmax, which every objective allows. */
    private static LoopSpec softmax(LoopSpec spec) {
        return spec.toBuilder()
                .set(LoopSettings.POLICY, PolicyKind.SOFTMAX)
                .set(LoopSettings.PROPENSITY_KIND, PropensityKind.EXACT)
                .set(LoopSettings.VARIANCE, OptionalDouble.empty())
                .build();
    }

    /** Changes a setting; sometimes one that must wait for the next generation, or the shape. */
    private static LoopSpec changed(LoopSpec spec, List<ObjectiveName> names, EventRandom random) {
        int size = 3 + random.nextInt(10);
        ObjectiveName objective = names.get(random.nextInt(names.size()));
        return switch (random.nextInt(8)) {
            case 0 -> Specs.vectors(2, 2).build();
            case 1, 2 -> Specs.of(spec, objective);
            case 3 ->
                    Specs.batches(Specs.of(spec, objective), size, random.nextInt(3), size + 20, 5);
            case 4 -> Specs.batches(spec, size, random.nextInt(3), size + 30, 3);
            case 5 -> spec.with(LoopSettings.LEARNING_RATE, 0.2 + random.nextDouble());
            case 6 ->
                    spec.toBuilder()
                            .set(LoopSettings.SNAPSHOT_EXAMPLES, 20L + random.nextInt(30))
                            .set(LoopSettings.SNAPSHOT_INTERVAL, Duration.ofMillis(700))
                            .build();
            default -> spec.with(LoopSettings.TAU, 0.01 * (1 + random.nextInt(3)));
        };
    }

    /** The same with decisions and a rollout that are drawn. */
    private static LoopSpec.Builder served(LoopSpec spec, EventRandom random) {
        List<RolloutMode> modes =
                List.of(RolloutMode.MANUAL, RolloutMode.IMMEDIATE, RolloutMode.GATED);
        boolean mixed =
                spec.get(LoopSettings.OBJECTIVE_NAME).isBayesian() && random.nextInt(2) == 0;
        boolean usual =
                random.nextInt(2) == 0; // commands are rare, so that the gate makes most changes
        return spec.toBuilder()
                .set(LoopSettings.POLICY, mixed ? PolicyKind.MIXED_LOGIT : PolicyKind.SOFTMAX)
                .set(
                        LoopSettings.PROPENSITY_KIND,
                        mixed ? PropensityKind.UPPER_BOUND : PropensityKind.EXACT)
                .set(
                        LoopSettings.VARIANCE,
                        mixed && random.nextInt(3) == 0
                                ? OptionalDouble.of(0.1)
                                : OptionalDouble.empty())
                .set(LoopSettings.INVERSE_TEMPERATURE, random.nextInt(8) == 0 ? 2.0 : 1.0)
                .set(LoopSettings.EXPLORATION_FLOOR, 0.2 * random.nextInt(2))
                .set(
                        LoopSettings.ROLLOUT_MODE,
                        usual ? RolloutMode.GATED : modes.get(random.nextInt(modes.size())))
                .set(LoopSettings.DELTA, 0.9)
                .set(LoopSettings.CANDIDATE_EXAMPLES, 25L * (1 + random.nextInt(3)))
                .set(LoopSettings.CANARY_SHARE, random.nextInt(2) == 0 ? 0.0 : 0.4)
                .set(LoopSettings.AUTOMATIC_ROLLBACK, random.nextInt(4) > 0)
                .set(
                        LoopSettings.GUARDRAIL_MARGIN,
                        random.nextInt(3) == 0 ? OptionalDouble.of(0.8) : OptionalDouble.empty());
    }
}
