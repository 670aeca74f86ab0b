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
import java.util.function.ToDoubleFunction;

/**
 * A news page that chooses its top article. There are few kinds of readers, so that the value of a
 * policy is an exact sum over them.
 *
 * <p>Readers prefer articles of their interest. Fresh articles, articles about the favourite topic
 * of their country and, on phones, short articles are read slightly more often. As on a real news
 * page, most visits have no read: a uniform choice earns 3 %, the best possible choice 10 %. The
 * starting policy is a common heuristic: the fresher an article, the more often it is shown.
 */
public final class NewsWorld implements World {

    static final String LOOP = "front-page";

    /** The smallest probability that an article is read. */
    private static final double MIN_READ = 0.013;

    private static final double INTEREST = 0.075;
    private static final double FRESHEST = 0.012;
    private static final double COUNTRY = 0.012;
    private static final double DEVICE = 0.006;

    /** Largest random deviation of a pair of reader and article from the rule. */
    private static final double DEVIATION = 0.003;

    /** Score that an article loses per hour in the starting policy. */
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
     * Default settings, except for the shape of the features, the starting policy, a short window,
     * because rewards arrive within seconds, and the mode.
     */
    private static final String RULES =
            """
            {"bits": 12, "interactions": ["user:article"], "actions": %s, "startingPolicy": %s,
             "attributionWindow": "5s", "rolloutMode": "immediate"}
            """;

    private record Article(String id, String topic, String format, int hours) {

        String json() {
            return "{\"id\":\"%s\",\"features\":{\"article\":{\"topic\":\"%s\",\"format\":\"%s\"},\"hours\":%d}}"
                    .formatted(id, topic, format, hours);
        }
    }

    /** A kind of reader, with the probability that each article is read. */
    private record Reader(Context context, Features features, List<Double> reads) {}

    private final LoopSpec spec;
    private final List<Reader> readers;

    public NewsWorld(long seed) {
        this(seed, LOOP);
    }

    NewsWorld(long seed, String loop) {
        String actions =
                "[" + String.join(",", ARTICLES.stream().map(Article::json).toList()) + "]";
        LoopSpecJson json = new LoopSpecJson(JsonLimits.defaults());
        LoopSpec plain = json.read(RULES.formatted(actions, "null"), loop, 1, Instant.EPOCH);
        String start = SnapshotJson.toJson(freshestFirst(loop, plain.shape()), true);
        this.spec = json.read(RULES.formatted(actions, start), loop, 1, Instant.EPOCH);
        this.readers = readers(spec, new EventRandom(seed));
    }

    /** The starting policy: a weight for the age of an article. */
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
                        double deviation = DEVIATION * (2.0 * random.nextDouble() - 1.0);
                        reads.add(
                                deviation
                                        + read(article, interest, FAVOURITES.get(country), device));
                    }
                    Context context = new Context.Named(json.read(features), List.of());
                    readers.add(
                            new Reader(
                                    context,
                                    assembly.features(context, spec.fixedActions()),
                                    reads));
                }
            }
        }
        return readers;
    }

    private static double read(Article article, String interest, String favourite, String device) {
        double read = MIN_READ + FRESHEST / article.hours();
        read += article.topic().equals(interest) ? INTEREST : 0.0;
        read += article.topic().equals(favourite) ? COUNTRY : 0.0;
        read += device.equals("phone") && article.format().equals("short") ? DEVICE : 0.0;
        return read;
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
        return mean(reader -> reader.reads().stream().mapToDouble(read -> read).max().orElse(0.0));
    }

    @Override
    public double uniform() {
        return mean(
                reader -> reader.reads().stream().mapToDouble(read -> read).average().orElse(0.0));
    }

    private double mean(ToDoubleFunction<Reader> value) {
        return readers.stream().mapToDouble(value).average().orElse(0.0);
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
