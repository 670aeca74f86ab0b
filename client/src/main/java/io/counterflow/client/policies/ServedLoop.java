package io.counterflow.client.policies;

import io.counterflow.core.features.Features;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.FeatureAssembly;
import io.counterflow.core.rollout.CanaryShare;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.record.RolloutRecord;
import java.util.List;
import java.util.Optional;

/**
 * One loop as it is served at one moment: whoever holds it decides by one spec and its versions,
 * whatever arrives meanwhile. Immutable, but for buffers that threads keep for themselves.
 */
public final class ServedLoop {

    private final LoopSpec spec;
    private final LoopSpec newestSpec;
    private final ServedPolicy active;
    private final Optional<ServedPolicy> canary;
    private final double canaryShare;
    private final Optional<RolloutRecord> rollout;
    private final List<RolloutRecord> recentRollouts;
    private final List<KnownVersion> versions;
    private final Optional<String> degradedReason;
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
        this.active = traffic.active();
        this.canary = traffic.canary();
        this.canaryShare = traffic.canaryShare();
        this.degradedReason = traffic.degradedReason();
        this.rollout = rollout;
        this.recentRollouts = List.copyOf(recentRollouts);
        this.versions = List.copyOf(versions);
        this.assembly = ThreadLocal.withInitial(spec::assembly);
    }

    /**
     * Who decides which events.
     *
     * @param degradedReason why this is not what the rollout asks for; empty where it is
     */
    record Traffic(
            ServedPolicy active,
            Optional<ServedPolicy> canary,
            double canaryShare,
            Optional<String> degradedReason) {}

    /** The spec in force. */
    public LoopSpec spec() {
        return spec;
    }

    /** The spec that was asked for last; it may wait, or may have been refused. */
    public LoopSpec newestSpec() {
        return newestSpec;
    }

    /** The version that decides an event: the canary its share of them, the active one the rest. */
    public ServedPolicy policyFor(String eventId) {
        return canary.isPresent() && CanaryShare.decidesCanary(spec.loop(), eventId, canaryShare)
                ? canary.get()
                : active;
    }

    /** The version that decides all events but the canary's. */
    public ServedPolicy active() {
        return active;
    }

    /** The version that decides a share of the events. */
    public Optional<ServedPolicy> canary() {
        return canary;
    }

    /** The share of the canary. */
    public double canaryShare() {
        return canaryShare;
    }

    /** The features of a request. */
    public Features features(Context context) {
        return assembly.get().features(context, spec.fixedActions());
    }

    /** The last that happened to the loop's rollout; empty before the job has seen the loop. */
    public Optional<RolloutRecord> rollout() {
        return rollout;
    }

    /** What happened to the rollout lately, the newest last, as far as it was told. */
    public List<RolloutRecord> recentRollouts() {
        return recentRollouts;
    }

    /**
     * Published versions, the newest last: some hundred of the newest, the first one, and those
     * that the rollout names.
     */
    public List<KnownVersion> versions() {
        return versions;
    }

    /** Why other versions decide than the rollout asks for; empty where they are the same. */
    public Optional<String> degradedReason() {
        return degradedReason;
    }

    @Override
    public String toString() {
        return "ServedLoop[%s, version %d]".formatted(spec, active.version());
    }
}
