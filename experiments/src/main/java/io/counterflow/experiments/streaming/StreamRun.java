package io.counterflow.experiments.streaming;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.core.log.DecisionOrigin;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.loop.Candidate;
import io.counterflow.core.loop.InMemoryStorage;
import io.counterflow.core.loop.LearningLoop;
import io.counterflow.core.loop.LoopLimits;
import io.counterflow.core.loop.LoopOutput;
import io.counterflow.core.loop.LoopStorage;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.experiments.data.LabelledSet;
import io.counterflow.experiments.trial.LoggedTrial;
import io.counterflow.experiments.trial.Trial;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * Learns from a stream with the loop of the streaming job, without Flink.
 *
 * @param settings settings of the loop
 * @param seed seed of the draws from the buffer and of the decisions, if the loop makes them
 */
record StreamRun(StreamSettings settings, long seed) {

    private static final int REPORTED = 100; // examples between two progress reports

    /** Learns from a log in its order. Each example is used once, apart from buffer steps. */
    VersionParameters learn(LoggedTrial trial, LongConsumer steps) {
        ExampleLog log = trial.log();
        Frozen frozen = new Frozen();
        // The learned policy makes no decisions here, so the floor has no effect.
        LearningLoop loop =
                new StreamRun(settings.withFloor(0.0), seed)
                        .loop(
                                trial.logging(),
                                RolloutMode.MANUAL,
                                log.size(),
                                0,
                                log.maxNorm(),
                                new InMemoryStorage(),
                                frozen);
        for (int i = 0; i < log.size(); i++) {
            loop.take(log.example(i), i, frozen);
            report(i, steps);
        }
        return evaluated(loop.learner().freeze(false).parameters());
    }

    /**
     * Learns in generations. Each generation decides its share of the contexts with the newest
     * policy and the exploration floor, and learns with that policy as the prior. The result
     * decides the next share.
     *
     * @param contexts number of contexts of the trial to use
     * @return the policy after each generation, without the floor
     */
    List<VersionParameters> learnInGenerations(
            Trial trial, LabelledSet set, int contexts, int generations, LongConsumer steps) {
        Require.atLeast(1, generations, "generations");
        if (contexts < generations) {
            throw new BadInputException(
                    "generations must be at most as many as contexts, %,d, got %,d"
                            .formatted(contexts, generations));
        }
        int size = contexts / generations;
        InMemoryStorage versions = new InMemoryStorage();
        Frozen frozen = new Frozen();
        LearningLoop loop =
                loop(
                        trial.logging(),
                        RolloutMode.IMMEDIATE,
                        size,
                        size,
                        set.maxNorm(),
                        versions,
                        frozen);
        Policy active = loop.spec().policyOf(trial.logging());
        long activeVersion = 0;
        EventRandom random = new EventRandom(seed);
        for (int i = 0; i < size * generations; i++) {
            int at = trial.context(i);
            if (loop.gate().rollout().activeVersion() != activeVersion) {
                activeVersion = loop.gate().rollout().activeVersion();
                active = loop.spec().policyOf(versions.parameters(activeVersion).orElseThrow());
            }
            Decision decision = active.decide(set.context(at), AllowedActions.ALL, random);
            double reward = decision.action() == set.label(at) ? 1.0 : 0.0;
            LoggedExample example =
                    new LoggedExample(
                            set.context(at),
                            decision.action(),
                            decision.propensity(),
                            reward,
                            activeVersion);
            loop.take(
                    example,
                    new DecisionOrigin(loop.spec().version(), decision.kind(), Optional.empty(), i),
                    i,
                    frozen);
            report(i, steps);
        }
        return frozen.versions.stream().map(this::evaluated).toList();
    }

    /** The parameters, and the variance if they are served with it. */
    private VersionParameters evaluated(VersionParameters version) {
        return settings.policy() == PolicyKind.MIXED_LOGIT
                ? version
                : VersionParameters.of(version.model());
    }

    private void report(int i, LongConsumer steps) {
        if (i % REPORTED == REPORTED - 1) {
            steps.accept(settings.cost(REPORTED));
        }
    }

    private LearningLoop loop(
            LinearModel start,
            RolloutMode mode,
            int buffer,
            long generation,
            double norm,
            LoopStorage versions,
            LoopOutput output) {
        return LearningLoop.start(
                settings.spec(start, mode, buffer, generation, norm, seed),
                new LoopLimits(Long.MAX_VALUE, 1),
                versions,
                output);
    }

    /** The candidates of a loop, in order. The gate knows which one is active. */
    private static final class Frozen implements LoopOutput {
        private final List<VersionParameters> versions = new ArrayList<>();

        @Override
        public void frozen(Candidate candidate) {
            versions.add(candidate.parameters());
        }

        @Override
        public void changed(RolloutChange change) {}
    }
}
