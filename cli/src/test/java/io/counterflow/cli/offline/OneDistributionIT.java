package io.counterflow.cli.offline;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.console.Capture;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.log.KnownModel;
import io.counterflow.cli.log.LogOptions;
import io.counterflow.cli.log.ServedOptions;
import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.client.policies.PolicyLimits;
import io.counterflow.client.policies.PolicyStore;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.client.policies.SnapshotDirectory;
import io.counterflow.client.rank.RankRequest;
import io.counterflow.client.rank.Ranker;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.DecisionOrigin;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.PolicyOnLog;
import io.counterflow.core.loop.Candidate;
import io.counterflow.core.loop.InMemoryStorage;
import io.counterflow.core.loop.LearningLoop;
import io.counterflow.core.loop.LoopLimits;
import io.counterflow.core.loop.LoopOutput;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.rollout.ComparedExample;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.log.LogWriter;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.snapshot.SnapshotFile;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.spec.LoopSpecJson;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * Serving, the gate, {@code audit} and {@code evaluate} use the same distribution, bit by bit, for
 * random specs, features and exclusions.
 */
public final class OneDistributionIT {

    private static final int CASES = 60;
    private static final int EVENTS = 6;
    private static final long VERSION = 1;
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final double[] TEMPERATURES = {0.0, 0.3, 1.0, 2.0, 7.3};
    private static final double[] FLOORS = {0.0, 0.05, 0.1, 1.0 / 3.0, 1.0};

    @TempDir private Path directory;

    /**
     * A loop that is served, learned from, audited and evaluated.
     *
     * @param snapshot the version that decides, which the loop starts with
     */
    private record Served(LoopSpec spec, PolicySnapshot snapshot) {

        static Served drawn(EventRandom random) {
            boolean dense = random.nextInt(2) == 0;
            int actions = 2 + random.nextInt(5);
            int features = 1 + random.nextInt(6);
            LoopSpec.Builder shape = LoopSpec.builder("home").at(1, NOW);
            if (dense) {
                shape.vectors(features, ids(actions).toArray(String[]::new));
            } else {
                shape.names(4 + random.nextInt(6));
            }
            if (random.nextInt(2) == 0) {
                shape.set(
                        LoopSettings.NORM_BOUND, OptionalDouble.of(0.5 + 2 * random.nextDouble()));
            }
            LoopSpec plain =
                    shape.set(
                                    LoopSettings.INVERSE_TEMPERATURE,
                                    TEMPERATURES[random.nextInt(TEMPERATURES.length)])
                            .set(
                                    LoopSettings.EXPLORATION_FLOOR,
                                    FLOORS[random.nextInt(FLOORS.length)])
                            .set(LoopSettings.SNAPSHOT_EXAMPLES, 0L)
                            .build();
            PolicySnapshot snapshot = snapshot(plain, model(plain.startingModel(), random));
            return new Served(
                    plain.with(LoopSettings.STARTING_POLICY, Optional.of(snapshot)), snapshot);
        }

        private static PolicySnapshot snapshot(LoopSpec spec, LinearModel model) {
            return new PolicySnapshot(
                    spec.loop(),
                    VERSION,
                    OptionalLong.empty(),
                    NOW,
                    model,
                    spec.encoder(),
                    spec.decisionRule(),
                    OptionalDouble.empty(),
                    spec.get(LoopSettings.NORM_BOUND),
                    Training.none(),
                    Optional.empty());
        }

        private static LinearModel model(LinearModel shape, EventRandom random) {
            if (shape instanceof HashedModel hashed) {
                return new HashedModel(hashed.bits(), gaussians(1 << hashed.bits(), random));
            }
            DenseModel dense = (DenseModel) shape;
            float[][] weights = new float[dense.actions()][];
            for (int a = 0; a < weights.length; a++) {
                weights[a] = gaussians(dense.dimension(), random);
            }
            return new DenseModel(weights, gaussians(weights.length, random));
        }

        private static float[] gaussians(int n, EventRandom random) {
            float[] values = new float[n];
            for (int i = 0; i < n; i++) {
                values[i] = (float) (2 * random.nextGaussian());
            }
            return values;
        }

        private static List<String> ids(int actions) {
            return LongStream.range(0, actions).mapToObj(a -> "a" + a).toList();
        }

        RankRequest request(EventRandom random) {
            Context context;
            List<String> offered;
            if (snapshot.model() instanceof DenseModel dense) {
                offered = ids(dense.actions());
                context = new Context.Vector(DenseVector.of(gaussians(dense.dimension(), random)));
            } else {
                offered = ids(2 + random.nextInt(5));
                context =
                        new Context.Named(
                                quantity("age", random),
                                offered.stream()
                                        .map(id -> new NamedAction(id, quantity("price", random)))
                                        .toList());
            }
            List<String> excluded = new ArrayList<>(offered);
            excluded.remove(random.nextInt(excluded.size())); // one that stays
            excluded.removeIf(id -> random.nextInt(3) > 0);
            return RankRequest.of(context).excluding(excluded);
        }

