package io.counterflow.client.policies;

import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.SpecChange;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.rollout.RolloutConversion;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The records of one loop. Used only by the thread that follows the topics; the loops that it
 * returns are immutable.
 *
 * <p>It keeps the weights of the versions that the rollout names and of the newest versions. Other
 * weights are read again when a rollout returns to them. The job deletes old versions from the
 * topic. A deleted version that the rollout still names stays until the next rollout, because
 * topics are read independently.
 *
 * <p>A loop may be deleted and created again under the same name. Rollouts say when their loop
 * started, so those of the deleted loop are recognised and ignored, and so are its versions, which
 * were frozen earlier.
 */
final class LoopHistory {

    /** Newest versions whose weights are kept, because the next rollout may name them. */
    private static final int NEWEST_KEPT = 2;

    /** Limit on versions, if the job keeps more. */
    static final int MAX_VERSIONS = 1_000;

    private static final Comparator<LoopSpec> NEWEST = Comparator.comparing(LoopSpec::time);

    /** Limit on past changes of the rollout. */
    private static final int RECENT_KEPT = 50;

    /** Reads the weights of a version again; empty if they are not available. */
    @FunctionalInterface
    interface Weights {
        Optional<PolicySnapshot> read(KnownVersion version);
    }

    private final String name;
    private final TreeMap<Long, LoopSpec> specs = new TreeMap<>();
    private final TreeMap<Long, KnownVersion> versions = new TreeMap<>();
    private final Map<Long, PolicySnapshot> kept = new HashMap<>();
    private final Set<Long> deleted = new HashSet<>(); // versions that the rollout still names
    private final Deque<RolloutRecord> recent = new ArrayDeque<>();
    private @Nullable LoopSpec storedInForce; // a newer spec may have replaced it on its topic
    private @Nullable RolloutRecord rollout;
    private @Nullable Instant deletedThrough; // loops that started then or earlier are deleted
    private @Nullable ServedPolicy lastServed;
    private @Nullable LoopSpec lastSpec;
    private List<ServedPolicy> deciding = List.of();
    private @Nullable String refusal; // why the loop is not served
    private final Map<Long, String> lacking = new HashMap<>(); // why weights are not in memory
    private long countedBytes;

