package io.counterflow.flink.loop;

import io.counterflow.core.loop.LearnerSpec;
import io.counterflow.core.loop.LoopRules;
import io.counterflow.core.loop.MiniBatches;
import io.counterflow.schemas.LoopSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The specs of one loop: in force, waiting, and those that decided what still comes in. */
final class LoopSpecs {

    /** Changes of fixed actions that are remembered. */
    private static final int MOST_FORMER = 8;

    private final LoopOperatorConfig config;
    private final List<LoopSpec> former = new ArrayList<>();
    private LoopSpec inForce;
    private Optional<LoopSpec> waiting;

    LoopSpecs(
            LoopOperatorConfig config,
            List<LoopSpec> former,
            LoopSpec inForce,
            Optional<LoopSpec> waiting) {
        this.config = config;
        this.former.addAll(former);
        this.inForce = inForce;
        this.waiting = waiting;
    }

    LoopSpec inForce() {
        return inForce;
    }

    Optional<LoopSpec> waiting() {
        return waiting;
    }

    List<LoopSpec> former() {
        return former;
    }

    /** The version that the next spec must be above. */
    long latestVersion() {
        return waiting.map(LoopSpec::version).orElse(inForce.version());
    }

    /** The fixed actions of a decision are those of the spec that it was taken under. */
    LoopSpec decidedUnder(long specVersion) {
        if (specVersion > 0) {
            for (LoopSpec spec : former) {
                if (specVersion <= spec.version()) {
                    return spec;
                }
            }
        }
        return inForce;
    }

    /** What a spec says to learner and gate. */
    LoopRules rules(LoopSpec spec) {
        return new LoopRules(
                spec.version(),
                bounded(spec.learnerSpec()),
                spec.gateSpec(),
                spec::judgedPolicyOf,
                config.keptVersions());
    }

    /** However small the features, an example takes its place in the buffer. */
    private LearnerSpec bounded(LearnerSpec learner) {
        MiniBatches asked = learner.batches();
        long places = config.bufferBytes() / LoopHeap.BYTES_AROUND_AN_EXAMPLE;
        return learner.with(
                new MiniBatches(
                        asked.size(),
                        asked.replay(),
                        (int) Math.min(asked.bufferCapacity(), Math.max(asked.size(), places)),
                        asked.seed(),
                        config.bufferBytes()));
    }

    /** The spec of this version: in force, waiting, or the one that is asked for. */
    LoopSpec ofVersion(long version, LoopSpec asked) {
        if (inForce.version() == version) {
            return inForce;
        }
        return waiting.filter(spec -> spec.version() == version).orElse(asked);
    }

    /**
     * Takes over which specs rule the loop and wait.
     *
     * @param asked the spec that may have come into force or may wait now
     * @return whether another spec is in force
     */
    boolean follow(LoopSpec asked, LoopRules rules, Optional<LoopRules> waitingRules) {
        LoopSpec ruling = ofVersion(rules.specVersion(), asked);
        waiting = waitingRules.map(next -> ofVersion(next.specVersion(), asked));
        if (ruling.version() == inForce.version()) {
            return false;
        }
        putInForce(ruling);
        return true;
    }

    private void putInForce(LoopSpec next) {
        if (!next.fixedActions().equals(inForce.fixedActions())) {
            former.add(inForce);
            if (former.size() > MOST_FORMER) {
                former.remove(0);
            }
        }
        inForce = next;
    }

    /** Why the loop cannot have a spec; empty where it can. */
    Optional<String> refuses(LoopSpec next) {
        if (next.version() <= latestVersion()) {
            return Optional.of("version must be above " + latestVersion());
        }
        return next.shape().continues(inForce.shape())
                ? tooLarge(next)
                : Optional.of("shape: parameters mean other features or actions; make a new loop");
    }

    /** Why there is no room for a loop with a spec; empty where there is. */
    Optional<String> tooLarge(LoopSpec spec) {
        long bytes = LoopHeap.withoutBuffer(spec);
        return bytes <= config.maxLoopBytes()
                ? Optional.empty()
                : Optional.of(
                        "the loop must take at most %d bytes of heap, as loop.max-loop-size says, got %d"
                                .formatted(config.maxLoopBytes(), bytes));
    }
}