        private static NamedFeatures quantity(String name, EventRandom random) {
            return new NamedFeatures(
                    List.of(
                            new NamedFeatures.Entry(
                                    name, new FeatureValue.Quantity(random.nextGaussian()))));
        }

        ServedLoop served() {
            PolicyStore store =
                    new PolicyStore(PolicyLimits.ofHeap(), SnapshotDirectory.none(), message -> {});
            store.takeSpec(
                    spec.loop(),
                    WireCodec.of(LoopSpecRecord.class).encode(LoopSpecConversion.toRecord(spec)));
            store.swap();
            return store.loop(spec.loop()).orElseThrow();
        }
    }

    /** The impression of a decision, if this action had been drawn. */
    private static Impression with(Impression drawn, int action) {
        List<Double> distribution = drawn.choice().distribution();
        return rewarded(
                drawn,
                new Choice(
                        action,
                        OptionalDouble.of(distribution.get(action)),
                        PropensityKind.EXACT,
                        distribution,
                        drawn.choice().allowed()));
    }

    private static Impression rewarded(Impression drawn, Choice choice) {
        return new Impression(
                drawn.eventId(),
                drawn.loop(),
                drawn.policyVersion(),
                drawn.specVersion(),
                drawn.time(),
                drawn.context(),
                choice,
                drawn.rewardRule(),
                OptionalDouble.of(0.5));
    }

