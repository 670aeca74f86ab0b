package io.counterflow.schemas.json;

import static java.util.Map.entry;

import com.fasterxml.jackson.core.JsonToken;
import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.schemas.DecisionRule;
import io.counterflow.schemas.LoopSpec;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.PolicyKindRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.PropensityKindRecord;
import io.counterflow.schemas.record.RewardAggregationRecord;
import io.counterflow.schemas.record.RolloutModeRecord;
import io.counterflow.schemas.record.UnloggedDecisionRecord;
import io.counterflow.schemas.snapshot.InvalidSnapshotException;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.snapshot.SnapshotJson;
import io.counterflow.schemas.wire.LoopSpecConversion;
import java.io.IOException;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The fields of one spec's JSON object, collected in any order over the schema's defaults. */
final class LoopSpecFields {

    /** How a field is read into the record. */
    @FunctionalInterface
    private interface Field {
        void read(LoopSpecRecord spec, String name, JsonDocument json) throws IOException;
    }

    private static final Map<String, Field> FIELDS =
            Map.ofEntries(
                    entry("loop", LoopSpecFields::requireLoop),
                    // What a reader is shown and sends back: the writer of the spec gives its own.
                    entry("version", (spec, name, json) -> json.skip()),
                    entry("time", (spec, name, json) -> json.skip()),
                    entry(
                            "policy",
                            (spec, name, json) ->
                                    spec.setPolicy(
                                            PolicyKindRecord.valueOf(
                                                    word(DecisionRule.Kind.class, name, json)))),
                    entry(
                            "propensityKind",
                            (spec, name, json) ->
                                    spec.setPropensityKind(
                                            PropensityKindRecord.valueOf(
                                                    word(PropensityKind.class, name, json)))),
                    entry("propensityDraws", (s, n, j) -> s.setPropensityDraws(j.index(n))),
                    entry("inverseTemperature", (s, n, j) -> s.setInverseTemperature(j.number(n))),
                    entry("explorationFloor", (s, n, j) -> s.setExplorationFloor(j.number(n))),
                    entry("variance", (s, n, j) -> s.setVariance(j.number(n))),
                    entry(
                            "startingPolicy",
                            (spec, name, json) -> spec.setStartingPolicy(snapshot(name, json))),
                    entry("objective", (s, n, j) -> s.setObjective(j.text(n))),
                    entry("lambda", (s, n, j) -> s.setLambda(j.number(n))),
                    entry("varianceLambda", (s, n, j) -> s.setVarianceLambda(j.number(n))),
                    entry("tau", (s, n, j) -> s.setTau(j.number(n))),
                    entry("delta", (s, n, j) -> s.setDelta(j.number(n))),
                    entry("priorVariance", (s, n, j) -> s.setPriorVariance(j.number(n))),
                    entry("smoothing", (s, n, j) -> s.setSmoothing(j.number(n))),
                    entry("normBound", (s, n, j) -> s.setNormBound(j.number(n))),
                    entry("learningRate", (s, n, j) -> s.setLearningRate(j.number(n))),
                    entry("adaGradSmoothing", (s, n, j) -> s.setAdaGradSmoothing(j.number(n))),
                    entry("batchSize", (s, n, j) -> s.setBatchSize(j.index(n))),
                    entry("replay", (s, n, j) -> s.setReplay(j.index(n))),
                    entry("bufferLimit", (s, n, j) -> s.setBufferLimit(j.index(n))),
                    entry("seed", (s, n, j) -> s.setSeed(j.integer(n))),
                    entry("snapshotExamples", (s, n, j) -> s.setSnapshotExamples(j.integer(n))),
                    entry("snapshotInterval", (s, n, j) -> s.setSnapshotIntervalMs(millis(n, j))),
                    entry("attributionWindow", (s, n, j) -> s.setAttributionWindowMs(millis(n, j))),
                    entry("defaultReward", (s, n, j) -> s.setDefaultReward(j.number(n))),
                    entry(
                            "rewardAggregation",
                            (spec, name, json) ->
                                    spec.setRewardAggregation(
                                            RewardAggregationRecord.valueOf(
                                                    word(RewardAggregation.class, name, json)))),
                    entry("distributionLimit", (s, n, j) -> s.setDistributionLimit(j.index(n))),
                    entry(
                            "rolloutMode",
                            (spec, name, json) ->
                                    spec.setRolloutMode(
                                            RolloutModeRecord.valueOf(
                                                    word(RolloutMode.class, name, json)))),
                    entry("canaryShare", (s, n, j) -> s.setCanaryShare(j.number(n))),
                    entry("candidateExamples", (s, n, j) -> s.setCandidateExamples(j.integer(n))),
                    entry("automaticRollback", (s, n, j) -> s.setAutomaticRollback(j.flag(n))),
                    entry(
                            "unloggedDecision",
                            (spec, name, json) ->
                                    spec.setUnloggedDecision(
                                            UnloggedDecisionRecord.valueOf(
                                                    word(
                                                            DecisionRule.UnloggedDecision.class,
                                                            name,
                                                            json)))));

