package io.counterflow.experiments.worlds;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.HashedEncoder;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.spec.LoopSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Users choose from a catalogue of articles, with named features.
 *
 * <p>A user has a segment and a device, an article a topic and an id. The log-odds of a reward are
 *
 * <pre>base + affinity(segment, topic) + quality(article)</pre>
 *
 * <p>with normal affinities and qualities. The device has no effect. Each request offers some of
 * the articles, drawn without replacement. Features are the topic, the id, and both multiplied with
 * the segment and with the device: six of value 1, so the truth is within the model.
 *
 * <p>With <em>heavy tails</em>, users are one of 20,000, and user k comes with a probability
 * proportional to 1/k. The user's id is a feature instead of the device. Each user has an own
 * log-odds (deviation 1) and an own taste for each topic (deviation 0.3).
 */
final class CatalogueWorld implements World {

    static final int BITS = 18;

    private static final int DEVICES = 3;
    private static final int USERS = 20_000;
    private static final double RATE_OF_USERS = 1.0;
    private static final double TASTE_OF_USERS = 0.3;

    private record Article(int id, int topic, double quality, NamedAction action, String line) {}

    private final CatalogueSettings settings;
    private final EventRandom random;
    private final HashedEncoder encoder = new HashedEncoder(EncoderSpec.ofBits(BITS));
    private final double[][] affinities;
    private final double[][] otherAffinities; // half a season later
    private final List<Article> pool = new ArrayList<>();
    private final Map<Integer, double[]> users = new HashMap<>(); // log-odds by topic
    private final double[] userShares; // cumulative; empty without heavy tails
    private Optional<LinearModel> start = Optional.empty();
    private int delay;
    private double missing;
    private int created;
    private int events;

    CatalogueWorld(CatalogueSettings settings, boolean heavyTails, long seed) {
        this.settings = settings;
        this.random = EventRandom.named("catalogue/" + seed);
        this.affinities = normals(settings.affinity());
        this.otherAffinities = normals(settings.affinity());
        for (int i = 0; i < settings.pool(); i++) {
            pool.add(article());
        }
        this.userShares = heavyTails ? zipf() : new double[0];
    }

    private double[][] normals(double deviation) {
        double[][] drawn = new double[settings.segments()][settings.topics()];
        for (double[] row : drawn) {
            for (int i = 0; i < row.length; i++) {
                row[i] = deviation * random.nextGaussian();
            }
        }
        return drawn;
    }

    private Article article() {
        int id = created++;
        int topic = random.nextInt(settings.topics());
        return new Article(
                id,
                topic,
                settings.quality() * random.nextGaussian(),
                new NamedAction("a" + id, named("topic", topic)),
                "|a topic=%d id=%d".formatted(topic, id));
    }

    private static NamedFeatures named(String name, int value) {
        return new NamedFeatures(List.of(entry(name, value)));
    }

    private static NamedFeatures.Entry entry(String name, int value) {
        return new NamedFeatures.Entry(name, new FeatureValue.Text(Integer.toString(value)));
    }

    private static double[] zipf() {
        double[] cumulative = new double[USERS];
        double sum = 0.0;
        for (int k = 0; k < USERS; k++) {
            sum += 1.0 / (k + 1);
            cumulative[k] = sum;
        }
        for (int k = 0; k < USERS; k++) {
            cumulative[k] /= sum;
        }
        return cumulative;
    }

    /** Lets rewards arrive some events after the decisions, and loses some of them. */
    CatalogueWorld delayed(int byEvents, double missingShare) {
        delay = byEvents;
        missing = missingShare;
        return this;
    }

    /**
     * Starts with a softmax of the true log-odds, at the temperature at which it covers a share of
     * the way from the uniform to the best policy, with the exploration floor. Needs a fixed pool.
     *
     * @param share such as 0.917
     */
    CatalogueWorld startingAt(double share) {
        return startingFrom(share, false);
    }

    /** Starts with a policy that is as sure as another world's, about topics in a wrong order. */
    CatalogueWorld startingWrong(double share) {
        return startingFrom(share, true);
    }

    private CatalogueWorld startingFrom(double share, boolean wrong) {
        double low = 0.0;
        double high = 100.0;
        while (high - low > 0.01) {
            double middle = 0.5 * (low + high);
            if (share(middle) < share) {
                low = middle;
            } else {
                high = middle;
            }
        }
        start = Optional.of(model(high, wrong ? 1 : 0));
        return this;
    }

    /** The share of the way for the softmax of the scaled true log-odds, on requests of its own. */
    private double share(double scale) {
        CatalogueWorld copy = new CatalogueWorld(settings, this);
        Policy policy = copy.spec().build().policyOf(model(scale, 0));
        double[] probabilities = new double[settings.shown()];
        double value = 0.0;
        double uniform = 0.0;
        double best = 0.0;
        for (int i = 0; i < 2_000; i++) {
            Request request = copy.next();
            policy.probabilities(request.features(), AllowedActions.ALL, probabilities);
            value += request.value(probabilities);
            uniform += request.uniformValue();
            best += request.bestValue();
        }
        return (value - uniform) / (best - uniform);
    }