    LoopHistory(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    /** The loop is too large to be served, unless an earlier spec is in force. */
    void refuse(String reason) {
        refusal = reason;
    }

    /** Why the loop is not served; empty if nothing was refused. */
    Optional<String> refusal() {
        return Optional.ofNullable(refusal);
    }

    /** There is no memory for the weights of a version; returns whether that is new. */
    boolean lacks(KnownVersion version, String reason) {
        return lacking.put(version.version(), reason) == null;
    }

    /** What the loop took when it was counted last. */
    long countedBytes() {
        return countedBytes;
    }

    /** Counts what the loop takes: parameters, each once, and descriptions. */
    long count() {
        Set<LinearModel> models = Collections.newSetFromMap(new IdentityHashMap<>());
        kept.values().forEach(snapshot -> models.add(snapshot.model()));
        Stream.concat(specs.values().stream(), Stream.ofNullable(storedInForce))
                .flatMap(spec -> spec.startingPolicy().stream())
                .forEach(start -> models.add(start.model()));
        Stream.concat(deciding.stream(), Stream.ofNullable(lastServed))
                .map(ServedPolicy::policy)
                .flatMap(policy -> Stream.of(policy.model(), policy.drawnModel()))
                .forEach(models::add);
        countedBytes =
                models.stream().mapToLong(PolicyMemory::bytesOf).sum()
                        + versions.values().stream()
                                .mapToLong(it -> it.description().bytes())
                                .sum();
        return countedBytes;
    }

    /** If two specs have the same version, the job uses the earlier one. */
    void add(LoopSpec spec) {
        specs.merge(
                spec.version(),
                spec,
                (known, next) -> next.time().isBefore(known.time()) ? next : known);
    }

    /** A spec that is known already, so that its starting policy is in memory once. */
    Optional<LoopSpec> spec(long version, Instant time) {
        return Stream.of(
                        Optional.ofNullable(specs.get(version)), Optional.ofNullable(storedInForce))
                .flatMap(Optional::stream)
                .filter(it -> it.version() == version && it.time().equals(time))
                .findFirst();
    }

    /** The job has put a spec into force. */
    void putInForce(LoopSpec spec) {
        storedInForce = spec;
    }

    /** The job has deleted the loop that the spec in force was of. */
    void deleteSpecInForce() {
        storedInForce = null;
    }

    void add(RolloutRecord change) {
        if (isOfDeletedLoop(change)) {
            return;
        }
        if (rollout != null && change.getLoopStartedAt().isAfter(rollout.getLoopStartedAt())) {
            forgetRollout(); // of the loop that had this name before
        }
        rollout = change;
        forgetDeletedVersions();
        // After a failure the topic is read again from the beginning.
        if (recent.isEmpty() || change.getSequence() > recent.getLast().getSequence()) {
            recent.addLast(change);
        }
        if (recent.size() > RECENT_KEPT) {
            recent.removeFirst();
        }
    }

    boolean knows(long version, String checksum) {
        KnownVersion known = versions.get(version);
        return known != null && known.checksum().equals(checksum);
    }

    /**
     * A version that is published again with other content replaces the old one.
     *
     * @param snapshot the version with its weights; empty if there is no memory for them
     */
    void add(KnownVersion version, Optional<PolicySnapshot> snapshot) {
        versions.put(version.version(), version);
        kept.remove(version.version());
        snapshot.ifPresent(it -> kept.put(version.version(), it));
        deleted.remove(version.version());
        if (lastServed != null && lastServed.version() == version.version()) {
            lastServed = null;
        }
        kept.keySet().retainAll(wanted());
        forgetOldest();
    }

    /** Keeps the first version, because it shows how the starting policy performed. */
    private void forgetOldest() {
        Set<Long> named = named();
        named.add(versions.firstKey());
        Iterator<Long> oldest = versions.keySet().iterator();
        while (versions.size() > MAX_VERSIONS && oldest.hasNext()) {
            if (!named.contains(oldest.next())) {
                oldest.remove();
            }
        }
    }

    /** Sets the place from which a version can be read again. */
    void put(long version, KnownVersion.Place place) {
        versions.computeIfPresent(version, (number, known) -> known.at(place));
    }

    /**
     * The loop is deleted. Its rollout and versions may be those of a new loop of the same name,
     * because the topics are read independently.
     */
    void delete() {
        if (!specs.isEmpty()) {
            Instant newest = Collections.max(specs.values(), NEWEST).time();
            deletedThrough =
                    deletedThrough != null && deletedThrough.isAfter(newest)
                            ? deletedThrough
                            : newest;
        }
        forgetSpecs();
        lastServed = null;
        deciding = List.of();
        if (rollout != null && isOfDeletedLoop(rollout)) {
            forgetRollout();
        }
    }

    /** Whether a spec is of a deleted loop. */
    boolean hasDeleted(LoopSpec spec) {
        return deletedThrough != null && !spec.time().isAfter(deletedThrough);
    }

    private boolean isOfDeletedLoop(RolloutRecord change) {
        return deletedThrough != null && !change.getLoopStartedAt().isAfter(deletedThrough);
    }

    /** Forgets what is read again. */
    void readAgain() {
        forgetSpecs();
        storedInForce = null;
    }

    private void forgetSpecs() {
        specs.clear();
        refusal = null;
    }

    /** Forgets the weights that nothing names; they are read again when a rollout names them. */
    void forgetSpare() {
        kept.keySet().retainAll(named());
    }

    /** The job has deleted the loop. Rollouts that follow are those of a new one. */
    void deleteRollout() {
        deletedThrough = null;
        forgetRollout();
    }

    private void forgetRollout() {
        rollout = null;
        recent.clear();
        lastServed = null;
        deciding = List.of();
        forgetDeletedVersions();
    }

    /** The job has deleted a version. */
    void forgetVersion(long version) {
        deleted.add(version);
        forgetDeletedVersions();
    }

    /** Decisions go on with a version in use until the rollout that replaces it is read. */
    private void forgetDeletedVersions() {
        Set<Long> inUse = named();
        Set<Long> unused = new HashSet<>(deleted);
        unused.removeAll(inUse);
        versions.keySet().removeAll(unused);
        kept.keySet().removeAll(unused);
        lacking.keySet().removeAll(unused);
        deleted.retainAll(inUse);
        deleted.retainAll(versions.keySet());
    }

    /** Whether a version is one of this loop, not of a deleted one. */
    private boolean isOwn(KnownVersion version) {
        return rollout == null
                ? deletedThrough == null
                : !version.createdAt().isBefore(rollout.getLoopStartedAt());
    }

    boolean isEmpty() {
        return specs.isEmpty()
                && refusal == null
                && storedInForce == null
                && rollout == null
                && versions.isEmpty();
    }

    boolean hasSpec() {
        return !specs.isEmpty();
    }

    private Set<Long> wanted() {
        Set<Long> wanted = named();
        versions.descendingKeySet().stream().limit(NEWEST_KEPT).forEach(wanted::add);
        return wanted;
    }

    /**
     * The versions that the rollout names, active, candidate, registered and previous, and those
     * that the spec in force and the newest spec name for their holdouts.
     */
    private Set<Long> named() {
        Set<Long> named = new TreeSet<>();
        if (hasSpec()) {
            inForce().get(LoopSettings.HOLDOUT_VERSION).ifPresent(named::add);
            specs.lastEntry().getValue().get(LoopSettings.HOLDOUT_VERSION).ifPresent(named::add);
        }
        if (rollout != null) {
            named.add(rollout.getActiveVersion());
            named.addAll(rollout.getRegisteredVersions());
            if (rollout.getCandidateVersion() != null) {
                named.add(rollout.getCandidateVersion());
            }
            if (rollout.getPreviousVersion() != null) {
                named.add(rollout.getPreviousVersion());
            }
        }
        return named;
    }

    /**
     * The loop to serve.
     *
     * @param weights reads versions whose weights are not in memory
     */
    ServedLoop serve(Weights weights) {
        LoopSpec spec = inForce();
        ServedLoop.Traffic traffic = withHoldout(traffic(spec, weights), spec, weights);
        lastServed = traffic.active();
        lastSpec = spec;
        deciding = traffic.versions().toList();
        kept.keySet().retainAll(wanted());
        if (rollout != null && rollout.getSpecVersion() == spec.version()) {
            specs.headMap(spec.version()).clear(); // they may have large starting policies
        }
        return new ServedLoop(
                spec,
                specs.lastEntry().getValue(),
                traffic,
                Optional.ofNullable(rollout),
                List.copyOf(recent),
                versions.values().stream().filter(this::isOwn).toList());
    }

    /**
     * The spec that the job has put into force. Before the job has seen the loop, it is the newest
     * spec that the job will not refuse.
     */
    private LoopSpec inForce() {
        if (rollout != null && rollout.getSpecVersion() > 0) {
            LoopSpec told =
                    isStoredInForce(rollout) ? storedInForce : specs.get(rollout.getSpecVersion());
            if (told != null) {
                return told;
            }
        }
        LoopSpec current = specs.firstEntry().getValue();
        for (LoopSpec next : specs.values()) {
            if (SpecChange.between(current, next).verdict() != SpecChange.Verdict.REFUSED) {
                current = next;
            }
        }
        return current;
    }

    /** Whether the stored spec is of this loop, and not of a deleted one with the same name. */
    private boolean isStoredInForce(RolloutRecord current) {
        return storedInForce != null
                && storedInForce.version() == current.getSpecVersion()
                && !storedInForce.time().isBefore(current.getLoopStartedAt());
    }

    private ServedLoop.Traffic traffic(LoopSpec spec, Weights weights) {
        if (rollout == null) {
            return ServedLoop.Traffic.of(start(spec));
        }
        Rollout state;
        try {
            state = RolloutConversion.fromRecord(rollout);
        } catch (IllegalArgumentException e) {
            return fallback(spec, weights, "the rollout cannot be used: " + e.getMessage());
        }
        Optional<ServedPolicy> active = policy(state.activeVersion(), spec, weights);
        if (active.isEmpty()) {
            String missing = notLoaded("version", state.activeVersion());
            return previous(state.previousVersion(), spec, weights, missing);
        }
        if (rollout.getSpecVersion() > 0 && rollout.getSpecVersion() != spec.version()) {
            // The job ignores decisions under another rule than the one in force.
            return ServedLoop.Traffic.degraded(
                    active.get(),
                    "spec version %d is in force but has not been loaded, so version %d is used"
                            .formatted(rollout.getSpecVersion(), spec.version()));
        }
        if (state.share() == 0.0) {
            return ServedLoop.Traffic.of(active.get());
        }
        long candidate = state.candidateVersion().orElseThrow();
        Optional<ServedPolicy> canary = policy(candidate, spec, weights);
        return canary.isPresent()
                ? new ServedLoop.Traffic(
                        active.get(), canary, state.share(), Optional.empty(), Optional.empty())
                : ServedLoop.Traffic.degraded(active.get(), notLoaded("canary", candidate));
    }

    private String notLoaded(String role, long version) {
        String reason = lacking.get(version);
        return "%s %d has not been loaded%s"
                .formatted(role, version, reason == null ? "" : ": " + reason);
    }

    /** If the baseline version is not loaded, the others decide its events as well. */
    private ServedLoop.Traffic withHoldout(
            ServedLoop.Traffic traffic, LoopSpec spec, Weights weights) {
        if (!spec.hasHoldout()) {
            return traffic;
        }
        return policy(spec.holdoutVersion(), spec, weights)
                .map(traffic::withBaseline)
                .orElseGet(
                        () ->
                                traffic.withoutBaseline(
                                        notLoaded("holdout version", spec.holdoutVersion())));
    }

    /** The version that was served last; after a start, the previous version of the rollout. */
    private ServedLoop.Traffic previous(
            OptionalLong before, LoopSpec spec, Weights weights, String reason) {
        if (lastServed == null && before.isPresent()) {
            Optional<ServedPolicy> policy = policy(before.getAsLong(), spec, weights);
            if (policy.isPresent()) {
                return ServedLoop.Traffic.degraded(policy.get(), reason);
            }
        }
        return fallback(spec, weights, reason);
    }

    /** The version that was served last, under the spec in force. */
    private ServedLoop.Traffic fallback(LoopSpec spec, Weights weights, String reason) {
        Optional<ServedPolicy> last = Optional.ofNullable(lastServed);
        if (last.isPresent() && !spec.equals(lastSpec)) {
            last = policy(last.get().version(), spec, weights);
        }
        return ServedLoop.Traffic.degraded(last.orElseGet(() -> start(spec)), reason);
    }

    private Optional<ServedPolicy> policy(long version, LoopSpec spec, Weights weights) {
        KnownVersion known = versions.get(version);
        Optional<PolicySnapshot> snapshot = Optional.empty();
        if (known != null && isOwn(known)) {
            snapshot = Optional.ofNullable(kept.get(version));
            if (snapshot.isEmpty()) {
                snapshot = weights.read(known);
                snapshot.ifPresent(read -> kept.put(version, read));
            }
            if (snapshot.isPresent()) {
                lacking.remove(version);
            }
        }
        if (snapshot.isEmpty()) {
            return version == spec.startingVersion() ? Optional.of(start(spec)) : Optional.empty();
        }
        VersionParameters parameters = snapshot.get().parameters();
        if (!spec.shape().fits(parameters.model(), snapshot.get().encoder())) {
            return Optional.empty();
        }
        try {
            return Optional.of(new ServedPolicy(version, spec.policyOf(parameters)));
        } catch (IllegalArgumentException e) { // scores are not finite at this temperature
            return Optional.empty();
        }
    }

    private static ServedPolicy start(LoopSpec spec) {
        return new ServedPolicy(spec.startingVersion(), spec.policyOf(spec.startingParameters()));
    }
}
