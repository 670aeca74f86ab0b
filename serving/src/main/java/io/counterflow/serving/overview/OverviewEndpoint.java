package io.counterflow.serving.overview;

import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.core.log.RewardRange;
import io.counterflow.core.text.JsonName;
import io.counterflow.schemas.record.HoldoutRecord;
import io.counterflow.serving.auth.Caller;
import io.counterflow.serving.diagnosis.StageState;
import io.counterflow.serving.diagnosis.UnusedRecords;
import io.counterflow.serving.http.Call;
import io.counterflow.serving.http.Endpoint;
import io.counterflow.serving.http.Page;
import io.counterflow.serving.http.Reply;
import io.counterflow.serving.http.RequestWorkers;
import io.counterflow.serving.pipeline.LoopPipelines;
import io.counterflow.serving.pipeline.PipelineJson;
import io.counterflow.serving.rank.RankTimes;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Supplier;

/**
 * {@code GET /v1/overview}: a page of all loops that the caller may use, the worst first, and what
 * concerns the whole process.
 */
public final class OverviewEndpoint {

    private static final int DEFAULT_LIMIT = 100;

    private final RequestWorkers workers;
    private final LoopOverview overview;
    private final LoopPipelines pipelines;
    private final Supplier<RankTimes> times;

    /**
     * @param workers write the pages, which may be long
     * @param times how long decisions take in this process
     */
    public OverviewEndpoint(
            RequestWorkers workers,
            LoopOverview overview,
            LoopPipelines pipelines,
            Supplier<RankTimes> times) {
        this.workers = workers;
        this.overview = overview;
        this.pipelines = pipelines;
        this.times = times;
    }

    public Endpoint endpoint() {
        return Endpoint.reading("/v1/overview", this::handle);
    }

    /**
     * The loops that a caller asks for.
     *
     * @param state only loops in this state
     */
    private record Selection(Page page, Optional<StageState> state) {

        static Selection of(Map<String, String> query) {
            return new Selection(
                    Page.of(query, DEFAULT_LIMIT),
                    Optional.ofNullable(query.get("state")).map(Selection::state));
        }

        private static StageState state(String name) {
            for (StageState state : StageState.values()) {
                if (JsonName.of(state).equals(name)) {
                    return state;
                }
            }
            throw new IllegalArgumentException(
                    "state must be ok, waiting, warning or stalled, got \"%s\"".formatted(name));
        }

        boolean takes(LoopRow row) {
            return state.isEmpty() || state.get() == row.state();
        }
    }

    private Future<Reply> handle(Call call) {
        Selection selection = Selection.of(call.query());
        if (selection.page().limit() == 0) { // without the rows, which take time
            return Future.succeededFuture(
                    Reply.json(
                            200,
                            json -> {
                                json.writeStartObject();
                                writeProcess(call.caller(), json);
                                json.writeEndObject();
                            }));
        }
        return overview.rows()
                .compose(
                        rows ->
                                workers.run(
                                        () ->
                                                Reply.json(
                                                        200,
                                                        json ->
                                                                write(
                                                                        rows,
                                                                        selection,
                                                                        call.caller(),
                                                                        json))));
    }

    private void write(List<LoopRow> all, Selection selection, Caller caller, JsonGenerator json)
            throws IOException {
        List<LoopRow> found =
                all.stream()
                        .filter(it -> caller.mayUse(it.loop()))
                        .filter(it -> selection.page().finds(it.loop()))
                        .toList();
        List<LoopRow> taken = found.stream().filter(selection::takes).toList();
        Map<StageState, Integer> states = new EnumMap<>(StageState.class);
        for (StageState state : StageState.values()) {
            states.put(state, 0);
        }
        found.forEach(row -> states.merge(row.state(), 1, Integer::sum));
        json.writeStartObject();
        json.writeObjectFieldStart("states");
        for (Map.Entry<StageState, Integer> state : states.entrySet()) {
            json.writeNumberField(JsonName.of(state.getKey()), state.getValue());
        }
        json.writeEndObject();
        json.writeNumberField("matches", taken.size());
        Page page = selection.page();
        json.writeNumberField("offset", page.offset());
        json.writeArrayFieldStart("loops");
        for (LoopRow row : taken.stream().skip(page.offset()).limit(page.limit()).toList()) {
            write(row, json);
        }
        json.writeEndArray();
        writeProcess(caller, json);
        json.writeEndObject();
    }

    /** What concerns no single loop. */
    private void writeProcess(Caller caller, JsonGenerator json) throws IOException {
        RankTimes rank = times.get();
        json.writeObjectFieldStart("process");
        write("rankSeconds50", rank.median(), json);
        write("rankSeconds99", rank.percentile99(), json);
        json.writeEndObject();
        if (caller.loops().isEmpty()) {
            UnusedRecords letters = pipelines.lettersOfNoLoop();
            json.writeObjectFieldStart("noLoop");
            json.writeNumberField("deadLetters", letters.count().recent());
            PipelineJson.write(letters.reasons(), json);
            json.writeEndObject();
        }
    }

    private static void write(LoopRow row, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("loop", row.loop());
        json.writeStringField("state", JsonName.of(row.state()));
        if (row.stage().isPresent()) {
            json.writeStringField("stage", JsonName.of(row.stage().get()));
        }
        json.writeStringField("reason", row.reason());
        if (row.activeVersion().isPresent()) {
            json.writeNumberField("activeVersion", row.activeVersion().getAsLong());
        }
        if (row.activeFrozenAt().isPresent()) {
            json.writeStringField("activeFrozenAt", row.activeFrozenAt().get().toString());
        }
        json.writeNumberField("decisionsPerSecond", row.decisionsPerSecond());
        RewardRange unit = row.unit();
        if (row.reward().isPresent()) {
            write("reward", unit.fromUnit(row.reward().getAsDouble()), json);
        }
        if (row.holdout().isPresent()) {
            HoldoutRecord holdout = row.holdout().get();
            write("gain", unit.differenceFromUnit(holdout.getGain()), json);
            write("gainLower", unit.differenceFromUnit(holdout.getGainLower()), json);
            write("gainUpper", unit.differenceFromUnit(holdout.getGainUpper()), json);
        }
        write("unloggedShare", row.unloggedShare(), json);
        json.writeEndObject();
    }

    /** Numbers that are not finite are left out. */
    private static void write(String field, OptionalDouble value, JsonGenerator json)
            throws IOException {
        if (value.isPresent()) {
            write(field, value.getAsDouble(), json);
        }
    }

    private static void write(String field, double value, JsonGenerator json) throws IOException {
        if (Double.isFinite(value)) {
            json.writeNumberField(field, value);
        }
    }
}