    static Stream<Long> seeds() {
        return LongStream.rangeClosed(1, CASES).boxed();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void servingTheGateAuditAndEvaluateComputeIdenticalProbabilities(long seed) throws IOException {
        EventRandom random = new EventRandom(seed);
        Served loop = Served.drawn(random);
        Path snapshots = Files.createDirectory(directory.resolve("snapshots"));
        Path file = snapshots.resolve("home-1.snapshot");
        SnapshotFile.write(file, loop.snapshot());
        Path withSpecs = Files.createDirectory(directory.resolve("specs"));
        Files.copy(file, withSpecs.resolve("home-1.snapshot"));
        Files.writeString(
                withSpecs.resolve("home.spec.json"),
                new LoopSpecJson(JsonLimits.defaults()).write(loop.spec()));

        List<Impression> drawn = new ArrayList<>();
        List<Impression> all = new ArrayList<>();
        ServedLoop served = loop.served();
        for (int i = 0; i < EVENTS; i++) {
            Impression impression =
                    Ranker.decide(served, loop.request(random), "e-" + seed + "-" + i, NOW)
                            .impression();
            drawn.add(impression);
            List<Double> distribution = impression.choice().distribution();
            for (int a = 0; a < distribution.size(); a++) {
                assertThat(impression.choice().allowed().contains(a) || distribution.get(a) == 0.0)
                        .isTrue();
                if (distribution.get(a) > 0.0) {
                    all.add(with(impression, a));
                }
            }
        }

        assertGateWeighsWith(loop.spec(), all);
        for (Path policies : List.of(snapshots, withSpecs)) {
            AuditedPolicies audited = AuditedPolicies.read(policies, new ServedOptions());
            assertAuditComputes(audited, drawn);
        }
        assertEvaluateUses(file, all);
    }

    /** A snapshot of a loop that learns variances: what the job publishes for its version. */
    private static PolicySnapshot withVariance(LoopSpec spec, PolicySnapshot of, double variance) {
        return new PolicySnapshot(
                of.loop(),
                VERSION + 1,
                OptionalLong.of(VERSION),
                NOW,
                of.model(),
                of.encoder(),
                spec.decisionRule(OptionalDouble.of(variance)),
                OptionalDouble.of(variance),
                of.normBound(),
                of.training(),
                of.certificate());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void servingTheGateAndAuditUseTheLearnedVarianceOfAVersion(long seed) throws IOException {
        EventRandom random = new EventRandom(seed);
        Served drawn = Served.drawn(random);
        LoopSpec spec =
                drawn.spec().toBuilder()
                        .set(LoopSettings.OBJECTIVE_NAME, ObjectiveName.BCRM_CONVEX)
                        .set(LoopSettings.NORM_BOUND, OptionalDouble.of(1.5))
                        .set(LoopSettings.INVERSE_TEMPERATURE, 0.7)
                        .set(LoopSettings.POLICY, PolicyKind.MIXED_LOGIT)
                        .set(LoopSettings.PROPENSITY_KIND, PropensityKind.UPPER_BOUND)
                        .build();
        PolicySnapshot learned =
                withVariance(spec, drawn.snapshot(), 0.01 + 0.2 * random.nextDouble());
        Path policies = Files.createDirectory(directory.resolve("policies"));
        SnapshotFile.write(policies.resolve("home-2.snapshot"), learned);
        Files.writeString(
                policies.resolve("home.spec.json"),
                new LoopSpecJson(JsonLimits.defaults()).write(spec));

        LearningLoop loop =
                LearningLoop.start(
                        spec,
                        new LoopLimits(Long.MAX_VALUE, 9),
                        new InMemoryStorage(),
                        new Ignored());
        loop.register(learned.parameters(), Training.none(), 0, "why", new Ignored());
        loop.command(
                new RolloutCommand(
                        RolloutCommand.Action.PROMOTE,
                        OptionalLong.of(VERSION + 1),
                        OptionalDouble.empty(),
                        "why"),
                0,
                new Ignored());
        PolicyStoreFixture store = new PolicyStoreFixture("home").spec(spec);
        store.snapshot(SnapshotConversion.toRecord(learned)).active(VERSION + 1, spec.version());
        ServedLoop served = store.served();
        DecisionAudit audit =
                new DecisionAudit(AuditedPolicies.read(policies, new ServedOptions()));
        for (int i = 0; i < EVENTS; i++) {
            Impression impression =
                    Ranker.decide(
                                    served,
                                    new Served(spec, learned).request(random),
                                    "e-" + seed + "-" + i,
                                    NOW)
                            .impression();
            assertThat(impression.policyVersion()).isEqualTo(VERSION + 1);
            assertThat(impression.choice().propensityKind()).isEqualTo(PropensityKind.UPPER_BOUND);
            assertThat(audit.check(impression)).isEqualTo(DecisionAudit.Outcome.MATCH);
            ComparedExample compared =
                    loop.take(
                            rewarded(impression, impression.choice())
                                    .toExample(spec.assembly(), spec.fixedActions()),
                            new DecisionOrigin(
                                    spec.version(),
                                    PropensityKind.UPPER_BOUND,
                                    Optional.empty(),
                                    i),
                            i,
                            new Ignored());
            assertThat(compared.recomputed())
                    .as("the gate, %s", impression.choice())
                    .isEqualTo(impression.choice().propensity().orElseThrow());
        }
    }

    private static void assertGateWeighsWith(LoopSpec spec, List<Impression> impressions) {
        LoopOutput output = new Ignored();
        LearningLoop loop =
                LearningLoop.start(
                        spec, new LoopLimits(Long.MAX_VALUE, 1), new InMemoryStorage(), output);
        for (Impression impression : impressions) {
            ComparedExample compared =
                    loop.take(
                            impression.toExample(spec.assembly(), spec.fixedActions()), 0, output);
            assertThat(compared.active().probability())
                    .as("the gate, %s", impression.choice())
                    .isEqualTo(impression.choice().propensity().orElseThrow());
            assertThat(compared.recomputed()).isEqualTo(compared.active().probability());
        }
    }

    private static void assertAuditComputes(AuditedPolicies policies, List<Impression> drawn) {
        DecisionAudit audit = new DecisionAudit(policies);
        for (Impression impression : drawn) {
            AuditedPolicies.Decider decider =
                    policies.of(impression, impression.policyVersion()).orElseThrow();
            Features features = decider.features(impression);
            double[] again = new double[decider.policy().actionCount(features)];
            decider.policy().probabilities(features, impression.choice().allowed(), again);
            List<Double> probabilities = new ArrayList<>();
            for (double probability : again) {
                probabilities.add(probability);
            }
            assertThat(probabilities)
                    .as("audit, %s", impression.choice())
                    .isEqualTo(impression.choice().distribution());
            assertThat(audit.check(impression)).isEqualTo(DecisionAudit.Outcome.MATCH);
        }
    }

    @CommandLine.Command
    private static final class WithLog {
        @CommandLine.Mixin private final LogOptions log = new LogOptions();
        @CommandLine.Mixin private final ServedOptions served = new ServedOptions();
    }

    /** Reads the log as the command does. */
    private void assertEvaluateUses(Path snapshot, List<Impression> impressions)
            throws IOException {
        Path file = directory.resolve("log.jsonl");
        try (LogWriter writer = LogWriter.create(file)) {
            for (Impression impression : impressions) {
                writer.write(impression);
            }
            writer.finish();
        }
        WithLog options = new WithLog();
        new CommandLine(options).parseArgs("--log", file.toString());
        KnownModel known = KnownModel.read(snapshot);
        ExampleLog log =
                options.log
                        .load(Optional.of(known), new Output(Capture.plain().terminal()))
                        .examples();
        assertThat(log.size()).isEqualTo(impressions.size());
        PolicyOnLog policy = new PolicyOnLog(options.served.policy(known.snapshot()), log);
        for (int i = 0; i < log.size(); i++) {
            assertThat(policy.probability(i))
                    .as("evaluate, %s", impressions.get(i).choice())
                    .isEqualTo(impressions.get(i).choice().propensity().orElseThrow());
        }
    }

    /** Ignores all output of a loop. */
    static final class Ignored implements LoopOutput {
        @Override
        public void frozen(Candidate candidate) {}

        @Override
        public void changed(RolloutChange change) {}
    }
}
