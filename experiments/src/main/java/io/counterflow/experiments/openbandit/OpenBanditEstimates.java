package io.counterflow.experiments.openbandit;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.core.estimate.Interval;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.schemas.log.LogReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Estimates the values of both policies of a campaign from each other's logs. */
final class OpenBanditEstimates {

    static final List<String> CAMPAIGNS = List.of("men", "women");

    private static final String UNIFORM = "random";
    private static final String THOMPSON = "bts";
    private static final List<String> ESTIMATORS =
            List.of("ips", "clippedRatioIps", "selfNormalized", "doublyRobust");

    /** Click rates of the full dataset: Saito et al., arXiv 2008.07146, table 1. */
    private static final Map<String, Double> PUBLISHED =
            Map.of(
                    "men/random", 0.0051,
                    "men/bts", 0.0067,
                    "women/random", 0.0048,
                    "women/bts", 0.0064);

    private final Path data;
    private final Path work;
    private final int draws;
    private final long seed;

    /**
     * @param data directory of the dataset
     * @param work directory for temporary files
     * @param draws number of simulated decisions of the Thompson sampler
     */
    OpenBanditEstimates(Path data, Path work, int draws, long seed) {
        this.data = data;
        this.work = work;
        this.draws = draws;
        this.seed = seed;
    }

    /** The files of a campaign that must be there. */
    static List<String> files(String campaign) {
        return List.of(
                "random-%s.csv.gz".formatted(campaign),
                "bts-%s.csv.gz".formatted(campaign),
                "random-%s-item_context.csv".formatted(campaign));
    }

    List<OpenBanditRow> rows(String campaign) throws IOException {
        Path uniformLog = imported(campaign, UNIFORM);
        Path thompsonLog = imported(campaign, THOMPSON);
        double[][] thompson =
                ThompsonPolicy.read(data.resolve("bts-prior.yaml"), campaign)
                        .probabilities(draws, new EventRandom(seed));
        Path target = work.resolve(campaign + "-bts-target.jsonl");
        writeTarget(uniformLog, thompson, target);
        JsonNode ofThompson = evaluated(uniformLog, target.toString());
        JsonNode ofUniform = evaluated(thompsonLog, "uniform");
        List<OpenBanditRow> rows = new ArrayList<>();
        rows.addAll(rows(campaign, THOMPSON, UNIFORM, ofThompson, ofUniform));
        rows.addAll(rows(campaign, UNIFORM, THOMPSON, ofUniform, ofThompson));
        return rows;
    }

    /** Both logs have the items of the uniform one, because their features differ by file. */
    private Path imported(String campaign, String policy) throws IOException {
        Path log = work.resolve(policy + "-" + campaign + ".jsonl");
        OfflineTool.run(
                "import",
                "--format",
                "open-bandit",
                "--in",
                data.resolve("%s-%s.csv.gz".formatted(policy, campaign)),
                "--item-context",
                data.resolve("random-%s-item_context.csv".formatted(campaign)),
                "--out",
                log);
        return log;
    }

    private static JsonNode evaluated(Path log, String policy) throws IOException {
        return OfflineTool.run("evaluate", "--log", log, "--policy", policy);
    }

    /** Writes the sampler's probabilities for each event: those of its position. */
    private static void writeTarget(Path log, double[][] probabilities, Path target)
            throws IOException {
        try (LogReader reader = LogReader.open(log);
                BufferedWriter out = Files.newBufferedWriter(target)) {
            while (reader.hasNext()) {
                Impression impression = reader.next();
                out.write(
                        "{\"eventId\":\"%s\",\"distribution\":%s}%n"
                                .formatted(
                                        impression.eventId(),
                                        Arrays.toString(probabilities[position(impression) - 1])));
            }
        }
    }

    /** 1, 2 or 3. */
    private static int position(Impression impression) {
        if (impression.context() instanceof Context.Named named) {
            for (NamedFeatures.Entry entry : named.features().entries()) {
                if (entry.name().equals("position")
                        && entry.value() instanceof FeatureValue.Text text
                        && text.value().matches("[1-3]")) {
                    return Integer.parseInt(text.value());
                }
            }
        }
        throw new IllegalArgumentException("position must be 1, 2 or 3");
    }

    /**
     * @param own the evaluation on the log of the policy itself, whose mean reward is the truth
     */
    private static List<OpenBanditRow> rows(
            String campaign, String policy, String log, JsonNode estimates, JsonNode own) {
        List<OpenBanditRow> rows = new ArrayList<>();
        for (String estimator : ESTIMATORS) {
            JsonNode intervals = estimates.path("intervals").path(estimator);
            rows.add(
                    new OpenBanditRow(
                            campaign,
                            policy,
                            log,
                            estimator,
                            estimates.path(estimator).asDouble(),
                            interval(intervals.path("normal")),
                            Optional.ofNullable(intervals.get("betting"))
                                    .map(OpenBanditEstimates::interval),
                            own.path("onPolicyMean").asDouble(),
                            interval(own.path("intervals").path("onPolicyMean").path("betting")),
                            published(campaign + "/" + policy),
                            estimates.path("effectiveSampleSize").asDouble()));
        }
        return rows;
    }

    private static double published(String which) {
        @Nullable Double rate = PUBLISHED.get(which);
        return rate == null ? Double.NaN : rate;
    }

    private static Interval interval(JsonNode pair) {
        return new Interval(pair.get(0).asDouble(), pair.get(1).asDouble());
    }
}
