package io.counterflow.e2e.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.HashedEncoder;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.log.LogReader;
import io.counterflow.schemas.snapshot.SnapshotFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of docs/offline.md, with the log in {@code docs/examples}. */
final class ArticlesExampleIT {

    private static final Path EXAMPLES = Path.of("..", "docs", "examples");

    @TempDir Path dir;

    @Test
    void theFilesEqualTheOutputOfTheSimulation() throws IOException {
        assertThat(read("monday.jsonl.gz")).isEqualTo(ArticlesExample.log(1));
        assertThat(read("tuesday.jsonl.gz")).isEqualTo(ArticlesExample.log(2));
    }

    private static List<Impression> read(String name) throws IOException {
        List<Impression> log = new ArrayList<>();
        try (LogReader reader = LogReader.open(EXAMPLES.resolve(name))) {
            reader.forEachRemaining(log::add);
        }
        return log;
    }

    @Test
    void theNumbersInTheReadmeAreCorrect() throws IOException {
        Path snapshot = dir.resolve("better.snapshot");
        JsonNode trained =
                OfflineCommands.json(
                        "train",
                        "--log",
                        EXAMPLES.resolve("monday.jsonl.gz"),
                        "--objective",
                        "ips-lpr",
                        "--prior",
                        "none",
                        "--out",
                        snapshot);
        JsonNode evaluated =
                OfflineCommands.json(
                        "evaluate",
                        "--log",
                        EXAMPLES.resolve("tuesday.jsonl.gz"),
                        "--policy",
                        snapshot);
        double truth = trueValue(SnapshotFile.read(snapshot));
        double before = evaluated.get("onPolicyMean").asDouble();
        assertThat(truth).isGreaterThan(before + 0.1);
        assertThat(truth).as("true value of the learned policy").isCloseTo(0.388, within(0.0005));
        assertThat(bestValue()).as("that of the best").isCloseTo(0.460, within(0.0005));
        JsonNode interval = evaluated.get("intervals").get("selfNormalized").get("normal");
        assertThat(truth).isBetween(interval.get(0).asDouble(), interval.get(1).asDouble());
        assertThat(trained.get("learnedFrom").get("valueLowerBound").asDouble())
                .isStrictlyBetween(0.0, truth);
        assertThat(evaluated.get("judgedOnLowerBound").asDouble()).isStrictlyBetween(before, truth);
    }

    /** The expected reward over 20,000 pages, computed without sampling of actions. */
    static double trueValue(PolicySnapshot snapshot) {
        ArticlesExample example = new ArticlesExample(3);
        HashedEncoder encoder = new HashedEncoder(snapshot.encoder().orElseThrow());
        Policy policy = snapshot.policy();
        double[] probabilities = new double[ArticlesExample.ARTICLES];
        double sum = 0.0;
        int pages = 20_000;
        for (int i = 0; i < pages; i++) {
            ArticlesExample.Page page = example.drawPage();
            Context.Named context = page.context();
            ActionFeatures phi = encoder.encode(context.features(), context.actions());
            policy.probabilities(phi, AllowedActions.ALL, probabilities);
            for (int a = 0; a < probabilities.length; a++) {
                sum += probabilities[a] * page.readProbability(a);
            }
        }
        return sum / pages;
    }

    /** The expected reward of always showing the best article, over the same pages. */
    private static double bestValue() {
        ArticlesExample example = new ArticlesExample(3);
        double sum = 0.0;
        int pages = 20_000;
        for (int i = 0; i < pages; i++) {
            ArticlesExample.Page page = example.drawPage();
            double best = 0.0;
            for (int a = 0; a < ArticlesExample.ARTICLES; a++) {
                best = Math.max(best, page.readProbability(a));
            }
            sum += best;
        }
        return sum / pages;
    }
}
