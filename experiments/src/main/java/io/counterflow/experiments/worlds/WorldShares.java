package io.counterflow.experiments.worlds;

import io.counterflow.experiments.report.Summary;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/**
 * How far a learner got in a world: the share of the way from the uniform to the best policy. The
 * rewards of the decisions are expected ones, with the exploration that they had; the best policy
 * explores nothing.
 *
 * @param rewards mean reward of the learner by seed and part of the stream
 * @param uniform that of uniform decisions
 * @param best that of the best decisions
 */
record WorldShares(List<double[]> rewards, List<double[]> uniform, List<double[]> best) {

    private static final int FINAL_PARTS = WorldRun.PARTS / 10;
    private static final double RECOVERED = 0.9;

    /** Over the whole stream. */
    Summary average() {
        return over(0, WorldRun.PARTS);
    }

    /** Over the last tenth of the stream. */
    Summary last() {
        return over(WorldRun.PARTS - FINAL_PARTS, WorldRun.PARTS);
    }

    /** Over a part of the stream. */
    Summary over(int from, int to) {
        List<Double> shares = new ArrayList<>();
        for (int seed = 0; seed < rewards.size(); seed++) {
            double gained = 0.0;
            double possible = 0.0;
            for (int part = from; part < to; part++) {
                gained += rewards.get(seed)[part] - uniform.get(seed)[part];
                possible += best.get(seed)[part] - uniform.get(seed)[part];
            }
            shares.add(gained / possible);
        }
        return Summary.of(shares);
    }

    /**
     * The number of parts after a change until the mean share is back at 90 % of the level before,
     * which is that of the four parts before it; empty if it is not.
     */
    OptionalInt recovery(int changedPart) {
        double before = over(changedPart - FINAL_PARTS, changedPart).mean();
        for (int part = changedPart; part < WorldRun.PARTS; part++) {
            if (over(part, part + 1).mean() >= RECOVERED * before) {
                return OptionalInt.of(part - changedPart + 1);
            }
        }
        return OptionalInt.empty();
    }

    /** The mean reward of uniform decisions over all seeds. */
    double uniformRate() {
        return mean(uniform);
    }

    /** The mean reward of the best decisions over all seeds. */
    double bestRate() {
        return mean(best);
    }

    private static double mean(List<double[]> seeds) {
        return seeds.stream().flatMapToDouble(Arrays::stream).average().orElseThrow();
    }
}