    /** A world with the same truth and other requests. */
    private CatalogueWorld(CatalogueSettings settings, CatalogueWorld other) {
        this.settings = settings;
        this.random = EventRandom.named("sample");
        this.affinities = other.affinities;
        this.otherAffinities = other.otherAffinities;
        this.pool.addAll(other.pool);
        this.userShares = other.userShares;
    }

    private HashedModel model(double scale, int shift) {
        float[] weights = new float[1 << BITS];
        for (int segment = 0; segment < settings.segments(); segment++) {
            for (Article article : pool) {
                ActionFeatures row = encoder.encode(context(segment, 0), List.of(article.action()));
                int topic = (article.topic() + shift * settings.topics() / 2) % settings.topics();
                // Entries are: topic, id, segment x topic, ...
                weights[row.index(1)] = (float) (shift == 0 ? scale * article.quality() : 0.0);
                weights[row.index(2)] = (float) (scale * affinities[segment][topic]);
            }
        }
        return new HashedModel(BITS, weights);
    }

    @Override
    public LoopSpec.Builder spec() {
        return LoopSpec.builder("world").names(BITS);
    }

    @Override
    public Optional<LinearModel> start() {
        return start;
    }

    @Override
    public int delay() {
        return delay;
    }

    @Override
    public double missing() {
        return missing;
    }

    @Override
    public Request next() {
        renew();
        int segment = random.nextInt(settings.segments());
        boolean tails = userShares.length > 0;
        int second = tails ? drawUser() : random.nextInt(DEVICES);
        List<Article> offered = offered();
        double[] rewards = new double[offered.size()];
        for (int i = 0; i < rewards.length; i++) {
            double logOdds = logOdds(segment, offered.get(i));
            if (tails) {
                double[] user = users.computeIfAbsent(second, k -> newUser());
                logOdds += user[offered.get(i).topic()];
            }
            rewards[i] = 1.0 / (1.0 + Math.exp(-logOdds));
        }
        events++;
        return new Request(
                encoder.encode(
                        context(segment, second), offered.stream().map(Article::action).toList()),
                AllowedActions.ALL,
                rewards,
                random.nextDouble(),
                () -> lines(segment, second, offered));
    }

    private void renew() {
        if (settings.replaceEvery() > 0 && events > 0 && events % settings.replaceEvery() == 0) {
            pool.set(random.nextInt(pool.size()), article());
        }
        if (settings.day() > 0 && events > 0 && events % settings.day() == 0) {
            pool.replaceAll(article -> article());
        }
    }

    /** The first articles of a partial shuffle; all of them in order if all are shown. */
    private List<Article> offered() {
        if (settings.shown() == pool.size()) {
            return List.copyOf(pool);
        }
        for (int i = 0; i < settings.shown(); i++) {
            int j = i + random.nextInt(pool.size() - i);
            Article swapped = pool.get(i);
            pool.set(i, pool.get(j));
            pool.set(j, swapped);
        }
        return List.copyOf(pool.subList(0, settings.shown()));
    }

    private double logOdds(int segment, Article article) {
        double liked = affinities[segment][article.topic()];
        if (settings.season() > 0) {
            double phase = 2.0 * Math.PI * events / settings.season();
            liked =
                    Math.cos(phase) * liked
                            + Math.sin(phase) * otherAffinities[segment][article.topic()];
        }
        double sign = settings.flipAt() > 0 && events >= settings.flipAt() ? -1.0 : 1.0;
        return settings.base() + sign * (liked + article.quality());
    }

    private int drawUser() {
        double u = random.nextDouble();
        int at = Arrays.binarySearch(userShares, u);
        return Math.min(USERS - 1, at >= 0 ? at : -at - 1);
    }

    private double[] newUser() {
        double[] logOdds = new double[settings.topics()];
        double rate = RATE_OF_USERS * random.nextGaussian();
        for (int i = 0; i < logOdds.length; i++) {
            logOdds[i] = rate + TASTE_OF_USERS * random.nextGaussian();
        }
        return logOdds;
    }

    private NamedFeatures context(int segment, int second) {
        return new NamedFeatures(
                List.of(
                        entry("segment", segment),
                        entry(userShares.length > 0 ? "user" : "device", second)));
    }

    private List<String> lines(int segment, int second, List<Article> offered) {
        List<String> lines = new ArrayList<>();
        lines.add(
                "shared |u segment=%d %s=%d"
                        .formatted(segment, userShares.length > 0 ? "user" : "device", second));
        offered.forEach(article -> lines.add(article.line()));
        return lines;
    }
}
