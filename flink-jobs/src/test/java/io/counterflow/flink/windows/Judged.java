package io.counterflow.flink.windows;

import io.counterflow.flink.event.ScoredExample;
import io.counterflow.flink.event.ScoredExample.Audit;
import io.counterflow.flink.event.ScoredExample.EstimateSettings;
import io.counterflow.flink.windows.WindowHarness.Timed;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Judged examples for tests, each with what matters to its test. */
final class Judged {

    static final EstimateSettings SETTINGS = new EstimateSettings(0.1, 0.5, 0.05, 0.2);

    private String loop = "home";
    private final long timeMs;
    private long loggedBy = 1;
    private long decidedBy = 1;
    private long activeVersion = 1;
    private double activeProbability = 0.5;
    private @Nullable Long candidateVersion;
    private double candidateProbability;
    private boolean apprentice;
    private int action;
    private int actions = 2;
    private double propensity = 0.5;
    private double reward;
    private List<Double> distribution = List.of(0.5, 0.5);
    private Audit audit = Audit.NOT_DONE;
    private EstimateSettings settings = SETTINGS;

    private Judged(long timeMs) {
        this.timeMs = timeMs;
    }

    /** An example of the loop home that version 1 logged at a time, and that judges version 1. */
    static Judged at(long timeMs) {
        return new Judged(timeMs);
    }

    Judged loop(String name) {
        loop = name;
        return this;
    }

    Judged loggedBy(long version) {
        loggedBy = version;
        decidedBy = version;
        return this;
    }

    /** Another version drew the action of an event that the two versions shared. */
    Judged decidedBy(long version) {
        decidedBy = version;
        return this;
    }

    Judged active(long version, double probability) {
        activeVersion = version;
        activeProbability = probability;
        return this;
    }

    Judged candidate(long version, double probability) {
        candidateVersion = version;
        candidateProbability = probability;
        return this;
    }

    Judged chose(int chosen, int of, double probability) {
        action = chosen;
        actions = of;
        propensity = probability;
        return this;
    }

    Judged distribution(List<Double> logged) {
        distribution = logged;
        return this;
    }

    /** The action was shown for certain. */
    Judged shown() {
        apprentice = true;
        propensity = 1.0;
        return this;
    }

    Judged reward(double value) {
        reward = value;
        return this;
    }

    Judged audit(Audit result) {
        audit = result;
        return this;
    }

    Judged settings(EstimateSettings value) {
        settings = value;
        return this;
    }

    Timed timed() {
        return new Timed(example(), timeMs * 1_000L);
    }

    private ScoredExample example() {
        return new ScoredExample(
                loop,
                loggedBy,
                decidedBy,
                false,
                apprentice,
                action,
                actions,
                propensity,
                reward,
                activeVersion,
                activeProbability,
                candidateVersion,
                candidateProbability,
                1.0 / actions,
                distribution,
                audit,
                settings);
    }
}
