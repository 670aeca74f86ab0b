package io.counterflow.cli.exports;

import io.counterflow.core.features.NamedAction;
import io.counterflow.core.log.RewardRange;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.json.NamedFeaturesJson;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.NamedActionRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** What the specs of loops say about decisions, by the version of the spec. */
final class LoopSpecs {

    private final NamedFeaturesJson features = new NamedFeaturesJson(JsonLimits.defaults());
    private final Map<String, NavigableMap<Long, LoopFacts>> loops = new HashMap<>();

    /**
     * Adds a spec.
     *
     * @throws IllegalArgumentException if it is invalid
     */
    void add(LoopSpecRecord spec) {
        List<NamedAction> actions = new ArrayList<>();
        for (NamedActionRecord action : spec.getActions()) {
            actions.add(new NamedAction(action.getId(), features.read(action.getFeatures())));
        }
        List<Double> range = spec.getRewardRange();
        if (range.size() != 2) {
            throw new IllegalArgumentException(
                    "rewardRange must have two numbers, got " + range.size());
        }
        LoopFacts facts = new LoopFacts(new RewardRange(range.get(0), range.get(1)), actions);
        NavigableMap<Long, LoopFacts> versions =
                loops.computeIfAbsent(spec.getLoop(), unused -> new TreeMap<>());
        Map.Entry<Long, LoopFacts> earlier = versions.floorEntry(spec.getVersion());
        if (earlier == null || !earlier.getValue().equals(facts)) { // most changes are elsewhere
            versions.put(spec.getVersion(), facts);
        }
    }

    /** Forgets a loop that was deleted. */
    void remove(String loop) {
        loops.remove(loop);
    }

    /** The facts of a version, or of the nearest one that is known. */
    Optional<LoopFacts> of(String loop, long version) {
        NavigableMap<Long, LoopFacts> versions = loops.get(loop);
        if (versions == null) {
            return Optional.empty();
        }
        Map.Entry<Long, LoopFacts> entry = versions.floorEntry(version);
        return Optional.of((entry == null ? versions.firstEntry() : entry).getValue());
    }
}
