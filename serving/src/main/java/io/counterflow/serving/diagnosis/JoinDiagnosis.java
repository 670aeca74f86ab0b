package io.counterflow.serving.diagnosis;

import static io.counterflow.serving.diagnosis.Format.number;
import static io.counterflow.serving.diagnosis.Format.time;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Diagnoses the join of decisions and rewards. */
final class JoinDiagnosis {

    /** Allowance for out-of-order records, commits and clocks. */
    private static final Duration SLACK = Duration.ofSeconds(20);

    /** Lag above which the job is catching up. */
    private static final long FAR_BEHIND = 20_000;

    private JoinDiagnosis() {}

    static PipelineStage of(PipelineFacts facts) {
        JobState job = facts.job();
        if (!job.seen()) {
            if (facts.counted() && facts.count(Flow.EXAMPLES).flows()) {
                return PipelineStage.warning(
                        PipelineStage.Name.JOINED,
                        "Examples arrive, but no consumer group has the name job.name. Set job.name"
                                + " to the name of the job, so that this page can show its progress.");
            }
            return PipelineStage.stalled(
                    PipelineStage.Name.JOINED,
                    "The job has never read these topics. Is it running? Start it with"
                            + " \"counterflow job\", on the same topic prefix and with the same"
                            + " job.name.");
        }
        if (job.isStalled()) {
            return PipelineStage.stalled(
                    PipelineStage.Name.JOINED,
                    ("The job has not moved for %s%s. It is stopped, restarting, or completes no"
                                    + " checkpoint. See Flink's log.")
                            .formatted(
                                    time(job.silence().orElse(Duration.ZERO)),
                                    job.usualSilence()
                                            .map(
                                                    it ->
                                                            " (usually less than "
                                                                    + time(it.plusSeconds(2))
                                                                    + ")")
                                            .orElse("")));
        }
        if (facts.rollout().quarantineReason().isPresent()) {
            return PipelineStage.waiting(
                    PipelineStage.Name.JOINED,
                    "The loop is quarantined. Its decisions become dead letters after the join.");
        }
        if (!facts.counted()) {
            return PipelineStage.notCounted(PipelineStage.Name.JOINED);
        }
        Duration due = due(facts);
        Optional<Duration> last = facts.age(Flow.EXAMPLES);
        if (facts.count(Flow.EXAMPLES).flows() && last.orElse(due).compareTo(due) < 0) {
            return PipelineStage.ok(
                    PipelineStage.Name.JOINED,
                    "Decisions leave the join with their rewards %s after they were made."
                            .formatted(time(facts.learning().attributionWindow())));
        }
        if (!facts.count(Flow.DECISIONS).flows()) {
            return PipelineStage.waiting(PipelineStage.Name.JOINED, "Waits for decisions.");
        }
        if (job.behind() > FAR_BEHIND) {
            return PipelineStage.waiting(
                    PipelineStage.Name.JOINED,
                    "The job is %s records behind and is catching up."
                            .formatted(number(job.behind())));
        }
        return quiet(facts, due);
    }

    private static PipelineStage quiet(PipelineFacts facts, Duration due) {
        Duration window = facts.learning().attributionWindow();
        FlowCount decisions = facts.count(Flow.DECISIONS);
        Optional<Instant> lastExample = facts.count(Flow.EXAMPLES).last();
        if (lastExample.isPresent() && lastExample.get().isAfter(decisions.last().orElseThrow())) {
            return PipelineStage.waiting(
                    PipelineStage.Name.JOINED, "All decisions have been joined. Waits for more.");
        }
        Duration since = Duration.between(decisions.since().orElseThrow(), facts.now());
        if (since.compareTo(due) < 0 || window.compareTo(RecentCount.SPAN) > 0) {
            return PipelineStage.waiting(
                    PipelineStage.Name.JOINED,
                    "Each decision waits %s for its rewards (attributionWindow) before the job learns from it."
                            .formatted(time(window)));
        }
        String letters =
                facts.deadLetters().count().flows() || facts.late().count().flows()
                        ? " Records become late records or dead letters: see below."
                        : " Event time may not advance (a partition has no records or heartbeats),"
                                + " or deferred decisions are not activated.";
        return PipelineStage.stalled(
                PipelineStage.Name.JOINED,
                "Decisions arrive and the job reads them, but no example has left the join for more than %s."
                                .formatted(time(due))
                        + letters);
    }

    private static Duration due(PipelineFacts facts) {
        return facts.learning().attributionWindow().plus(facts.job().patience()).plus(SLACK);
    }
}
