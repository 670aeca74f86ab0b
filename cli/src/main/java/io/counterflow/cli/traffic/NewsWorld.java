package io.counterflow.cli.traffic;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.HashedEncoder;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.FeatureAssembly;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopShape;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.json.NamedFeaturesJson;
import io.counterflow.schemas.snapshot.SnapshotJson;
import io.counterflow.schemas.spec.LoopSpecJson;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Which article to put on top of a news page. There are few kinds of readers, so that every value
 * is an exact sum over them.
 *
 * <p>Readers like articles of their interest most; fresh ones, those of their country's favourite
 * topic and, on phones, short ones are read a little more often. The page starts with the heuristic
 * that editors would take: the fresher an article, the likelier it is shown.
 */
public final class NewsWorld implements World {

    static final String LOOP = "front-page";

    /** An article is read with at least this probability, whoever is shown it. */
    private static final double ANYBODY = 0.04;

    private static final double INTEREST = 0.55;
    private static final double FRESHEST = 0.08;
    private static final double COUNTRY = 0.08;
    private static final double DEVICE = 0.04;

    /** How much each pair of reader and article departs from the rule, at most. */
    private static final double QUIRK = 0.02;

    /** How much likelier the heuristic shows an article than one that is an hour older. */
    private static final double PER_HOUR = 0.4;

    private static final List<Article> ARTICLES =
            List.of(
                    new Article("election-night", "politics", "long", 1),
                    new Article("cup-final", "sport", "video", 2),
                    new Article("phones-compared", "tech", "short", 3),
                    new Article("ten-minute-pasta", "food", "short", 4),
                    new Article("night-trains", "travel", "long", 5),
                    new Article("museum-opens", "arts", "long", 6));
    private static final List<String> INTERESTS =
            List.of("politics", "sport", "tech", "food", "travel", "arts");
    private static final List<String> COUNTRIES = List.of("de", "fr", "it", "es");
    private static final List<String> FAVOURITES = List.of("travel", "arts", "food", "sport");
    private static final List<String> DEVICES = List.of("phone", "desktop");

    /**
     * Small steps: with this λ a generation moves so far from its prior that the gate is sure of it
     * after some hundred visits. Tuned by simulation to five generations within 16,000 visits, for
     * several seeds; the share of uniform draws is dear, and lets each generation see what the one
     * before had given up.
     */
    static final String RULES =
            """
            {"bits": 12, "interactions": ["user:article"], "actionIds": true, "actions": %s,
             "explorationFloor": 0.15, "startingPolicy": %s,
             "objective": "ls-lpr", "lambda": 0.002, "tau": 0.01, "delta": 0.05,
             "learningRate": 0.5, "batchSize": 50, "bufferSteps":8, "bufferCapacity": 20000,
             "smoothing": 0.007,
             "snapshotExamples": 700, "attributionWindow": "5s", "rewardAggregation": "first",
             "rolloutMode": "gated", "candidateExamples": 2000}
            """;

    /** Of an article. */
    private record Article(String id, String topic, String format, int hours) {

        String json() {
            return "{\"id\":\"%s\",\"features\":{\"article\":{\"topic\":\"%s\",\"format\":\"%s\"},\"hours\":%d}}"
                    .formatted(id, topic, format, hours);
        }
    }

    /** A kind of reader: who it is, and how probably each article is read. */
    private record Reader(String context, Features features, List<Double> reads) {}

    private final LoopSpec spec;
    private final List<Reader> readers;

    /**
     * @param seed of the readers' quirks
     */
    public NewsWorld(long seed) {
        this(seed, LOOP, RULES);
    }

    NewsWorld(long seed, String loop) {
        this(seed, loop, RULES);
    }

