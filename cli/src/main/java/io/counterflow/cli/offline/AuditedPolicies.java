package io.counterflow.cli.offline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.log.KnownModel;
import io.counterflow.cli.log.ServedOptions;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.log.FeatureAssembly;
import io.counterflow.core.log.Impression;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.spec.LoopSpecJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The policies of a directory. A decision is repeated with its snapshot and, if the directory has
 * it, the spec that was in force; otherwise with the settings in the snapshot.
 */
final class AuditedPolicies {

    private static final String SPEC_SUFFIX = ".spec.json";
    private static final List<String> SNAPSHOT_SUFFIXES = List.of(".snapshot", ".avro", ".json");

    private record Version(String loop, long number) {}

    private record Key(String loop, long policyVersion, long specVersion) {}

    /**
     * A policy with its features.
     *
     * @param fixedActions the actions of requests without actions
     * @param sure whether the decision rule is known; false if the spec has changed since the
     *     snapshot and is not in the directory
     * @param spec the spec of the decision; empty if it is not in the directory
     */
    record Decider(
            Policy policy,
            FeatureAssembly assembly,
            List<NamedAction> fixedActions,
            boolean sure,
            Optional<LoopSpec> spec) {
        Features features(Impression impression) {
            return assembly.features(impression.context(), fixedActions);
        }
    }

    private final ServedOptions served;
    private final Map<Version, PolicySnapshot> snapshots = new HashMap<>();
    private final Map<Version, LoopSpec> specs = new HashMap<>();
    private final Map<Key, Optional<Decider>> deciders = new HashMap<>();

    private AuditedPolicies(ServedOptions served) {
        this.served = served;
    }

    /** Reads {@code *.snapshot}, {@code *.avro}, {@code *.json} and {@code *.spec.json}. */
    static AuditedPolicies read(Path directory, ServedOptions served) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw new BadInputException("--policies must be a directory, got " + directory);
        }
        AuditedPolicies policies = new AuditedPolicies(served);
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.sorted().toList()) {
                policies.add(file);
            }
        }
        if (policies.snapshots.isEmpty() && policies.specs.isEmpty()) {
            throw new BadInputException(
                    "--policies must contain snapshots (*.snapshot), got none in " + directory);
        }
        return policies;
    }

    private void add(Path file) throws IOException {
        String name = String.valueOf(file.getFileName());
        if (name.endsWith(SPEC_SUFFIX)) {
            addSpec(file);
        } else if (SNAPSHOT_SUFFIXES.stream().anyMatch(name::endsWith)) {
            PolicySnapshot snapshot = KnownModel.read(file).snapshot();
            snapshots.put(new Version(snapshot.loop(), snapshot.version()), snapshot);
        }
    }

    private void addSpec(Path file) throws IOException {
        byte[] json = Files.readAllBytes(file);
        try {
            JsonNode fields = new ObjectMapper().readTree(json);
            LoopSpec spec =
                    new LoopSpecJson(JsonLimits.defaults())
                            .read(
                                    json,
                                    fields.path("loop").asText(),
                                    fields.path("version").asLong(),
                                    Instant.EPOCH);
            specs.put(new Version(spec.loop(), spec.version()), spec);
        } catch (IllegalArgumentException e) {
            throw new BadInputException("%s: %s".formatted(file, e.getMessage()), e);
        }
    }

    /** A version under the spec of a decision; empty if not known. */
    Optional<Decider> of(Impression impression, long version) {
        return deciders.computeIfAbsent(
                new Key(impression.loop(), version, impression.specVersion()), this::decider);
    }

    private Optional<Decider> decider(Key key) {
        Optional<PolicySnapshot> snapshot =
                Optional.ofNullable(snapshots.get(new Version(key.loop(), key.policyVersion())));
        LoopSpec spec = specs.get(new Version(key.loop(), key.specVersion()));
        if (spec != null) {
            boolean start = key.policyVersion() == spec.startingVersion();
            return snapshot.map(PolicySnapshot::parameters)
                    .or(() -> start ? Optional.of(spec.startingParameters()) : Optional.empty())
                    .map(
                            version ->
                                    new Decider(
                                            new Policy(
                                                    version.model(),
                                                    served.over(
                                                            spec.decisionRule(version.variance()))),
                                            spec.assembly(),
                                            spec.fixedActions(),
                                            true,
                                            Optional.of(spec)));
        }
        if (specs.keySet().stream().anyMatch(it -> it.loop().equals(key.loop()))) {
            return Optional.empty(); // but not the spec that was in force
        }
        return snapshot.map(
                it ->
                        new Decider(
                                served.policy(it),
                                it.assembly(),
                                List.of(),
                                it.training().specVersion() == key.specVersion(),
                                Optional.empty()));
    }
}
