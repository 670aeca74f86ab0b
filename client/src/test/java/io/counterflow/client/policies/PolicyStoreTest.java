package io.counterflow.client.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.rollout.Stage;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.spec.LoopSpecJson;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.WireCodec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class PolicyStoreTest {

    private static final LoopSpec SPEC =
            PolicyStoreFixture.spec(1, "{\"actions\":[\"a\",\"b\"],\"features\":2}");

    private static DenseModel model(float weight) {
        return new DenseModel(new float[][] {{weight, 0}, {0, weight}}, new float[2]);
    }

    private static PolicySnapshotRecord snapshot(long version) {
        return PolicyStoreFixture.snapshot(SPEC, version, model((float) version));
    }

    private static byte[] bytes(PolicySnapshotRecord record) {
        return WireCodec.of(PolicySnapshotRecord.class).encode(record);
    }

    @Test
    void aLoopWithoutARolloutIsServedByItsStartingPolicy() {
        ServedLoop loop = new PolicyStoreFixture().spec(SPEC).snapshot(snapshot(1)).served();
        assertThat(loop.active().version()).isZero();
        assertThat(loop.degradedReason()).isEmpty();
        assertThat(loop.versions()).extracting(KnownVersion::version).containsExactly(1L);
    }

    @Test
    void theActiveVersionOfTheRolloutDecides() {
        PolicyStoreFixture told =
                new PolicyStoreFixture().spec(SPEC).snapshot(snapshot(1)).active(1, 1);
        assertThat(told.served().active().version()).isEqualTo(1);
        told.snapshot(snapshot(2));
        assertThat(told.served().active().version()).as("not promoted").isEqualTo(1);
        told.active(2, 1);
        assertThat(told.served().active().version()).isEqualTo(2);
        assertThat(told.refusals()).isEmpty();
    }

    @Test
    void aForgedSnapshotIsRefusedAndTheLastGoodOneStays() {
        PolicyStoreFixture told =
                new PolicyStoreFixture().spec(SPEC).snapshot(snapshot(1)).active(1, 1);
        told.served();
        PolicySnapshotRecord forged = snapshot(2);
        forged.setExamples(1_000_000);
        told.snapshot(forged).active(2, 1);
        ServedLoop loop = told.served();
        assertThat(loop.active().version()).isEqualTo(1);
        assertThat(loop.degradedReason()).hasValue("version 2 has not been loaded");
        assertThat(told.refusals()).singleElement().asString().contains("checksum must be");
        assertThat(told.store().refused()).isEqualTo(1);
    }

    @Test
    void aSpecThatChangesWithAMissingVersionIsServedByTheLastGoodOne() {
        PolicyStoreFixture told =
                new PolicyStoreFixture().spec(SPEC).snapshot(snapshot(1)).active(1, 1);
        told.served();
        told.spec(
                PolicyStoreFixture.spec(
                        2, "{\"actions\":[\"a\",\"b\"],\"features\":2,\"explorationFloor\":0.5}"));
        ServedLoop loop = told.active(2, 2).served();
        assertThat(loop.spec().version()).isEqualTo(2);
        assertThat(loop.active().version()).isEqualTo(1);
        assertThat(loop.degradedReason()).hasValue("version 2 has not been loaded");
    }

    @Test
    void ofTwoSpecsWithOneVersionTheEarlierCounts() {
        String later = "{\"actions\":[\"a\",\"b\"],\"features\":2,\"explorationFloor\":0.5}";
        LoopSpec second =
                new LoopSpecJson(JsonLimits.defaults())
                        .read(later, PolicyStoreFixture.LOOP, 1, SPEC.time().plusMillis(1));
        assertThat(new PolicyStoreFixture().spec(SPEC).spec(second).served().spec())
                .isEqualTo(SPEC);
        assertThat(new PolicyStoreFixture().spec(second).spec(SPEC).served().spec())
                .isEqualTo(SPEC);
    }

    @Test
    void theHistoryHasEachChangeOnce() {
        PolicyStoreFixture told =
                new PolicyStoreFixture().spec(SPEC).snapshot(snapshot(1)).active(0, 1).active(1, 1);
        RolloutRecord last = told.served().rollout().orElseThrow();
        told.store()
                .takeRollout(
                        PolicyStoreFixture.LOOP, WireCodec.of(RolloutRecord.class).encode(last));
        assertThat(told.served().recentRollouts())
                .extracting(RolloutRecord::getSequence)
                .containsExactly(1L, 2L);
    }

    @Test
    void registeredVersionsAreKeptWithTheirWeights() {
        PolicyStoreFixture told =
                new PolicyStoreFixture().spec(SPEC).snapshot(snapshot(1)).snapshot(snapshot(2));
        told.rollout(
                new Rollout(
                        Stage.FULL,
                        1,
                        OptionalLong.empty(),
                        List.of(2L),
                        OptionalLong.empty(),
                        0.0,
                        false,
                        Optional.empty()),
                1);
        for (long version = 3; version <= LoopHistory.MAX_VERSIONS + 3L; version++) {
            told.snapshot(snapshot(version));
        }
        ServedLoop loop = told.served();
        assertThat(loop.versions()).hasSize(LoopHistory.MAX_VERSIONS);
        assertThat(loop.versions()).extracting(KnownVersion::version).startsWith(1L, 2L, 6L);
        assertThat(told.active(2, 1).served().active().version()).isEqualTo(2);
    }

    @Test
    void aSnapshotThatIsCutOffAnywhereIsRefused() {
        byte[] whole = bytes(snapshot(1));
        PolicyStoreFixture told = new PolicyStoreFixture().spec(SPEC);
        for (int length = 0; length < whole.length; length++) {
            told.store()
                    .takeSnapshot(
                            PolicyStoreFixture.LOOP + "@1",
                            Arrays.copyOf(whole, length),
                            new KnownVersion.Place(0, 0));
        }
        assertThat(told.store().refused()).isEqualTo(whole.length);
        assertThat(told.served().versions()).isEmpty();
    }

    @Test
    void aSnapshotOfAnotherShapeNeverDecides() {
        PolicySnapshotRecord other =
                SnapshotConversion.toRecord(
                        PolicySnapshot.of(
                                PolicyStoreFixture.LOOP,
                                2,
                                DenseModel.zeros(3, 2),
                                Optional.empty()));
        PolicyStoreFixture told =
                new PolicyStoreFixture().spec(SPEC).snapshot(snapshot(1)).active(1, 1);
        told.served();
        ServedLoop loop = told.snapshot(other).active(2, 1).served();
        assertThat(loop.active().version()).isEqualTo(1);
        assertThat(loop.degradedReason()).isPresent();
    }

    @Test
    void afterAStartThePreviousVersionStandsInForOneThatIsMissing() {
        ServedLoop loop =
                new PolicyStoreFixture()
                        .spec(SPEC)
                        .rollout(
                                new Rollout(
                                        Stage.FULL,
                                        5,
                                        OptionalLong.empty(),
                                        List.of(),
                                        OptionalLong.of(4),
                                        0.0,
                                        false,
                                        Optional.empty()),
                                1)
                        .snapshot(snapshot(4))
                        .served();
        assertThat(loop.active().version()).isEqualTo(4);
        assertThat(loop.degradedReason()).hasValue("version 5 has not been loaded");
    }

    @Test
    void aCanaryThatIsMissingDecidesNothing() {
        ServedLoop loop =
                new PolicyStoreFixture()
                        .spec(SPEC)
                        .snapshot(snapshot(1))
                        .canary(1, 2, 0.5, 1)
                        .served();
        assertThat(loop.canary()).isEmpty();
        assertThat(loop.degradedReason()).hasValue("canary 2 has not been loaded");
        for (int i = 0; i < 100; i++) {
            assertThat(loop.policyFor("e-" + i).version()).isEqualTo(1);
        }
    }

    @Test
    void theJobSaysWhichSpecIsInForce() {
        LoopSpec hot =
                PolicyStoreFixture.spec(
                        2, "{\"actions\":[\"a\",\"b\"],\"features\":2,\"explorationFloor\":0.5}");
        PolicyStoreFixture told = new PolicyStoreFixture().spec(SPEC).active(0, 1).spec(hot);
        assertThat(told.served().spec().version()).as("waits for the job").isEqualTo(1);
        assertThat(told.served().newestSpec().version()).isEqualTo(2);
        assertThat(told.active(0, 2).served().spec().version()).isEqualTo(2);
    }

    /** Compaction keeps only the newest spec on the topic of specs. */
    @Test
    void theSpecInForceSurvivesNewerOnesThatWaitOrWereRefused() {
        LoopSpec waiting =
                PolicyStoreFixture.spec(
                        2, "{\"actions\":[\"a\",\"b\"],\"features\":2,\"inverseTemperature\":2}");
        PolicyStoreFixture told =
                new PolicyStoreFixture()
                        .active(1, 1)
                        .inForce(SPEC)
                        .spec(waiting)
                        .snapshot(snapshot(1));
        ServedLoop loop = told.served();
        assertThat(loop.spec()).isEqualTo(SPEC);
        assertThat(loop.newestSpec()).isEqualTo(waiting);
        assertThat(loop.active().version()).isEqualTo(1);
        assertThat(loop.active().policy().rule().inverseTemperature()).isEqualTo(1.0);
        assertThat(loop.degradedReason()).isEmpty();
        assertThat(told.active(1, 2).inForce(waiting).served().spec()).isEqualTo(waiting);
        assertThat(told.store().loop(PolicyStoreFixture.LOOP).orElseThrow().degradedReason())
                .isEmpty();
    }

    /** The two records are on different partitions. */
    @Test
    void aSpecInForceThatIsNotReadYetIsReported() {
        LoopSpec waiting =
                PolicyStoreFixture.spec(
                        2, "{\"actions\":[\"a\",\"b\"],\"features\":2,\"inverseTemperature\":2}");
        PolicyStoreFixture told = new PolicyStoreFixture().spec(waiting).active(0, 1);
        assertThat(told.served().spec().version()).isEqualTo(2);
        assertThat(told.served().degradedReason())
                .hasValue(
                        "spec version 1 is in force but has not been loaded, so version 2 is used");
        assertThat(told.inForce(SPEC).served().degradedReason()).as("read").isEmpty();
        assertThat(told.active(0, 3).served().degradedReason())
                .as("a newer one")
                .hasValue(
                        "spec version 3 is in force but has not been loaded, so version 2 is used");
    }

    @Test
    void theSpecInForceOfADeletedLoopIsNotThatOfItsSuccessor() {
        PolicyStoreFixture told = running().inForce(SPEC);
        delete(told, Topic.LOOPS);
        told.spec(again());
        delete(told, Topic.ROLLOUTS);
        told.started(LATER).active(0, 1);
        assertThat(told.served().spec().time()).as("its deletion is read later").isEqualTo(LATER);
        told.store().takeRollout("home@spec", null);
        assertThat(told.served().spec().time()).isEqualTo(LATER);
        delete(told, Topic.LOOPS);
        delete(told, Topic.ROLLOUTS);
        told.store().swap();
        told.store().takeSnapshot("home@1", null, new KnownVersion.Place(0, 99));
        told.store().swap();
        assertThat(told.store().usedBytes()).isZero();
    }

    @Test
    void beforeTheJobHasSeenALoopASpecOfAnotherShapeIsPassedOver() {
        LoopSpec other = PolicyStoreFixture.spec(2, "{\"actions\":[\"a\",\"b\"],\"features\":3}");
        assertThat(new PolicyStoreFixture().spec(SPEC).spec(other).served().spec().version())
                .isEqualTo(1);
    }

    @Test
    void weightsAreLetGoAndReadAgainWhenTheRolloutReturnsToThem() {
        PolicyStoreFixture told = new PolicyStoreFixture().spec(SPEC).active(1, 1);
        for (int version = 1; version <= 5; version++) {
            told.snapshot(snapshot(version));
        }
        told.active(5, 1).served();
        told.active(2, 1);
        List<KnownVersion> asked = new ArrayList<>();
        told.store()
                .swap(
                        version -> {
                            asked.add(version);
                            return Optional.of(
                                    PolicySnapshot.of(
                                            PolicyStoreFixture.LOOP,
                                            2,
                                            model(2),
                                            Optional.empty()));
                        });
        ServedLoop loop = told.store().loop(PolicyStoreFixture.LOOP).orElseThrow();
        assertThat(asked).extracting(KnownVersion::version).containsExactly(2L);
        assertThat(asked.get(0).place()).hasValue(new KnownVersion.Place(0, 5));
        assertThat(loop.active().version()).isEqualTo(2);
        assertThat(loop.versions()).hasSize(5);
    }

    @Test
    void theOldestVersionsAreForgottenButForTheFirstAndThoseOfTheRollout() {
        PolicyStoreFixture told =
                new PolicyStoreFixture()
                        .spec(SPEC)
                        .rollout(
                                new Rollout(
                                        Stage.SHADOW,
                                        4,
                                        OptionalLong.of(5),
                                        List.of(),
                                        OptionalLong.of(3),
                                        0.0,
                                        false,
                                        Optional.empty()),
                                1);
        int last = LoopHistory.MAX_VERSIONS + 20;
        for (int version = 1; version <= last; version++) {
            told.snapshot(snapshot(version));
        }
        ServedLoop loop = told.served();
        assertThat(loop.active().version()).isEqualTo(4);
        assertThat(loop.versions()).hasSize(LoopHistory.MAX_VERSIONS);
        assertThat(loop.versions())
                .extracting(KnownVersion::version)
                .startsWith(1L, 3L, 4L, 5L, 25L)
                .endsWith((long) last);
    }

    @Test
    void aVersionThatIsPublishedAnewTakesTheOldOnesPlace() {
        PolicyStoreFixture told =
                new PolicyStoreFixture().spec(SPEC).snapshot(snapshot(1)).active(1, 1);
        String before = told.served().versions().get(0).checksum();
        ServedLoop loop = told.snapshot(PolicyStoreFixture.snapshot(SPEC, 1, model(9))).served();
        assertThat(loop.versions().get(0).checksum()).isNotEqualTo(before);
        assertThat(loop.active().version()).isEqualTo(1);
    }

    @Test
    void aLoopWithoutAValueIsGone() {
        PolicyStoreFixture told = new PolicyStoreFixture().spec(SPEC);
        told.served();
        told.store().takeSpec(PolicyStoreFixture.LOOP, null);
        told.store().swap();
        assertThat(told.store().loop(PolicyStoreFixture.LOOP)).isEmpty();
    }

    private static final Instant LATER = SPEC.time().plusSeconds(3_600);

    /** The spec of a new loop with the same name. */
    private static LoopSpec again() {
        return new LoopSpecJson(JsonLimits.defaults())
                .read(
                        "{\"actions\":[\"a\",\"b\"],\"features\":2}",
                        PolicyStoreFixture.LOOP,
                        1,
                        LATER);
    }

    /** A snapshot that the new loop has frozen. */
    private static PolicySnapshotRecord snapshotAgain(long version, float weight) {
        return frozen(version, weight, LATER.plusSeconds(1));
    }

    private static PolicySnapshotRecord frozen(long version, float weight, Instant time) {
        PolicySnapshot frozen =
                PolicySnapshot.of(
                        PolicyStoreFixture.LOOP, version, model(weight), Optional.empty());
        return SnapshotConversion.toRecord(
                new PolicySnapshot(
                        frozen.loop(),
                        version,
                        frozen.parentVersion(),
                        time,
                        frozen.model(),
                        frozen.encoder(),
                        frozen.decisionRule(),
                        frozen.variance(),
                        frozen.normBound(),
                        frozen.training(),
                        frozen.certificate()));
    }

    private static PolicyStoreFixture running() {
        PolicyStoreFixture told =
                new PolicyStoreFixture()
                        .started(SPEC.time())
                        .spec(SPEC)
                        .snapshot(frozen(1, 3, SPEC.time().plusSeconds(1)))
                        .active(1, 1);
        assertThat(told.served().active().version()).isEqualTo(1);
        return told;
    }

    private static void delete(PolicyStoreFixture told, Topic topic) {
        switch (topic) {
            case LOOPS -> told.store().takeSpec(PolicyStoreFixture.LOOP, null);
            case ROLLOUTS -> told.store().takeRollout(PolicyStoreFixture.LOOP, null);
            default -> told.store().takeSnapshot("home@1", null, new KnownVersion.Place(0, 99));
        }
    }

    /** The rollout of the new loop arrives before the deletion of the old one is read. */
    @Test
    void theRolloutOfALoopThatWasCreatedAgainIsKeptWhileSpecsLag() {
        PolicyStoreFixture told = running();
        delete(told, Topic.ROLLOUTS);
        delete(told, Topic.POLICY_SNAPSHOTS);
        told.started(LATER).active(0, 1).snapshot(snapshotAgain(1, 7)).active(1, 1);
        told.store().swap();
        delete(told, Topic.LOOPS);
        ServedLoop loop = told.spec(again()).served();
        assertThat(loop.active().version()).isEqualTo(1);
        assertThat(loop.rollout()).isPresent();
        assertThat(loop.degradedReason()).isEmpty();
        assertThat(loop.spec().time()).isEqualTo(LATER);
    }

    @Test
    void theRolloutOfADeletedLoopIsNotThatOfItsSuccessor() {
        PolicyStoreFixture told = running();
        delete(told, Topic.LOOPS);
        assertThat(told.spec(again()).served().active().version()).isZero();
        told.active(1, 1); // the last one of the old loop
        ServedLoop loop = told.served();
        assertThat(loop.active().version()).isZero();
        assertThat(loop.rollout()).isEmpty();
        assertThat(loop.versions()).isEmpty();
        delete(told, Topic.ROLLOUTS);
        assertThat(told.started(LATER).active(0, 1).served().rollout()).isPresent();
    }

    @Test
    void aVersionOfADeletedLoopIsNotThatOfItsSuccessor() {
        PolicyStoreFixture told = running();
        delete(told, Topic.LOOPS);
        told.spec(again());
        delete(told, Topic.ROLLOUTS);
        told.started(LATER).active(0, 1).active(1, 1); // before its snapshot is read
        ServedLoop early = told.served();
        assertThat(early.active().version()).isZero();
        assertThat(early.degradedReason()).hasValue("version 1 has not been loaded");
        assertThat(early.versions()).isEmpty();
        delete(told, Topic.POLICY_SNAPSHOTS);
        ServedLoop loop = told.snapshot(snapshotAgain(1, 7)).served();
        assertThat(loop.active().version()).isEqualTo(1);
        assertThat(loop.versions()).singleElement().extracting(KnownVersion::version).isEqualTo(1L);
    }

    @Test
    void topicsThatAreReadAgainDoNotMixUpLoopsOfOneName() {
        PolicyStoreFixture told = running();
        delete(told, Topic.LOOPS);
        delete(told, Topic.ROLLOUTS);
        delete(told, Topic.POLICY_SNAPSHOTS);
        told.spec(again()).started(LATER).snapshot(snapshotAgain(1, 7)).active(1, 1).served();
        told.store().readAgain();
        told.spec(SPEC); // not yet removed by compaction
        delete(told, Topic.LOOPS);
        told.spec(again());
        assertThat(told.store().loop(PolicyStoreFixture.LOOP)).as("still served").isPresent();
        ServedLoop loop = told.served();
        assertThat(loop.spec().time()).isEqualTo(LATER);
        assertThat(loop.active().version()).isEqualTo(1);
        told.store().readAgain(); // and its deletion has been removed by compaction
        told.store().swap();
        assertThat(told.store().loop(PolicyStoreFixture.LOOP)).isEmpty();
    }

    @Test
    void aDeletedVersionIsGoneUnlessTheRolloutNamesIt() {
        PolicyStoreFixture told =
                new PolicyStoreFixture()
                        .spec(SPEC)
                        .canary(1, 2, 0.5, 1)
                        .snapshot(snapshot(1))
                        .snapshot(snapshot(2))
                        .snapshot(snapshot(3));
        told.served();
        for (int version = 1; version <= 3; version++) {
            told.store()
                    .takeSnapshot("home@" + version, null, new KnownVersion.Place(0, 90 + version));
        }
        ServedLoop lagging = told.served(); // the rollout that replaces them is not read yet
        assertThat(lagging.active().version()).isEqualTo(1);
        assertThat(lagging.canary()).isPresent();
        assertThat(lagging.degradedReason()).isEmpty();
        assertThat(lagging.versions()).extracting(KnownVersion::version).containsExactly(1L, 2L);
        ServedLoop loop = told.snapshot(snapshot(4)).active(4, 1).served();
        assertThat(loop.versions()).extracting(KnownVersion::version).containsExactly(4L);
        assertThat(loop.active().version()).isEqualTo(4);
    }

    /** The copy with the key of the loop is on another partition, and may be read later. */
    @Test
    void aDeletedVersionDoesNotReturnWithTheNewestSnapshotOfItsTime() {
        PolicyStoreFixture told = new PolicyStoreFixture().spec(SPEC);
        told.store().takeSnapshot("home@1", bytes(snapshot(1)), new KnownVersion.Place(0, 1));
        told.store().takeSnapshot("home@1", null, new KnownVersion.Place(0, 2));
        told.store().takeSnapshot("home", bytes(snapshot(1)), new KnownVersion.Place(1, 1));
        assertThat(told.served().versions()).isEmpty();
    }

    @Test
    void aMissingFileIsRefusedUnlessItsVersionIsDeleted() {
        PolicyStoreFixture told =
                new PolicyStoreFixture(
                                PolicyStoreFixture.LOOP,
                                PolicyLimits.ofHeap(),
                                SnapshotDirectory.of("/none"))
                        .spec(SPEC);
        for (int version = 1; version <= 2; version++) {
            PolicySnapshot snapshot =
                    PolicySnapshot.of(PolicyStoreFixture.LOOP, version, model(1), Optional.empty());
            told.snapshot(SnapshotConversion.toPointer(snapshot, "file:///none/" + version, 100));
        }
        delete(told, Topic.POLICY_SNAPSHOTS);
        assertThat(told.served().versions()).isEmpty();
        assertThat(told.refusals())
                .singleElement()
                .asString()
                .isEqualTo("refused a snapshot with key home@2: its file does not exist: /none/2");
    }

    @Test
    void aDeletedLoopThatIsCreatedAgainStartsAnew() {
        PolicyStoreFixture told =
                new PolicyStoreFixture().spec(SPEC).snapshot(snapshot(1)).active(1, 1);
        assertThat(told.served().active().version()).isEqualTo(1);
        told.store().takeSpec(PolicyStoreFixture.LOOP, null);
        ServedLoop again = told.spec(SPEC).served();
        assertThat(again.active().version()).isZero();
        assertThat(again.rollout()).isEmpty();
        assertThat(again.versions()).isEmpty();
    }

    @Test
    void aLoopThatIsCreatedAgainIsRemovedFirst() {
        PolicyStoreFixture told = running();
        List<String> removed = new ArrayList<>();
        told.store().onRemoval(removed::add);
        delete(told, Topic.LOOPS);
        told.spec(again()).served();
        assertThat(removed).containsExactly(PolicyStoreFixture.LOOP);
        told.store().readAgain();
        told.spec(SPEC); // not yet removed by compaction
        delete(told, Topic.LOOPS);
        assertThat(told.spec(again()).served().spec().time()).isEqualTo(LATER);
        assertThat(removed).as("the same loop").hasSize(1);
        delete(told, Topic.LOOPS);
        told.store().swap();
        assertThat(removed).hasSize(2);
    }

    @Test
    void afterAStartTheRolloutOfALoopThatWasCreatedAgainIsKept() {
        PolicyStoreFixture told = new PolicyStoreFixture().started(SPEC.time());
        // Topics are read independently: here all rollouts before the specs.
        told.active(7, 1);
        told.store().takeRollout(PolicyStoreFixture.LOOP, null);
        told.started(LATER).active(1, 1);
        told.spec(SPEC);
        told.store().takeSpec(PolicyStoreFixture.LOOP, null);
        told.spec(again()).snapshot(snapshotAgain(1, 1)).snapshot(snapshot(7));
        told.store().takeSnapshot("home@7", null, new KnownVersion.Place(0, 99));
        ServedLoop loop = told.served();
        assertThat(loop.active().version()).isEqualTo(1);
        assertThat(loop.recentRollouts()).hasSize(1);
        assertThat(loop.versions()).extracting(KnownVersion::version).containsExactly(1L);
        assertThat(loop.degradedReason()).isEmpty();
    }

    @Test
    void whatIsNoRecordIsRefusedEverywhere() {
        PolicyStoreFixture told = new PolicyStoreFixture().spec(SPEC);
        byte[] nonsense = {1, 2, 3};
        told.store().takeSpec("x", nonsense);
        told.store().takeRollout("x", nonsense);
        told.store().takeSnapshot("x@1", nonsense, new KnownVersion.Place(0, 0));
        told.store().takeSnapshot("home@2", bytes(snapshot(1)), new KnownVersion.Place(0, 0));
        assertThat(told.store().refused()).isEqualTo(4);
        assertThat(told.served().active().version()).isZero();
    }

    /** A producer may send records of users to the wrong topic. */
    @Test
    void aKeyThatIsNotOfALoopIsNotLogged() {
        PolicyStoreFixture told = new PolicyStoreFixture();
        byte[] nonsense = {1, 2, 3};
        for (String key : List.of("user@example.com", "user@example.com@1", "a b", "", "x@1@2")) {
            told.store().takeSpec(key, nonsense);
            told.store().takeRollout(key, nonsense);
            told.store().takeSnapshot(key + "@1", nonsense, new KnownVersion.Place(0, 0));
        }
        assertThat(told.refusals())
                .hasSize(15)
                .allMatch(it -> it.contains(" whose key is not of a loop: "))
                .noneMatch(it -> it.contains("user") || it.contains("a b"));
        told.store().takeSnapshot("front-page@12", nonsense, new KnownVersion.Place(0, 0));
        assertThat(told.refusals().get(15)).startsWith("refused a snapshot with key front-page@12");
    }
}