    private NewsWorld(long seed, String loop, String rules) {
        String actions =
                "[" + String.join(",", ARTICLES.stream().map(Article::json).toList()) + "]";
        LoopSpecJson json = new LoopSpecJson(JsonLimits.defaults());
        LoopSpec plain = json.read(rules.formatted(actions, "null"), loop, 1, Instant.EPOCH);
        String start = SnapshotJson.toJson(freshestFirst(loop, plain.shape()), true);
        this.spec = json.read(rules.formatted(actions, start), loop, 1, Instant.EPOCH);
        this.readers = readers(spec, new EventRandom(seed));
    }

    /** The heuristic that the page starts with, as a policy: a weight for an article's age. */
    private static PolicySnapshot freshestFirst(String loop, LoopShape shape) {
        NamedAction onlyAge =
                new NamedAction(
                        "any",
                        new NamedFeatures(
                                List.of(
                                        new NamedFeatures.Entry(
                                                "hours", new FeatureValue.Quantity(1.0)))));
        ActionFeatures age =
                new HashedEncoder(shape.encoder().orElseThrow())
                        .encode(NamedFeatures.none(), List.of(onlyAge));
        float[] weights = ((HashedModel) shape.zeros()).weights();
        weights[age.index(0)] = (float) -PER_HOUR; // the first feature; the id comes after it
        return PolicySnapshot.of(loop, 1, new HashedModel(age.bits(), weights), shape.encoder());
    }

    private static List<Reader> readers(LoopSpec spec, EventRandom random) {
        FeatureAssembly assembly = spec.assembly();
        NamedFeaturesJson json = new NamedFeaturesJson(JsonLimits.defaults());
        List<Reader> readers = new ArrayList<>();
        for (String interest : INTERESTS) {
            for (int country = 0; country < COUNTRIES.size(); country++) {
                for (String device : DEVICES) {
                    String features =
                            "{\"user\":{\"interest\":\"%s\",\"country\":\"%s\",\"device\":\"%s\"}}"
                                    .formatted(interest, COUNTRIES.get(country), device);
                    List<Double> reads = new ArrayList<>();
                    for (Article article : ARTICLES) {
                        double quirk = QUIRK * (2.0 * random.nextDouble() - 1.0);
                        reads.add(quirk + read(article, interest, FAVOURITES.get(country), device));
                    }
                    readers.add(
                            new Reader(
                                    "{\"features\":" + features + "}",
                                    assembly.features(
                                            new Context.Named(json.read(features), List.of()),
                                            spec.fixedActions()),
                                    reads));
                }
            }
        }
        return readers;
    }

    private static double read(Article article, String interest, String favourite, String device) {
        double read = ANYBODY + FRESHEST / article.hours();
        read += article.topic().equals(interest) ? INTEREST : 0.0;
        read += article.topic().equals(favourite) ? COUNTRY : 0.0;
        read += device.equals("phone") && article.format().equals("short") ? DEVICE : 0.0;
        return read;
    }

    @Override
    public String loop() {
        return spec.loop();
    }

    @Override
    public LoopSpec spec() {
        return spec;
    }

    @Override
    public Visit visit(EventRandom random) {
        Reader reader = readers.get(random.nextInt(readers.size()));
        return new Visit(reader.context(), reader.reads()::get);
    }

    @Override
    public double best() {
        double sum = 0.0;
        for (Reader reader : readers) {
            double most = 0.0;
            for (double read : reader.reads()) {
                most = Math.max(most, read);
            }
            sum += most;
        }
        return sum / readers.size();
    }

    @Override
    public double uniform() {
        double sum = 0.0;
        for (Reader reader : readers) {
            for (double read : reader.reads()) {
                sum += read / reader.reads().size();
            }
        }
        return sum / readers.size();
    }

    @Override
    public double valueOf(Policy policy) {
        double sum = 0.0;
        double[] probabilities = new double[ARTICLES.size()];
        for (Reader reader : readers) {
            policy.probabilities(reader.features(), AllowedActions.ALL, probabilities);
            for (int a = 0; a < probabilities.length; a++) {
                sum += probabilities[a] * reader.reads().get(a);
            }
        }
        return sum / readers.size();
    }
}