    private static final int SHOWN = 40;

    private final LoopSpecRecord spec = LoopSpecConversion.defaults();
    private final LoopShapeJson shape;
    private final Set<String> seen = new HashSet<>();

    LoopSpecFields(JsonLimits limits, String loop, long version, Instant time) {
        this.shape = new LoopShapeJson(limits);
        spec.setLoop(loop);
        spec.setVersion(version);
        spec.setTime(time);
    }

    LoopSpec read(JsonDocument json) throws IOException {
        for (Optional<String> name = json.nextField(); name.isPresent(); name = json.nextField()) {
            readField(name.get(), json);
        }
        spec.setShape(LoopSpecConversion.toRecord(shape.shape()));
        return LoopSpecConversion.fromRecord(spec);
    }

    private void readField(String name, JsonDocument json) throws IOException {
        Field field = FIELDS.get(name);
        if (field == null && !LoopShapeJson.FIELDS.contains(name)) {
            throw unknown(name);
        }
        if (!seen.add(name)) {
            throw new InvalidJsonException(name, "must be given once, got it again");
        }
        if (json.nextToken() == JsonToken.VALUE_NULL) { // null is the same as absent
            return;
        }
        if (field == null) {
            shape.readField(name, json);
        } else {
            field.read(spec, name, json);
        }
    }

    /** Settings are typed by people: one that was passed over would seem to be in force. */
    private static InvalidJsonException unknown(String name) {
        Set<String> known = new TreeSet<>(FIELDS.keySet());
        known.addAll(LoopShapeJson.FIELDS);
        return new InvalidJsonException(
                name.substring(0, Math.min(SHOWN, name.length())),
                "must be a field of a spec, got an unknown one"
                        + Spelling.closest(name, known)
                                .map("; did you mean %s?"::formatted)
                                .orElse(""));
    }

    private static void requireLoop(LoopSpecRecord spec, String name, JsonDocument json)
            throws IOException {
        if (!json.text(name).equals(spec.getLoop())) {
            throw new InvalidJsonException(
                    name, "must be \"%s\" or absent, got another".formatted(spec.getLoop()));
        }
    }

    private static <E extends Enum<E>> String word(Class<E> type, String field, JsonDocument json)
            throws IOException {
        return JsonNames.constant(type, field, json.text(field)).name();
    }

    private static long millis(String field, JsonDocument json) throws IOException {
        return JsonDuration.parseMillis(field, json.text(field));
    }

    private static PolicySnapshotRecord snapshot(String field, JsonDocument json)
            throws IOException {
        json.require(JsonToken.START_OBJECT, field, "an object");
        try {
            return SnapshotConversion.toRecord(SnapshotJson.read(json));
        } catch (InvalidSnapshotException e) {
            throw new InvalidJsonException(field, "is invalid: " + e.getMessage());
        }
    }
}
