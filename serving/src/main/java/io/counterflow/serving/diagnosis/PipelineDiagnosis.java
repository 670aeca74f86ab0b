package io.counterflow.serving.diagnosis;

import static io.counterflow.serving.diagnosis.Format.number;
import static io.counterflow.serving.diagnosis.Format.time;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Answers "why is nothing learning?": the state of each stage of a loop's pipeline, and the reason.
 *
 * @param stages in the order of the pipeline
 * @param headline the answer in a sentence or two
 */
public record PipelineDiagnosis(List<PipelineStage> stages, StageState state, String headline) {

    /** Share of unused records that is no warning, relative to examples or decisions. */
    private static final double FEW = 0.01;

    /** Share of late rewards that is no warning, relative to all rewards. */
    private static final double FEW_LATE = 0.05;

    /** The rules that late decisions break. */
    private static final Set<String> ABOUT_DECISIONS =
            Set.of("IMPRESSION_AFTER_ITS_WINDOW", "CONFLICTING_IMPRESSION");

    /** So many decisions without a reward are no accident. */
    private static final long MANY_DECISIONS = 100;

    /** Time from the first decisions until there should be rewards. */
    private static final Duration TIME_TO_REWARD = Duration.ofSeconds(30);

    public PipelineDiagnosis {
        stages = List.copyOf(stages);
    }

    public static PipelineDiagnosis of(PipelineFacts facts) {
        List<PipelineStage> stages = new ArrayList<>();
        if (facts.job().kafkaIsSilent()) {
            withoutKafka(facts, stages);
        } else {
            stages.add(decisions(facts));
            stages.add(rewards(facts));
            stages.add(JoinDiagnosis.of(facts));
            stages.add(RolloutDiagnosis.learned(facts));
            stages.add(RolloutDiagnosis.snapshot(facts));
            stages.add(RolloutDiagnosis.served(facts));
            stages.add(late(facts));
            stages.add(deadLetters(facts));
        }
        return summed(stages, facts);
    }

    private static void withoutKafka(PipelineFacts facts, List<PipelineStage> stages) {
        stages.add(
                PipelineStage.stalled(
                        PipelineStage.Name.DECISIONS,
                        "Kafka has not answered for %s. Decisions are refused or not logged, depending on unloggedDecision."
                                .formatted(time(facts.job().kafkaSilence()))));
        for (PipelineStage.Name name : PipelineStage.Name.values()) {
            if (name == PipelineStage.Name.SERVED) {
                stages.add(
                        PipelineStage.ok(
                                name,
                                "Version %d continues to decide."
                                        .formatted(facts.rollout().activeVersion())));
            } else if (name != PipelineStage.Name.DECISIONS) {
                stages.add(PipelineStage.waiting(name, "Waits for Kafka."));
            }
        }
    }

    private static PipelineStage decisions(PipelineFacts facts) {
        long unlogged = facts.count(Flow.UNLOGGED).recent();
        long decided = facts.count(Flow.DECISIONS).recent() + unlogged;
        if (unlogged > FEW * decided) {
            return PipelineStage.warning(
                    PipelineStage.Name.DECISIONS,
                    "%s of %s decisions of this process were not logged in time. Kafka is slow, or refuses them. Such decisions are not learned from."
                            .formatted(number(unlogged), number(decided)));
        }
        if (facts.count(Flow.DECISIONS).flows()) {
            return PipelineStage.ok(PipelineStage.Name.DECISIONS, "This process decides and logs.");
        }
        if (!facts.counted()) { // other processes may write them
            return PipelineStage.notCounted(PipelineStage.Name.DECISIONS);
        }
        if (facts.count(Flow.ARRIVED_DECISIONS).flows() || facts.count(Flow.EXAMPLES).flows()) {
            return PipelineStage.ok(
                    PipelineStage.Name.DECISIONS,
                    "No recent decision in this process, but decisions of others reach the job.");
        }
        return PipelineStage.waiting(
                PipelineStage.Name.DECISIONS,
                "No decision within the last %s. The loop learns when your application calls rank."
                        .formatted(time(RecentCount.SPAN)));
    }

    private static PipelineStage rewards(PipelineFacts facts) {
        if (facts.count(Flow.REWARDS).flows()) {
            return PipelineStage.ok(PipelineStage.Name.REWARDS, "This process receives rewards.");
        }
        if (facts.count(Flow.ARRIVED_REWARDS).flows()
                || (facts.count(Flow.EXAMPLES).flows() && !facts.hasDecisions())) {
            return PipelineStage.ok(
                    PipelineStage.Name.REWARDS,
                    "No recent reward in this process, but rewards of others reach the job.");
        }
        if (!facts.hasDecisions()) {
            return PipelineStage.waiting(PipelineStage.Name.REWARDS, "Waits for decisions.");
        }
        if (!facts.counted()) { // others may send them
            return PipelineStage.notCounted(PipelineStage.Name.REWARDS);
        }
        long decisions =
                Math.max(
                        facts.count(Flow.DECISIONS).recent(),
                        facts.count(Flow.ARRIVED_DECISIONS).recent());
        return decisions < MANY_DECISIONS || haveJustBegun(facts)
                ? PipelineStage.waiting(
                        PipelineStage.Name.REWARDS,
                        "No reward yet for %s recent decisions. An event without one has the default reward."
                                .formatted(number(decisions)))
                : PipelineStage.warning(
                        PipelineStage.Name.REWARDS,
                        "Decisions arrive, but no rewards. Without rewards, every example has the default reward.");
    }

