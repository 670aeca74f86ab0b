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

    /** How exactly it is known when decisions of others have reached the job. */
    private static final Duration TO_A_MINUTE = Duration.ofMinutes(1);

    /** Lag above which the job is catching up. */
    private static final long FAR_BEHIND = 20_000;

    private JoinDiagnosis() {}

    static PipelineStage of(PipelineFacts facts) {
        JobState job = facts.job();
        if (!job.seen() && !job.isMissing()) {
            return PipelineStage.waiting(
                    PipelineStage.Name.JOINED, "Waits for the first checkpoint of the job.");
        }
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
        if (!facts.hasDecisions()) {
            return facts.count(Flow.EXAMPLES).flows() ? allJoined() : waitsForDecisions();
        }
        if (job.behind() > FAR_BEHIND) {
            return PipelineStage.waiting(
                    PipelineStage.Name.JOINED,
                    "The job is %s records behind and is catching up."
                            .formatted(number(job.behind())));
        }
        return facts.count(Flow.DECISIONS).flows()
                ? quiet(facts, facts.count(Flow.DECISIONS), due)
                : quietElsewhere(facts, due.plus(TO_A_MINUTE));
    }

    private static PipelineStage waitsForDecisions() {
        return PipelineStage.waiting(PipelineStage.Name.JOINED, "Waits for decisions.");
    }

    private static PipelineStage allJoined() {
        return PipelineStage.waiting(
                PipelineStage.Name.JOINED, "All decisions have been joined. Waits for more.");
    }

    private static PipelineStage waitsForRewards(PipelineFacts facts) {
        return PipelineStage.waiting(
                PipelineStage.Name.JOINED,
                "Each decision waits %s for its rewards (attributionWindow) before the job learns from it."
                        .formatted(time(facts.learning().attributionWindow())));
    }

    /** Only others decide. */
    private static PipelineStage quietElsewhere(PipelineFacts facts, Duration due) {
        return facts.count(Flow.EXAMPLES).flows()
                ? allJoined()
                : quiet(facts, facts.count(Flow.ARRIVED_DECISIONS), due);
    }

    private static PipelineStage quiet(PipelineFacts facts, FlowCount decisions, Duration due) {
        Optional<Instant> lastExample = facts.count(Flow.EXAMPLES).last();
        if (lastExample.isPresent() && lastExample.get().isAfter(decisions.last().orElseThrow())) {
            return allJoined();
        }
        Duration since = Duration.between(decisions.since().orElseThrow(), facts.now());
        if (since.compareTo(due) < 0 || due.compareTo(RecentCount.SPAN) > 0) {
            return waitsForRewards(facts);
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
