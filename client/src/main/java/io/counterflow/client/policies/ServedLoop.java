package io.counterflow.client.policies;

import io.counterflow.core.features.EncoderBuffers;
import io.counterflow.core.features.Features;
import io.counterflow.core.log.Context;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.Split;
import io.counterflow.core.policy.SplitPolicy;
import io.counterflow.core.rollout.CanaryShare;
import io.counterflow.core.rollout.HoldoutShare;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.record.RolloutRecord;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A loop as it is served at one moment: one spec and the versions that decide. Immutable. */
public final class ServedLoop {

    /** Shared by all loops, so that memory does not grow with their number. */
    private static final ThreadLocal<EncoderBuffers> BUFFERS =
            ThreadLocal.withInitial(EncoderBuffers::new);

    private final LoopSpec spec;
    private final LoopSpec newestSpec;
    private final Traffic traffic;
    private final Optional<RolloutRecord> rollout;
    private final List<RolloutRecord> recentRollouts;
    private final List<KnownVersion> versions;
    private final Optional<SplitPolicy> split;

    /** See the methods of the same names. */
    ServedLoop(
            LoopSpec spec,
            LoopSpec newestSpec,
            Traffic traffic,
            Optional<RolloutRecord> rollout,
            List<RolloutRecord> recentRollouts,
            List<KnownVersion> versions) {
        this.spec = spec;
        this.newestSpec = newestSpec;
        this.traffic = traffic;
        this.rollout = rollout;
        this.recentRollouts = List.copyOf(recentRollouts);
        this.versions = List.copyOf(versions);
        this.split = spec.isApprentice() ? Optional.empty() : traffic.split();
    }

    /**
     * The versions that decide.
     *
     * @param baseline decides the holdout; empty without one
     * @param degradedReason why other versions decide than the rollout names, or under another
     *     spec; empty if they are the same
     */
    record Traffic(
            ServedPolicy active,
            Optional<ServedPolicy> canary,
            double canaryShare,
            Optional<ServedPolicy> baseline,
            Optional<String> degradedReason) {

        Stream<ServedPolicy> versions() {
            return Stream.of(Optional.of(active), canary, baseline).flatMap(Optional::stream);
        }

        Optional<SplitPolicy> split() {
            return canary.map(
                    it ->
                            new SplitPolicy(
                                    active.policy(),
                                    it.policy(),
                                    new Split(active.version(), it.version(), canaryShare)));
        }

        /** One version decides all events. */
        static Traffic of(ServedPolicy active) {
            return new Traffic(active, Optional.empty(), 0.0, Optional.empty(), Optional.empty());
        }

        /** One version decides all events, although the rollout names others. */
        static Traffic degraded(ServedPolicy active, String reason) {
            return new Traffic(
                    active, Optional.empty(), 0.0, Optional.empty(), Optional.of(reason));
        }

        Traffic withBaseline(ServedPolicy version) {
            return new Traffic(active, canary, canaryShare, Optional.of(version), degradedReason);
        }

        /** The baseline has not been loaded; a problem of the other versions comes first. */
        Traffic withoutBaseline(String reason) {
            return new Traffic(
                    active,
                    canary,
                    canaryShare,
                    Optional.empty(),
                    Optional.of(degradedReason.orElse(reason)));
        }
    }

    /** The spec in force. */
    public LoopSpec spec() {
        return spec;
    }

    /** The newest spec, which may not be in force yet, or may have been refused. */
    public LoopSpec newestSpec() {
        return newestSpec;
    }

    /**
     * The version that decides an event: the baseline, the canary or the active version. In a loop
     * that is an apprentice, the active version, although its action is not shown.
     */
    public ServedPolicy policyFor(String eventId) {
        if (isHoldout(eventId)) {
            return traffic.baseline().orElseThrow();
        }
        return decidesCanary(eventId) ? traffic.canary().orElseThrow() : traffic.active();
    }

    /** Whether the baseline version alone decides an event. */
    public boolean isHoldout(String eventId) {
        return traffic.baseline().isPresent()
                && HoldoutShare.contains(
                        spec.loop(), eventId, spec.get(LoopSettings.HOLDOUT_SHARE));
    }

    private boolean decidesCanary(String eventId) {
        return split.isPresent()
                && CanaryShare.decidesCanary(spec.loop(), eventId, traffic.canaryShare());
    }

    /** Draws the action of an event. */
    public Decision decide(Features features, AllowedActions allowed, String eventId) {
        EventRandom random = EventRandom.ofAction(spec.loop(), eventId);
        if (isHoldout(eventId)) {
            return traffic.baseline().orElseThrow().policy().decide(features, allowed, random);
        }
        return split.isPresent()
                ? split.get().decide(features, allowed, decidesCanary(eventId), random)
                : traffic.active().policy().decide(features, allowed, random);
    }

    /** The version that decides the holdout; empty without one, or if it is not loaded. */
    public Optional<ServedPolicy> baseline() {
        return traffic.baseline();
    }

    /** The versions that share the events outside the holdout; empty if one decides them all. */
    public Optional<Split> split() {
        return split.map(SplitPolicy::split);
    }

    /** The version that decides all events except those of the canary. */
    public ServedPolicy active() {
        return traffic.active();
    }

    /** The version that decides a share of the events. */
    public Optional<ServedPolicy> canary() {
        return traffic.canary();
    }

    /** The share of events that the canary decides. */
    public double canaryShare() {
        return traffic.canaryShare();
    }

    public Features features(Context context) {
        return spec.assembly(BUFFERS.get()).features(context, spec.fixedActions());
    }

    /** The current rollout; empty before the job has seen the loop. */
    public Optional<RolloutRecord> rollout() {
        return rollout;
    }

    /** Recent changes of the rollout, the newest last. */
    public List<RolloutRecord> recentRollouts() {
        return recentRollouts;
    }

    /**
     * Published versions, the newest last. The job deletes old versions, but not those that the
     * rollout names.
     */
    public List<KnownVersion> versions() {
        return versions;
    }

    /** Why other versions decide than the rollout names; empty if they are the same. */
    public Optional<String> degradedReason() {
        return traffic.degradedReason();
    }

    @Override
    public String toString() {
        return "ServedLoop[%s, version %d]".formatted(spec, traffic.active().version());
    }
}
