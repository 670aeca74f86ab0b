package io.counterflow.experiments.worlds;

import io.counterflow.experiments.data.ClassificationData;
import io.counterflow.experiments.run.Measured;
import io.counterflow.experiments.run.ResultFile;
import io.counterflow.experiments.run.UnitKey;
import io.counterflow.experiments.run.WorkUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * The units of work of the worlds and their results. A unit is the stream of one learner, or of the
 * uniform and best decisions, in one world with one seed.
 *
 * @param kinds the worlds
 * @param contestants the learners
 * @param firstSeed the first seed
 * @param seeds number of seeds
 * @param maxEvents maximum number of events of a stream
 * @param data images; empty if no world needs them
 */
record WorldUnits(
        List<WorldKind> kinds,
        List<Contestant> contestants,
        long firstSeed,
        int seeds,
        int maxEvents,
        Optional<ClassificationData> data) {

    static final String NAME = "worlds";

    /** To be increased with every change that affects numbers. */
    private static final String RESULTS_VERSION = "v2";

    private static final String UNIFORM = "uniform";
    private static final String BEST = "best";

    List<WorkUnit> all() {
        List<WorkUnit> units = new ArrayList<>();
        for (WorldKind kind : kinds) {
            for (long seed : seedList()) {
                WorldRun run = run(kind, seed);
                units.add(
                        new WorkUnit(
                                references(kind, seed),
                                run.events(),
                                steps -> measured(run.references(steps))));
                for (Contestant contestant : contestants) {
                    units.add(
                            new WorkUnit(
                                    keys(kind, seed, contestant.toString()),
                                    run.events(),
                                    steps -> measured(run.rewards(contestant::agent, steps))));
                }
            }
        }
        return units;
    }

    long[] seedList() {
        return LongStream.range(firstSeed, firstSeed + seeds).toArray();
    }

    private WorldRun run(WorldKind kind, long seed) {
        return new WorldRun(kind, one -> kind.world(one, data), events(kind), seed);
    }

    int events(WorldKind kind) {
        return Math.min(maxEvents, kind.events());
    }

    private static List<Measured> measured(double[]... means) {
        return Arrays.stream(means)
                .flatMapToDouble(Arrays::stream)
                .mapToObj(mean -> new Measured(Double.NaN, mean, Double.NaN))
                .toList();
    }

    private List<UnitKey> references(WorldKind kind, long seed) {
        List<UnitKey> keys = new ArrayList<>(keys(kind, seed, UNIFORM));
        keys.addAll(keys(kind, seed, BEST));
        return keys;
    }

    private List<UnitKey> keys(WorldKind kind, long seed, String method) {
        IntFunction<UnitKey> key =
                part ->
                        new UnitKey(
                                NAME,
                                kind.toString(),
                                kind.needsData()
                                        ? RESULTS_VERSION + '-' + data.orElseThrow().fingerprint()
                                        : RESULTS_VERSION,
                                0,
                                method,
                                "events=%d part=%02d-of-%d"
                                        .formatted(events(kind), part + 1, WorldRun.PARTS),
                                0.0,
                                UnitKey.WHOLE_LOG,
                                1,
                                seed);
        return IntStream.range(0, WorldRun.PARTS).mapToObj(key).toList();
    }

    /** The results of a learner in a world. The file must have them. */
    WorldShares shares(ResultFile results, WorldKind kind, Contestant contestant) {
        return new WorldShares(
                means(results, kind, contestant.toString()),
                means(results, kind, UNIFORM),
                means(results, kind, BEST));
    }

    private List<double[]> means(ResultFile results, WorldKind kind, String method) {
        return Arrays.stream(seedList())
                .mapToObj(
                        seed ->
                                keys(kind, seed, method).stream()
                                        .mapToDouble(key -> results.require(key).stochastic())
                                        .toArray())
                .toList();
    }
}
