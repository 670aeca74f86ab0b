package io.counterflow.cli;

import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.simulation.SimulatedLoop;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.log.LogWriter;
import io.counterflow.schemas.snapshot.SnapshotFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** Log files of a simulated problem with known values. */
public final class SimulatedLogs {

    public static final int ACTIONS = 4;
    public static final int DIMENSION = 5;
    static final SimulatedLoop LOOP = new SimulatedLoop(ACTIONS, DIMENSION, 11);
    public static final DenseModel LOGGING = SimulatedLoop.randomModel(ACTIONS, DIMENSION, 0.4, 12);

    private SimulatedLogs() {}

    /** Impressions of the logging policy. */
    public static ExampleLog examples(int n, long seed) {
        return LOOP.log(Policy.softmax(LOGGING), n, new EventRandom(seed));
    }

    /** Writes such impressions to a file, with or without propensities. */
    public static Path dense(Path file, int n, long seed, boolean propensities) throws IOException {
        ExampleLog log = examples(n, seed);
        try (LogWriter writer = LogWriter.create(file)) {
            for (int i = 0; i < n; i++) {
                Choice choice =
                        propensities
                                ? Choice.of(log.action(i), log.propensity(i))
                                : new Choice(
                                        log.action(i),
                                        OptionalDouble.empty(),
                                        PropensityKind.EXACT,
                                        List.of(),
                                        AllowedActions.ALL);
                writer.write(
                        impression(
                                i,
                                new Context.Vector((FeatureVector) log.features(i)),
                                choice,
                                log.reward(i)));
            }
            writer.finish();
        }
        return file;
    }

    public static Path loggingSnapshot(Path file) throws IOException {
        SnapshotFile.write(file, PolicySnapshot.of("home", 3, LOGGING, Optional.empty()));
        return file;
    }

    /**
     * A loop with named features: users of three countries, articles of three topics, and each
     * country prefers its own topic (0.8 against 0.2). The logging policy is uniform.
     */
    public static Path named(Path file, int n, long seed) throws IOException {
        EventRandom random = new EventRandom(seed);
        String[] countries = {"de", "fr", "it"};
        String[] topics = {"sport", "news", "food"};
        try (LogWriter writer = LogWriter.create(file)) {
            for (int i = 0; i < n; i++) {
                int country = random.nextInt(3);
                int first = random.nextInt(3);
                List<NamedAction> actions = new ArrayList<>();
                for (int a = 0; a < 3; a++) {
                    String topic = topics[(first + a) % 3];
                    actions.add(new NamedAction("article-" + a, features("topic", topic)));
                }
                NamedFeatures user = features("country", countries[country]);
                NamedFeatures context =
                        new NamedFeatures(List.of(new NamedFeatures.Entry("user", user)));
                int action = random.nextInt(3);
                boolean liked = (first + action) % 3 == country;
                double reward = random.nextDouble() < (liked ? 0.8 : 0.2) ? 1.0 : 0.0;
                writer.write(
                        impression(
                                i,
                                new Context.Named(context, actions),
                                Choice.of(action, 1.0 / 3.0),
                                reward));
            }
            writer.finish();
        }
        return file;
    }

    private static NamedFeatures features(String name, String value) {
        return new NamedFeatures(
                List.of(new NamedFeatures.Entry(name, new FeatureValue.Text(value))));
    }

    private static Impression impression(int i, Context context, Choice choice, double reward) {
        return new Impression(
                "e-" + i,
                "home",
                3,
                0,
                Instant.parse("2026-01-01T00:00:00Z").plusSeconds(i),
                context,
                choice,
                RewardRule.none(),
                OptionalDouble.of(reward));
    }
}