    private static boolean haveJustBegun(PipelineFacts facts) {
        return Stream.of(Flow.DECISIONS, Flow.ARRIVED_DECISIONS)
                .flatMap(flow -> facts.count(flow).since().stream())
                .allMatch(since -> since.plus(TIME_TO_REWARD).isAfter(facts.now()));
    }

    private static PipelineStage late(PipelineFacts facts) {
        if (!facts.counted()) {
            return PipelineStage.notCounted(PipelineStage.Name.LATE);
        }
        UnusedRecords late = facts.late();
        return isMuchLate(facts)
                ? PipelineStage.warning(
                        PipelineStage.Name.LATE,
                        "%s records were not joined. %s%s"
                                .formatted(
                                        number(late.count().recent()),
                                        hint(late.mainRule()),
                                        late.words()))
                : PipelineStage.ok(
                        PipelineStage.Name.LATE,
                        late.count().flows() ? "Few records are late." : "No records are late.");
    }

    /** Decisions that are late are compared with examples, rewards with all rewards. */
    private static boolean isMuchLate(PipelineFacts facts) {
        long decisions = 0;
        long rewards = 0;
        for (ReasonCount reason : facts.late().reasons()) {
            if (ABOUT_DECISIONS.contains(reason.rule())) {
                decisions += reason.count();
            } else {
                rewards += reason.count();
            }
        }
        long arrived = facts.count(Flow.ARRIVED_REWARDS).recent(); // 0 if an older job runs
        long examples = facts.count(Flow.EXAMPLES).recent();
        return decisions > FEW * examples
                || (arrived > 0 ? rewards > FEW_LATE * arrived : rewards > FEW * examples);
    }

    /** What to do about the most frequent reason. */
    private static String hint(String rule) {
        return switch (rule) {
            case "CONFLICTING_IMPRESSION" ->
                    "Callers ask for the same event again with another request, or two processes use the same event ids.";
            case "RETRACTED" ->
                    "These are rewards of decisions whose answers did not reach their callers.";
            case "NOT_ACTIVATED" -> "Deferred decisions are not activated.";
            case "NO_GUARDRAIL" -> "Guardrail rewards need the setting guardrailMargin.";
            case "TOO_MUCH_FEEDBACK" ->
                    "An event has more rewards than join.max-feedback, or callers repeat them.";
            case "ALREADY_REWARDED" -> "These impressions brought their rewards with them.";
            default ->
                    "Clocks differ, rewards arrive after the attribution window, or watermarks.max-out-of-orderness is too small.";
        };
    }

    private static PipelineStage deadLetters(PipelineFacts facts) {
        if (!facts.counted()) {
            return PipelineStage.notCounted(PipelineStage.Name.DEAD_LETTERS);
        }
        List<String> words = new ArrayList<>();
        if (facts.deadLetters().count().recent() > 0) {
            words.add(
                    "%s records of this loop could not be used.%s"
                            .formatted(
                                    number(facts.deadLetters().count().recent()),
                                    facts.deadLetters().words()));
        }
        if (isMuch(facts.ofNoLoop(), facts)) {
            words.add(
                    "%s records of no known loop could not be used.%s"
                            .formatted(
                                    number(facts.ofNoLoop().count().recent()),
                                    facts.ofNoLoop().words()));
        }
        return words.isEmpty()
                ? PipelineStage.ok(
                        PipelineStage.Name.DEAD_LETTERS, "No or few records are dead letters.")
                : PipelineStage.warning(PipelineStage.Name.DEAD_LETTERS, String.join(" ", words));
    }

    private static boolean isMuch(UnusedRecords records, PipelineFacts facts) {
        return records.count().recent() > FEW * facts.count(Flow.EXAMPLES).recent();
    }

    private static PipelineDiagnosis summed(List<PipelineStage> stages, PipelineFacts facts) {
        for (StageState state : List.of(StageState.STALLED, StageState.WARNING)) {
            Optional<PipelineStage> first =
                    stages.stream().filter(stage -> stage.state() == state).findFirst();
            if (first.isPresent()) {
                return new PipelineDiagnosis(stages, state, first.get().reason());
            }
        }
        Optional<PipelineStage> waits =
                stages.stream().filter(it -> it.state() == StageState.WAITING).findFirst();
        if (waits.isPresent()) {
            return new PipelineDiagnosis(stages, StageState.WAITING, waits.get().reason());
        }
        return new PipelineDiagnosis(
                stages,
                StageState.OK,
                "Version %d decides, and the job learns from its decisions. %s"
                        .formatted(
                                facts.rollout().activeVersion(),
                                RolloutDiagnosis.snapshot(facts).reason()));
    }
}
