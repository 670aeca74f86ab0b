package io.counterflow.e2e.docs;

import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.schemas.log.LogWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * The log in {@code docs/examples}: which article to show on top of a news page, and whether it was
 * read. Simulated, so that the truth is known.
 *
 * <p>There are five articles to choose from, each of one topic. A reader likes two topics; an
 * article of a liked topic is read with probability 0.5, another with 0.1, and on phones short ones
 * are read more, long ones less often by 0.05. The page showed the newest article (the first one)
 * with probability 0.6 and each other with 0.1.
 */
final class ArticlesExample {

    static final String LOOP = "front-page";
    static final int ARTICLES = 5;
    static final int IMPRESSIONS = 5_000;

    private static final String[] TOPICS = {"sport", "politics", "food", "travel", "tech", "arts"};
    private static final String[] COUNTRIES = {"de", "fr", "it", "es"};
    private static final double NEWEST = 0.6;

    private final EventRandom random;

    ArticlesExample(long seed) {
        this.random = new EventRandom(seed);
    }

    /** A page before the choice. */
    record Page(
            int liked,
            int alsoLiked,
            boolean phone,
            int country,
            List<Integer> topics,
            List<Integer> minutes) {

        /** The probability that an article is read. */
        double readProbability(int article) {
            boolean likes = topics.get(article) == liked || topics.get(article) == alsoLiked;
            double device = phone ? (minutes.get(article) <= 5 ? 0.05 : -0.05) : 0.0;
            return (likes ? 0.5 : 0.1) + device;
        }

        Context.Named context() {
            NamedFeatures user =
                    new NamedFeatures(
                            List.of(
                                    entry("country", new FeatureValue.Text(COUNTRIES[country])),
                                    entry("phone", new FeatureValue.Flag(phone)),
                                    entry(
                                            "likes",
                                            new FeatureValue.Sequence(
                                                    List.of(
                                                            new FeatureValue.Text(TOPICS[liked]),
                                                            new FeatureValue.Text(
                                                                    TOPICS[alsoLiked]))))));
            List<NamedAction> articles = new ArrayList<>();
            for (int a = 0; a < ARTICLES; a++) {
                articles.add(
                        new NamedAction(
                                "article-" + (a + 1),
                                new NamedFeatures(
                                        List.of(
                                                entry(
                                                        "topic",
                                                        new FeatureValue.Text(
                                                                TOPICS[topics.get(a)])),
                                                entry(
                                                        "short",
                                                        new FeatureValue.Flag(
                                                                minutes.get(a) <= 5))))));
            }
            return new Context.Named(new NamedFeatures(List.of(entry("user", user))), articles);
        }

        private static NamedFeatures.Entry entry(String name, FeatureValue value) {
            return new NamedFeatures.Entry(name, value);
        }
    }

    Page drawPage() {
        int liked = random.nextInt(TOPICS.length);
        int alsoLiked = (liked + 1 + random.nextInt(TOPICS.length - 1)) % TOPICS.length;
        List<Integer> topics = new ArrayList<>();
        List<Integer> minutes = new ArrayList<>();
        for (int a = 0; a < ARTICLES; a++) {
            topics.add(random.nextInt(TOPICS.length));
            minutes.add(1 + random.nextInt(10));
        }
        return new Page(
                liked,
                alsoLiked,
                random.nextInt(2) == 0,
                random.nextInt(COUNTRIES.length),
                topics,
                minutes);
    }

    Impression draw(int number) {
        Page page = drawPage();
        double other = (1.0 - NEWEST) / (ARTICLES - 1);
        double u = random.nextDouble();
        int action = u < NEWEST ? 0 : Math.min(ARTICLES - 1, 1 + (int) ((u - NEWEST) / other));
        double reward = random.nextDouble() < page.readProbability(action) ? 1.0 : 0.0;
        return new Impression(
                "visit-" + number,
                LOOP,
                1,
                0,
                Instant.parse("2026-01-01T06:00:00Z").plusSeconds(7L * number),
                page.context(),
                Choice.of(action, action == 0 ? NEWEST : other),
                RewardRule.none(),
                OptionalDouble.of(reward));
    }

    static List<Impression> log(long seed) {
        ArticlesExample example = new ArticlesExample(seed);
        List<Impression> log = new ArrayList<>();
        for (int i = 0; i < IMPRESSIONS; i++) {
            log.add(example.draw(i));
        }
        return log;
    }

    /** Writes {@code monday.jsonl.gz} and {@code tuesday.jsonl.gz} into a directory. */
    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        write(directory.resolve("monday.jsonl.gz"), log(1));
        write(directory.resolve("tuesday.jsonl.gz"), log(2));
    }

    private static void write(Path file, List<Impression> log) throws IOException {
        try (LogWriter writer = LogWriter.create(file)) {
            for (Impression impression : log) {
                writer.write(impression);
            }
            writer.finish();
        }
    }
}
