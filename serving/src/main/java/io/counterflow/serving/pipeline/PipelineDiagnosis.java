package io.counterflow.serving.pipeline;

import static io.counterflow.serving.pipeline.Format.number;
import static io.counterflow.serving.pipeline.Format.time;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Answers "why is nothing learning?": how it goes at each stage of a loop's pipeline, and why.
 *
 * @param stages in the order of what passes through
 * @param state of the loop as a whole
 * @param headline the answer in a sentence or two
 */
public record PipelineDiagnosis(List<Stage> stages, StageState state, String headline) {

    /** Late records and dead letters that nobody needs to look at, as a share of examples. */
    private static final double FEW = 0.01;

    public PipelineDiagnosis {
        stages = List.copyOf(stages);
    }

    /** Says how it goes. */
    public static PipelineDiagnosis of(PipelineFacts facts) {
        List<Stage> stages = new ArrayList<>();
        if (facts.job().kafkaIsAway()) {
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

    private static void withoutKafka(PipelineFacts facts, List<Stage> stages) {
        stages.add(
                Stage.stalled(
                        Stage.Name.DECISIONS,
                        "Kafka has not answered for %s: decisions are refused or go unlogged, as the loop's spec says."
                                .formatted(time(facts.job().kafkaSilence()))));
        for (Stage.Name name : Stage.Name.values()) {
            if (name == Stage.Name.SERVED) {
                stages.add(
                        Stage.ok(
                                name,
                                "Version %d goes on deciding."
                                        .formatted(facts.rollout().activeVersion())));
            } else if (name != Stage.Name.DECISIONS) {
                stages.add(Stage.waiting(name, "Waits for Kafka."));
            }
        }
    }

    private static Stage decisions(PipelineFacts facts) {
        if (facts.count(Flow.DECISIONS).flows()) {
            return Stage.ok(Stage.Name.DECISIONS, "Decisions are taken and logged here.");
        }
        if (!facts.counted()) { // others may bring them
            return Stage.notCounted(Stage.Name.DECISIONS);
        }
        if (facts.count(Flow.EXAMPLES).flows()) {
            return Stage.ok(
                    Stage.Name.DECISIONS,
                    "None through this process lately; others bring them, for examples arrive.");
        }
        return Stage.waiting(
                Stage.Name.DECISIONS,
                "No decision within the last %s. Nothing can be learned before your application calls rank."
                        .formatted(time(RecentCount.SPAN)));
    }

    private static Stage rewards(PipelineFacts facts) {
        if (facts.count(Flow.REWARDS).flows()) {
            return Stage.ok(Stage.Name.REWARDS, "Rewards are taken here.");
        }
        return facts.count(Flow.DECISIONS).flows()
                ? Stage.warning(
                        Stage.Name.REWARDS,
                        "Decisions come in, but no reward through this process: every example counts with the default reward.")
                : Stage.waiting(Stage.Name.REWARDS, "Waits for decisions.");
    }

    private static Stage late(PipelineFacts facts) {
        if (!facts.counted()) {
            return Stage.notCounted(Stage.Name.LATE);
        }
        FlowCount late = facts.count(Flow.LATE);
        return late.recent() > FEW * facts.count(Flow.EXAMPLES).recent()
                ? Stage.warning(
                        Stage.Name.LATE,
                        "%s came too late. Clocks differ, rewards come after the attribution window, or watermarks.max-out-of-orderness is too small.%s"
                                .formatted(number(late.recent()), newest(facts.newestLate())))
                : Stage.ok(Stage.Name.LATE, "No more than a few come too late.");
    }

    private static Stage deadLetters(PipelineFacts facts) {
        if (!facts.counted()) {
            return Stage.notCounted(Stage.Name.DEAD_LETTERS);
        }
        FlowCount own = facts.count(Flow.DEAD_LETTERS);
        FlowCount all = facts.allDeadLetters();
        return own.recent() > 0 || all.recent() > FEW * facts.count(Flow.EXAMPLES).recent()
                ? Stage.warning(
                        Stage.Name.DEAD_LETTERS,
                        "%s could not be used, %s of them of this loop.%s"
                                .formatted(
                                        number(all.recent()),
                                        number(own.recent()),
                                        newest(facts.newestDeadLetter())))
                : Stage.ok(Stage.Name.DEAD_LETTERS, "All records can be used.");
    }

    private static String newest(Optional<String> words) {
        return words.map(it -> " The newest: " + it + ".").orElse("");
    }

    private static PipelineDiagnosis summed(List<Stage> stages, PipelineFacts facts) {
        for (StageState state : List.of(StageState.STALLED, StageState.WARNING)) {
            Optional<Stage> first =
                    stages.stream().filter(stage -> stage.state() == state).findFirst();
            if (first.isPresent()) {
                return new PipelineDiagnosis(stages, state, first.get().reason());
            }
        }
        Optional<Stage> waits =
                stages.stream().filter(it -> it.state() == StageState.WAITING).findFirst();
        if (waits.isPresent()) {
            return new PipelineDiagnosis(stages, StageState.WAITING, waits.get().reason());
        }
        return new PipelineDiagnosis(
                stages,
                StageState.OK,
                "Version %d decides, and what comes of it is learned from. %s"
                        .formatted(
                                facts.rollout().activeVersion(),
                                RolloutDiagnosis.snapshot(facts).reason()));
    }
}
