package io.counterflow.serving.events;

import io.counterflow.client.policies.ServedLoop;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.features.SparseVector;
import io.counterflow.core.log.Context;
import io.counterflow.core.policy.LinearModel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * The scores of a decision, and the features that contributed most to each.
 *
 * <p>The contribution of a feature is the score of the action minus its score without the feature.
 * Scores are linear, so it is the sum of weight times value over everything that the feature is
 * part of, including products with other features. Where features are scaled down to a norm, the
 * others are larger without it.
 *
 * @param scores of the actions, in their order
 * @param contributions the largest for each action, by their absolute values; empty if there are
 *     too many features to leave out each
 */
record Explanation(List<Double> scores, Optional<List<List<Contribution>>> contributions) {

    static final int MAX_CONTRIBUTIONS = 10;

    /** Limit on the features that are computed for one explanation: about half a second. */
    private static final long MAX_BYTES = 256 << 20;

    private static final String CONTEXT = "context.";
    private static final String ACTION = "action.";

    /**
     * @param feature its name in the request, after {@code context.} or {@code action.}
     */
    record Contribution(String feature, double value) {}

    /** Explains the decision of a model on a context of its loop. */
    static Explanation of(ServedLoop loop, LinearModel model, Context given) {
        Context context = withActions(loop, given);
        Features all = loop.features(context);
        double[] scores = scores(model, all);
        Map<String, Supplier<Context>> without = without(context);
        if (all.bytes() * without.size() > MAX_BYTES) {
            return new Explanation(list(scores), Optional.empty());
        }
        List<List<Contribution>> contributions = new ArrayList<>();
        for (int a = 0; a < scores.length; a++) {
            contributions.add(new ArrayList<>());
        }
        without.forEach(
                (feature, rest) -> {
                    double[] fewer = scores(model, loop.features(rest.get()));
                    for (int a = 0; a < scores.length; a++) {
                        if (scores[a] != fewer[a]) {
                            contributions
                                    .get(a)
                                    .add(new Contribution(feature, scores[a] - fewer[a]));
                        }
                    }
                });
        return new Explanation(
                list(scores), Optional.of(contributions.stream().map(Explanation::top).toList()));
    }

    /** The fixed actions of a loop have features as well. */
    private static Context withActions(ServedLoop loop, Context given) {
        return given instanceof Context.Named named && named.actions().isEmpty()
                ? new Context.Named(named.features(), loop.spec().fixedActions())
                : given;
    }

    private static double[] scores(LinearModel model, Features features) {
        double[] scores = new double[model.actionCount(features)];
        model.scores(features, scores);
        return scores;
    }

    private static List<Double> list(double[] scores) {
        return IntStream.range(0, scores.length).mapToObj(a -> scores[a]).toList();
    }

    private static List<Contribution> top(List<Contribution> all) {
        return all.stream()
                .sorted(Comparator.comparingDouble((Contribution it) -> -Math.abs(it.value())))
                .limit(MAX_CONTRIBUTIONS)
                .toList();
    }

    /** For each feature, the context without it. */
    private static Map<String, Supplier<Context>> without(Context context) {
        Map<String, Supplier<Context>> without = new LinkedHashMap<>();
        if (context instanceof Context.Named named) {
            for (String feature : names(named.features())) {
                without.put(
                        CONTEXT + feature,
                        () ->
                                new Context.Named(
                                        without(named.features(), feature), named.actions()));
            }
            Set<String> ofActions = new LinkedHashSet<>();
            named.actions().forEach(it -> ofActions.addAll(names(it.features())));
            for (String feature : ofActions) {
                without.put(
                        ACTION + feature,
                        () ->
                                new Context.Named(
                                        named.features(), without(named.actions(), feature)));
            }
        } else if (context instanceof Context.Vector vector) {
            if (vector.features() instanceof DenseVector dense) {
                withoutEntries(dense, without);
            } else if (vector.features() instanceof SparseVector sparse) {
                withoutEntries(sparse, without);
            }
        }
        return without;
    }

    private static void withoutEntries(DenseVector dense, Map<String, Supplier<Context>> without) {
        for (int i = 0; i < dense.dimension(); i++) {
            int entry = i;
            if (dense.values()[i] != 0.0f) {
                without.put(
                        CONTEXT + "dense[" + i + "]",
                        () ->
                                new Context.Vector(
                                        DenseVector.owning(withZero(dense.values(), entry))));
            }
        }
    }

    private static void withoutEntries(
            SparseVector sparse, Map<String, Supplier<Context>> without) {
        for (int i = 0; i < sparse.entries(); i++) {
            int entry = i;
            without.put(
                    CONTEXT + "sparse[" + sparse.index(i) + "]",
                    () ->
                            new Context.Vector(
                                    new SparseVector(
                                            sparse.dimension(),
                                            sparse.indices(),
                                            withZero(sparse.values(), entry))));
        }
    }

    private static float[] withZero(float[] values, int entry) {
        float[] copy = values.clone();
        copy[entry] = 0.0f;
        return copy;
    }

    private static List<NamedAction> without(List<NamedAction> actions, String feature) {
        return actions.stream()
                .map(it -> new NamedAction(it.id(), without(it.features(), feature)))
                .toList();
    }

    /** The names of the features, with those inside of a namespace after its name. */
    private static Set<String> names(NamedFeatures features) {
        Set<String> names = new LinkedHashSet<>();
        for (NamedFeatures.Entry entry : features.entries()) {
            if (entry.value() instanceof NamedFeatures inner) {
                inner.entries().forEach(it -> names.add(entry.name() + "." + it.name()));
            } else {
                names.add(entry.name());
            }
        }
        return names;
    }

    private static NamedFeatures without(NamedFeatures features, String feature) {
        List<NamedFeatures.Entry> kept = new ArrayList<>();
        for (NamedFeatures.Entry entry : features.entries()) {
            if (entry.value() instanceof NamedFeatures inner) {
                List<NamedFeatures.Entry> some =
                        inner.entries().stream()
                                .filter(it -> !(entry.name() + "." + it.name()).equals(feature))
                                .toList();
                kept.add(new NamedFeatures.Entry(entry.name(), new NamedFeatures(some)));
            } else if (!entry.name().equals(feature)) {
                kept.add(entry);
            }
        }
        return new NamedFeatures(kept);
    }
}
