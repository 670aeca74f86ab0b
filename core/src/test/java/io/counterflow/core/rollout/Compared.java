package io.counterflow.core.rollout;

import java.util.List;
import java.util.OptionalDouble;

/** Examples for the gate, by the importance weights of the versions. */
final class Compared {

    private static final double PROPENSITY = 0.01;

    /** When every example was decided. */
    static final long TIME = 1_000;

    private Compared() {}

    /** An example of one version, with a correct propensity under the rule in force. */
    static ComparedExample example(
            long loggedBy, double candidate, double active, double previous, double reward) {
        return new ComparedExample(
                loggedBy,
                TIME,
                PROPENSITY,
                1.0,
                0.0,
                reward,
                OptionalDouble.empty(),
                ComparedVersion.of(active * PROPENSITY),
                ComparedVersion.of(candidate * PROPENSITY),
                ComparedVersion.of(previous * PROPENSITY),
                List.of(),
                PROPENSITY,
                Double.POSITIVE_INFINITY,
                ComparedExample.Evidence.USABLE);
    }

    /**
     * An example of the active version and the candidate, which decided a share of the events. They
     * never take the same action.
     */
    static ComparedExample split(
            long activeVersion, double share, double candidate, double active, double reward) {
        return new ComparedExample(
                activeVersion,
                TIME,
                PROPENSITY,
                1.0 / (1.0 - share),
                share,
                reward,
                OptionalDouble.empty(),
                new ComparedVersion(active * PROPENSITY, 1.0),
                new ComparedVersion(candidate * PROPENSITY, 1.0),
                ComparedVersion.NONE,
                List.of(),
                PROPENSITY,
                Double.POSITIVE_INFINITY,
                ComparedExample.Evidence.USABLE);
    }

    /** An example of the active version, with the weights of registered candidates. */
    static ComparedExample registered(long loggedBy, double reward, Double... weights) {
        ComparedExample plain = example(loggedBy, 1.0, 1.0, 1.0, reward);
        return new ComparedExample(
                loggedBy,
                TIME,
                PROPENSITY,
                1.0,
                0.0,
                reward,
                OptionalDouble.empty(),
                plain.active(),
                plain.candidate(),
                plain.previous(),
                List.of(weights).stream().map(it -> ComparedVersion.of(it * PROPENSITY)).toList(),
                PROPENSITY,
                Double.POSITIVE_INFINITY,
                ComparedExample.Evidence.USABLE);
    }

    /** The same example with a guardrail reward. */
    static ComparedExample guarded(ComparedExample it, double guardrailReward) {
        return new ComparedExample(
                it.loggedBy(),
                it.timeMs(),
                it.propensity(),
                it.maxActiveWeight(),
                it.candidateShare(),
                it.reward(),
                OptionalDouble.of(guardrailReward),
                it.active(),
                it.candidate(),
                it.previous(),
                it.registered(),
                it.recomputed(),
                it.maxWeight(),
                it.evidence());
    }

    /** The same example with other evidence. */
    static ComparedExample with(ComparedExample it, ComparedExample.Evidence evidence) {
        return with(it, it.recomputed(), evidence);
    }

    /** The same example, whose propensity should have been another one. */
    static ComparedExample mismatched(ComparedExample it) {
        return with(it, 2.0 * it.propensity(), it.evidence());
    }

    /** The same example, decided a little earlier. */
    static ComparedExample before(ComparedExample it) {
        return with(it, TIME - 1, it.recomputed(), it.evidence());
    }

    private static ComparedExample with(
            ComparedExample it, double recomputed, ComparedExample.Evidence evidence) {
        return with(it, it.timeMs(), recomputed, evidence);
    }

    private static ComparedExample with(
            ComparedExample it, long timeMs, double recomputed, ComparedExample.Evidence evidence) {
        return new ComparedExample(
                it.loggedBy(),
                timeMs,
                it.propensity(),
                it.maxActiveWeight(),
                it.candidateShare(),
                it.reward(),
                it.guardrailReward(),
                it.active(),
                it.candidate(),
                it.previous(),
                it.registered(),
                recomputed,
                it.maxWeight(),
                evidence);
    }
}
