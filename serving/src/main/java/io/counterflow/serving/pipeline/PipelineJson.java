package io.counterflow.serving.pipeline;

import com.fasterxml.jackson.core.JsonGenerator;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.core.text.DurationText;
import io.counterflow.core.text.JsonName;
import io.counterflow.serving.auth.Caller;
import io.counterflow.serving.diagnosis.Flow;
import io.counterflow.serving.diagnosis.FlowCount;
import io.counterflow.serving.diagnosis.JobState;
import io.counterflow.serving.diagnosis.PipelineDiagnosis;
import io.counterflow.serving.diagnosis.PipelineFacts;
import io.counterflow.serving.diagnosis.PipelineStage;
import io.counterflow.serving.diagnosis.ReasonCount;
import io.counterflow.serving.diagnosis.RecentCount;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Writes a loop's pipeline. */
public final class PipelineJson {

    private PipelineJson() {}

    /**
     * Writes the pipeline of a loop.
     *
     * @param caller sees dead letters of no known loop if it may use all loops
     */
    public static void write(
            LoopPipelines pipelines, ServedLoop loop, Caller caller, JsonGenerator json)
            throws IOException {
        PipelineFacts facts = pipelines.facts(loop, caller.loops().isEmpty());
        PipelineDiagnosis diagnosis = PipelineDiagnosis.of(facts);
        json.writeStartObject();
        json.writeStringField("loop", loop.spec().loop());
        json.writeStringField("time", facts.now().toString());
        json.writeStringField("state", JsonName.of(diagnosis.state()));
        json.writeStringField("headline", diagnosis.headline());
        json.writeStringField("countsCover", DurationText.format(RecentCount.SPAN));
        json.writeBooleanField("counted", facts.counted());
        json.writeArrayFieldStart("stages");
        for (PipelineStage stage : diagnosis.stages()) {
            write(stage, facts, json);
        }
        json.writeEndArray();
        write(facts.job(), json);
        write(facts.learning(), json);
        json.writeNumberField("activeVersion", facts.rollout().activeVersion());
        json.writeNumberField(
                "rolloutSequence", loop.rollout().map(it -> it.getSequence()).orElse(0L));
        json.writeEndObject();
    }

    private static void write(PipelineStage stage, PipelineFacts facts, JsonGenerator json)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("name", JsonName.of(stage.name()));
        json.writeStringField("state", JsonName.of(stage.state()));
        json.writeStringField("reason", stage.reason());
        Optional<FlowCount> counted =
                switch (stage.name()) {
                    case DECISIONS -> Optional.of(facts.count(Flow.DECISIONS));
                    case REWARDS -> Optional.of(facts.count(Flow.REWARDS));
                    case JOINED -> Optional.of(facts.count(Flow.EXAMPLES));
                    case LATE -> Optional.of(facts.late().count());
                    case DEAD_LETTERS -> Optional.of(facts.deadLetters().count());
                    case LEARNED, SNAPSHOT, SERVED -> Optional.empty();
                };
        if (counted.isPresent()) {
            json.writeNumberField("count", counted.get().recent());
            json.writeNumberField("perSecond", counted.get().perSecond());
            if (counted.get().last().isPresent()) {
                json.writeStringField("last", counted.get().last().get().toString());
            }
        }
        switch (stage.name()) {
            case JOINED -> json.writeNumberField("retracted", facts.count(Flow.RETRACTED).recent());
            case LATE -> write(facts.late().reasons(), json);
            case DEAD_LETTERS -> write(facts.deadLetters().reasons(), json);
            case DECISIONS -> {
                json.writeNumberField("unlogged", facts.count(Flow.UNLOGGED).recent());
                json.writeNumberField("arrived", facts.count(Flow.ARRIVED_DECISIONS).recent());
            }
            case REWARDS ->
                    json.writeNumberField("arrived", facts.count(Flow.ARRIVED_REWARDS).recent());
            case LEARNED, SNAPSHOT, SERVED -> {
                // They have no numbers of their own.
            }
        }
        json.writeEndObject();
    }

    /** Writes the field {@code reasons}. */
    public static void write(List<ReasonCount> reasons, JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("reasons");
        for (ReasonCount reason : reasons) {
            json.writeStartObject();
            json.writeStringField("rule", reason.rule());
            json.writeNumberField("count", reason.count());
            json.writeStringField("newest", reason.newest());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void write(JobState job, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("job");
        json.writeBooleanField("seen", job.seen());
        json.writeNumberField("recordsBehind", job.behind());
        if (job.silence().isPresent()) {
            json.writeNumberField("secondsSinceItMoved", job.silence().get().toSeconds());
        }
        json.writeNumberField("secondsSinceKafkaAnswered", job.kafkaSilence().toSeconds());
        json.writeEndObject();
    }

    private static void write(PipelineFacts.Learning learning, JsonGenerator json)
            throws IOException {
        json.writeObjectFieldStart("learning");
        if (learning.sinceSnapshot().isPresent()) {
            json.writeNumberField("examplesSinceSnapshot", learning.sinceSnapshot().getAsLong());
        }
        json.writeNumberField("snapshotExamples", learning.snapshotExamples());
        json.writeStringField("snapshotInterval", DurationText.format(learning.snapshotInterval()));
        if (learning.newestVersion().isPresent()) {
            json.writeNumberField("newestVersion", learning.newestVersion().getAsLong());
        }
        json.writeEndObject();
    }
}
