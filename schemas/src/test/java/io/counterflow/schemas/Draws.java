package io.counterflow.schemas;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.Interaction;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.features.SparseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.policy.Split;
import io.counterflow.core.snapshot.Certificate;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Impressions and snapshots drawn from a seed, with and without optional fields. */
public final class Draws {

    private static final String LETTERS = "ab \"\\\n\u0000{}é€𝄞漢";

    private final SplittableRandom random;

    public Draws(long seed) {
        this.random = new SplittableRandom(seed);
    }

    public SplittableRandom random() {
        return random;
    }

    public String text() {
        int[] letters = LETTERS.codePoints().toArray();
        StringBuilder text = new StringBuilder("t");
        for (int i = random.nextInt(8); i > 0; i--) {
            text.appendCodePoint(letters[random.nextInt(letters.length)]);
        }
        return text.toString();
    }

    /** Any finite float, including denormal numbers and negative zero. */
    public float anyFloat() {
        float value = Float.intBitsToFloat(random.nextInt());
        return Float.isFinite(value) ? value : -0.0f;
    }

    public double anyDouble() {
        double value = Double.longBitsToDouble(random.nextLong());
        return Double.isFinite(value) ? value : -0.0;
    }

    public float[] floats(int n) {
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = random.nextInt(4) == 0 ? 0.0f : anyFloat();
        }
        return values;
    }

    public Instant time() {
        return Instant.ofEpochSecond(
                random.nextLong(-60_000_000_000L, 250_000_000_000L),
                1_000L * random.nextInt(1_000_000));
    }

    public NamedFeatures namedFeatures(int depth) {
        List<NamedFeatures.Entry> entries = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            entries.add(new NamedFeatures.Entry(text(), featureValue(depth)));
        }
        return new NamedFeatures(entries);
    }

    private FeatureValue featureValue(int depth) {
        return switch (random.nextInt(depth > 0 ? 5 : 3)) {
            case 0 -> new FeatureValue.Text(text());
            case 1 -> new FeatureValue.Quantity(anyDouble());
            case 2 -> new FeatureValue.Flag(random.nextBoolean());
            case 3 -> namedFeatures(depth - 1);
            default -> {
                List<FeatureValue> values = new ArrayList<>();
                for (int i = random.nextInt(3); i > 0; i--) {
                    values.add(featureValue(depth - 1));
                }
                yield new FeatureValue.Sequence(values);
            }
        };
    }

    public Context context(int actions) {
        return switch (random.nextInt(4)) {
            case 0 -> new Context.Vector(DenseVector.of(floats(random.nextInt(30))));
            case 1 ->
                    new Context.Vector(
                            new SparseVector(1_000_000, new int[] {0, 7, 999_999}, floats(3)));
            case 2 -> new Context.Named(namedFeatures(3), List.of());
            default -> {
                List<NamedAction> named = new ArrayList<>();
                for (int a = 0; a < actions; a++) {
                    named.add(new NamedAction(a + text(), namedFeatures(2)));
                }
                yield new Context.Named(namedFeatures(3), named);
            }
        };
    }

    public Impression impression() {
        int actions = 1 + random.nextInt(5);
        OptionalDouble reward = maybe(random.nextDouble());
        Choice choice = choice(actions);
        return new Impression(
                text(),
                text(),
                choice.split().map(Split::candidateVersion).orElseGet(random::nextLong),
                random.nextInt(3),
                time(),
                context(actions),
                choice,
                random.nextBoolean() ? RewardRule.none() : rewardRule(),
                reward,
                reward.isPresent() ? maybe(random.nextDouble()) : OptionalDouble.empty());
    }

    private Choice choice(int actions) {
        int action = random.nextInt(actions);
        AllowedActions allowed = allowed(actions, action);
        if (random.nextInt(3) == 0) {
            return new Choice(
                    action, OptionalDouble.empty(), PropensityKind.EXACT, List.of(), allowed);
        }
        if (random.nextInt(5) == 0) {
            return new Choice(
                    action,
                    OptionalDouble.of(1.0),
                    PropensityKind.EXACT,
                    List.of(),
                    allowed,
                    Optional.empty(),
                    false,
                    OptionalInt.of(allowed.first()));
        }
        List<Double> distribution = new ArrayList<>();
        double sum = 0.0;
        for (int a = 0; a < actions; a++) {
            distribution.add(allowed.contains(a) ? random.nextDouble(0.01, 1.0) : 0.0);
            sum += distribution.get(a);
        }
        double total = sum;
        distribution.replaceAll(p -> p / total);
        PropensityKind[] kinds = PropensityKind.values();
        boolean shared = random.nextInt(3) == 0;
        return new Choice(
                action,
                OptionalDouble.of(distribution.get(action)),
                kinds[random.nextInt(kinds.length)],
                random.nextBoolean() ? distribution : List.of(),
                allowed,
                shared
                        ? Optional.of(
                                new Split(
                                        random.nextInt(5),
                                        5 + random.nextInt(5),
                                        random.nextDouble(0.01, 0.99)))
                        : Optional.empty(),
                !shared && random.nextBoolean());
    }

    /** Any set of actions that contains the chosen one. */
    private AllowedActions allowed(int actions, int chosen) {
        return AllowedActions.allBut(
                IntStream.range(0, actions)
                        .filter(a -> a != chosen && random.nextInt(3) == 0)
                        .toArray());
    }

    private RewardRule rewardRule() {
        RewardAggregation[] rules = RewardAggregation.values();
        return new RewardRule(
                Duration.ofMillis(random.nextInt(100_000_000)),
                random.nextDouble(),
                rules[random.nextInt(rules.length)],
                random.nextBoolean(),
                maybe(random.nextDouble()),
                random.nextDouble());
    }

    public LinearModel model() {
        if (random.nextBoolean()) {
            int bits = 1 + random.nextInt(6);
            return new HashedModel(bits, floats(1 << bits));
        }
        int actions = 1 + random.nextInt(4);
        int features = random.nextInt(6);
        float[][] weights = new float[actions][];
        for (int a = 0; a < actions; a++) {
            weights[a] = floats(features);
        }
        return new DenseModel(weights, floats(actions));
    }

    public PolicySnapshot snapshot() {
        LinearModel model = model();
        OptionalDouble variance = maybe(random.nextDouble(1e-9, 10.0));
        return new PolicySnapshot(
                text(),
                random.nextLong(1_000),
                random.nextBoolean() ? OptionalLong.empty() : OptionalLong.of(1_000),
                time(),
                model,
                model instanceof HashedModel hashed
                        ? Optional.of(
                                new EncoderSpec(
                                        hashed.bits(),
                                        List.of(new Interaction("user", text())),
                                        random.nextBoolean()))
                        : Optional.empty(),
                decisionRule(variance),
                variance,
                maybe(random.nextDouble(1e-9, 10.0)),
                new Training(
                        "ips-lpr",
                        maybe(random.nextDouble()),
                        maybe(random.nextDouble()),
                        random.nextInt(1_000_000),
                        random.nextBoolean(),
                        text(),
                        random.nextInt(9)),
                random.nextBoolean() ? Optional.empty() : Optional.of(certificate()));
    }

    /** A softmax, with or without a variance, or a mixed logit. */
    private DecisionRule decisionRule(OptionalDouble variance) {
        boolean mixed = variance.isPresent() && random.nextBoolean();
        PropensityKind estimated =
                random.nextBoolean() ? PropensityKind.ESTIMATED : PropensityKind.UPPER_BOUND;
        return new DecisionRule(
                mixed ? PolicyKind.MIXED_LOGIT : PolicyKind.SOFTMAX,
                random.nextDouble(DecisionRule.MAX_INVERSE_TEMPERATURE),
                random.nextDouble(),
                mixed ? variance : OptionalDouble.empty(),
                mixed ? estimated : PropensityKind.EXACT,
                random.nextInt(DecisionRule.MIN_DRAWS, DecisionRule.MAX_DRAWS + 1));
    }

    private Certificate certificate() {
        return new Certificate(
                new Certificate.Estimates(
                        anyDouble(), anyDouble(), anyDouble(), anyDouble(), anyDouble()),
                random.nextBoolean() ? Optional.empty() : Optional.of(learnedFrom()),
                random.nextDouble(0.001, 0.5),
                random.nextInt(1_000_000),
                random.nextDouble(1_000.0));
    }

    private Certificate.LearnedFrom learnedFrom() {
        return new Certificate.LearnedFrom(
                random.nextDouble(),
                random.nextDouble(0.001, 1.0),
                random.nextDouble(0.001, 1.0),
                random.nextDouble(0.001, 1.0),
                random.nextDouble(1_000.0));
    }

    private OptionalDouble maybe(double value) {
        return random.nextBoolean() ? OptionalDouble.empty() : OptionalDouble.of(value);
    }
}
