package io.counterflow.client.policies;

import io.counterflow.core.features.Features;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.FeatureAssembly;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.Split;
import io.counterflow.core.policy.SplitPolicy;
import io.counterflow.core.rollout.CanaryShare;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.record.RolloutRecord;
import java.util.List;
import java.util.Optional;

/**
 * A loop as it is served at one moment: one spec and the versions that decide. Immutable, except
 * for buffers that belong to one thread each.
 */
public final class ServedLoop {

    private final LoopSpec spec;
    private final LoopSpec newestSpec;
    private final Traffic traffic;
    private final Optional<RolloutRecord> rollout;
    private final List<RolloutRecord> recentRollouts;
    private final List<KnownVersion> versions;
    private final Optional<SplitPolicy> split;
    private final ThreadLocal<FeatureAssembly> assembly;

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
        this.split = traffic.split();
        this.assembly = ThreadLocal.withInitial(spec::assembly);
    }

    /**
     * The versions that decide.
     *
     * @param degradedReason why other versions decide than the rollout names, or under another
     *     spec; empty if they are the same
     */
    record Traffic(
            ServedPolicy active,
            Optional<ServedPolicy> canary,
            double canaryShare,
            Optional<String> degradedReason) {

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
            return new Traffic(active, Optional.empty(), 0.0, Optional.empty());
        }

        /** One version decides all events, although the rollout names others. */
        static Traffic degraded(ServedPolicy active, String reason) {
            return new Traffic(active, Optional.empty(), 0.0, Optional.of(reason));
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

    /** The version that decides an event: the canary or the active version. */
    public ServedPolicy policyFor(String eventId) {
        return decidesCanary(eventId) ? traffic.canary().orElseThrow() : traffic.active();
    }

    private boolean decidesCanary(String eventId) {
        return split.isPresent()
                && CanaryShare.decidesCanary(spec.loop(), eventId, traffic.canaryShare());
    }

    /** Draws the action of an event. */
    public Decision decide(Features features, AllowedActions allowed, String eventId) {
        EventRandom random = EventRandom.ofAction(spec.loop(), eventId);
        return split.isPresent()
                ? split.get().decide(features, allowed, decidesCanary(eventId), random)
                : traffic.active().policy().decide(features, allowed, random);
    }

    /** The versions that share the events; empty if one version decides all of them. */
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
        return assembly.get().features(context, spec.fixedActions());
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
