package io.counterflow.benchmarks.streaming;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.spec.LoopSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/** The features and actions of decisions. */
public enum TrafficShape {
    /** 784 floats, half of them zero, and ten fixed actions, as in logged Fashion-MNIST. */
    DENSE(10) {
        @Override
        void describe(LoopSpec.Builder spec) {
            spec.vectors(
                    784,
                    IntStream.range(0, actions())
                            .mapToObj(a -> "action-" + a)
                            .toArray(String[]::new));
        }

        @Override
        Context context(EventRandom random) {
            float[] x = new float[784];
            for (int j = 0; j < x.length; j++) {
                x[j] = random.nextInt(2) == 0 ? 0.0f : (float) random.nextDouble();
            }
            return new Context.Vector(DenseVector.owning(x));
        }
    },

    /**
     * 50 named features: ten of the context and eight of each of five actions. Context features are
     * crossed with action features, and the id of an action is an action feature, so a model sees
     * 99 hashed features per action.
     */
    NAMED(5) {
        @Override
        void describe(LoopSpec.Builder spec) {
            spec.names(18);
        }

        @Override
        Context context(EventRandom random) {
            List<NamedAction> offered = new ArrayList<>();
            for (int a = 0; a < actions(); a++) {
                String id = "article-" + (200 * a + random.nextInt(200));
                offered.add(new NamedAction(id, features("article", 8, random)));
            }
            return new Context.Named(features("user", 10, random), offered);
        }

        /** Alternating categories and numbers. */
        private NamedFeatures features(String namespace, int count, EventRandom random) {
            List<NamedFeatures.Entry> entries = new ArrayList<>();
            for (int j = 0; j < count; j++) {
                FeatureValue value =
                        j % 2 == 0
                                ? new FeatureValue.Text("category-" + random.nextInt(50))
                                : new FeatureValue.Quantity(random.nextDouble());
                entries.add(new NamedFeatures.Entry("feature-" + j, value));
            }
            return new NamedFeatures(
                    List.of(new NamedFeatures.Entry(namespace, new NamedFeatures(entries))));
        }
    },

    /** 16 numbers and four fixed actions: a small model, of which there may be thousands. */
    COMPACT(4) {
        @Override
        void describe(LoopSpec.Builder spec) {
            spec.vectors(16, "north", "east", "south", "west");
        }

        @Override
        Context context(EventRandom random) {
            float[] x = new float[16];
            for (int j = 0; j < x.length; j++) {
                x[j] = (float) random.nextDouble();
            }
            return new Context.Vector(DenseVector.owning(x));
        }
    };

    private final int actions;

    TrafficShape(int actions) {
        this.actions = actions;
    }

    /** Number of actions of a decision. */
    public final int actions() {
        return actions;
    }

    /** Sets the actions and features of a loop. */
    abstract void describe(LoopSpec.Builder spec);

    abstract Context context(EventRandom random);

    /** A loop with default settings. */
    public LoopSpec defaults(String loop, Instant time) {
        LoopSpec.Builder spec = LoopSpec.builder(loop).at(1, time);
        describe(spec);
        return spec.build();
    }

    /**
     * A decision of the uniform policy.
     *
     * @param number number of the decision, which determines it
     * @param reward its reward; empty if rewards arrive later
     */
    public Impression impression(
            long number, String loop, Instant time, RewardRule rule, OptionalDouble reward) {
        EventRandom random = new EventRandom(number);
        return new Impression(
                "e-%09d".formatted(number),
                loop,
                0,
                1,
                time,
                context(random),
                Choice.of(random.nextInt(actions), 1.0 / actions),
                rule,
                reward);
    }
}
