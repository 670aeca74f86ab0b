package io.counterflow.serving.diagnosis;

import static io.counterflow.serving.diagnosis.Format.number;
import static io.counterflow.serving.diagnosis.Format.time;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Answers "why is nothing learning?": the state of each stage of a loop's pipeline, and the reason.
 *
 * @param stages in the order of the pipeline
 * @param headline the answer in a sentence or two
 */
public record PipelineDiagnosis(List<PipelineStage> stages, StageState state, String headline) {

    /** Share of late records and dead letters that is no warning, relative to examples. */
    private static final double FEW = 0.01;

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
        if (facts.count(Flow.DECISIONS).flows()) {
            return PipelineStage.ok(PipelineStage.Name.DECISIONS, "This process decides and logs.");
        }
        if (!facts.counted()) { // other processes may write them
            return PipelineStage.notCounted(PipelineStage.Name.DECISIONS);
        }
        if (facts.count(Flow.EXAMPLES).flows()) {
            return PipelineStage.ok(
                    PipelineStage.Name.DECISIONS,
                    "No recent decision in this process, but examples arrive from others.");
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
        return facts.count(Flow.DECISIONS).flows()
                ? PipelineStage.warning(
                        PipelineStage.Name.REWARDS,
                        "Decisions arrive, but this process receives no rewards. Without rewards, every example has the default reward.")
                : PipelineStage.waiting(PipelineStage.Name.REWARDS, "Waits for decisions.");
    }

    private static PipelineStage late(PipelineFacts facts) {
        if (!facts.counted()) {
            return PipelineStage.notCounted(PipelineStage.Name.LATE);
        }
        FlowCount late = facts.count(Flow.LATE);
        return late.recent() > FEW * facts.count(Flow.EXAMPLES).recent()
                ? PipelineStage.warning(
                        PipelineStage.Name.LATE,
                        "%s records were late. Clocks differ, rewards arrive after the attribution window, or watermarks.max-out-of-orderness is too small.%s"
                                .formatted(number(late.recent()), newest(facts.newestLate())))
                : PipelineStage.ok(PipelineStage.Name.LATE, "No or few records are late.");
    }

    private static PipelineStage deadLetters(PipelineFacts facts) {
        if (!facts.counted()) {
            return PipelineStage.notCounted(PipelineStage.Name.DEAD_LETTERS);
        }
        FlowCount own = facts.count(Flow.DEAD_LETTERS);
        FlowCount all = facts.allDeadLetters();
        return own.recent() > 0 || all.recent() > FEW * facts.count(Flow.EXAMPLES).recent()
                ? PipelineStage.warning(
                        PipelineStage.Name.DEAD_LETTERS,
                        "%s records could not be used, %s of them from this loop.%s"
                                .formatted(
                                        number(all.recent()),
                                        number(own.recent()),
                                        newest(facts.newestDeadLetter())))
                : PipelineStage.ok(
                        PipelineStage.Name.DEAD_LETTERS, "No or few records are dead letters.");
    }

    private static String newest(Optional<String> words) {
        return words.map(it -> " The newest: " + it + ".").orElse("");
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
