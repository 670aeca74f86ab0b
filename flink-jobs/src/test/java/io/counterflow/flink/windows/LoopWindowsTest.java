package io.counterflow.flink.windows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.flink.event.ScoredExample.Audit;
import io.counterflow.flink.event.ScoredExample.EstimateSettings;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.JudgedPolicyRecord;
import io.counterflow.schemas.record.PolicyEstimateRecord;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LoopWindowsTest {

    private static PolicyEstimateRecord estimate(IpsWindowRecord window, JudgedPolicyRecord role) {
        return window.getEstimates().stream()
                .filter(estimate -> estimate.getPolicy() == role)
                .findFirst()
                .orElseThrow();
    }

    private static List<Long> versions(IpsWindowRecord window, JudgedPolicyRecord role) {
        return window.getEstimates().stream()
                .filter(estimate -> estimate.getPolicy() == role)
                .map(PolicyEstimateRecord::getVersion)
                .toList();
    }

    private static IpsWindowRecord only(WindowHarness harness) {
        assertThat(harness.windows()).hasSize(1);
        return harness.windows().get(0);
    }

    /** Two examples whose numbers can be had by hand: weights 2 and 1/2 of the candidate. */
    @Test
    void aWindowIsWhatIsComputedByHand() {
        WindowHarness harness = new WindowHarness(1_000, 1_000);
        harness.take(
                Judged.at(3_100)
                        .chose(0, 2, 0.25)
                        .distribution(List.of(0.25, 0.75))
                        .active(1, 0.25)
                        .candidate(2, 0.5)
                        .reward(1.0)
                        .audit(Audit.MATCH),
                Judged.at(3_900)
                        .chose(1, 2, 0.5)
                        .distribution(List.of(0.5, 0.5))
                        .active(1, 0.5)
                        .candidate(2, 0.25)
                        .reward(0.5)
                        .audit(Audit.MISMATCH));
        harness.advance(4_000);
        IpsWindowRecord window = only(harness);
        assertThat(window.getLoop()).isEqualTo("home");
        assertThat(window.getPolicyVersion()).isEqualTo(1);
        assertThat(window.getWindowStart()).isEqualTo(Instant.ofEpochMilli(3_000));
        assertThat(window.getWindowEnd()).isEqualTo(Instant.ofEpochMilli(4_000));
        assertThat(window.getN()).isEqualTo(2);
        assertThat(window.getOnPolicyMean()).isEqualTo(0.75);
        // (0.25² + 0.25²)/(2 − 1) = 0.125, over n = 2: 0.0625
        assertThat(window.getOnPolicyStandardError()).isCloseTo(0.25, within(1e-15));
        assertThat(window.getActionCounts()).containsExactly(1L, 1L);
        assertThat(window.getExpectedActionCounts()).containsExactly(0.75, 1.25);
        assertThat(window.getAudited()).isEqualTo(2);
        assertThat(window.getAuditMismatches()).isEqualTo(1);

        PolicyEstimateRecord candidate = estimate(window, JudgedPolicyRecord.CANDIDATE);
        assertThat(candidate.getVersion()).isEqualTo(2);
        assertThat(candidate.getIps()).isEqualTo(1.125); // (2 · 1 + 0.5 · 0.5)/2
        // terms 2 and 0.25: half their difference
        assertThat(candidate.getIpsStandardError()).isCloseTo(0.875, within(1e-15));
        assertThat(candidate.getTruncatedIps()).isEqualTo(1.125); // τ = 0.1 floors neither
        assertThat(candidate.getClipRate()).isZero();
        assertThat(candidate.getSelfNormalized()).isCloseTo(0.9, within(1e-15)); // 2.25/2.5
        // ln(1 + 0.5 · 2)/0.5 and ln(1 + 0.5 · 0.25)/0.5
        assertThat(candidate.getLogSmoothed())
                .isCloseTo(StrictMath.log(2.0) + StrictMath.log(1.125), within(1e-15));
        assertThat(candidate.getMeanWeight()).isEqualTo(1.25);
        assertThat(candidate.getMaxWeight()).isEqualTo(2.0);
        assertThat(candidate.getEffectiveSampleSize())
                .isCloseTo(6.25 / 4.25, within(1e-15)); // 2.5²/(4 + 0.25)
        assertThat(candidate.getMeanWeightLower()).isLessThanOrEqualTo(1.0);
        assertThat(candidate.getMeanWeightUpper()).isBetween(1.0, 10.0); // W = 2/0.2

        PolicyEstimateRecord active = estimate(window, JudgedPolicyRecord.ACTIVE);
        assertThat(active.getVersion()).isEqualTo(1);
        assertThat(active.getIps()).isEqualTo(0.75); // judged by its own log
        assertThat(active.getMeanWeight()).isEqualTo(1.0);
        PolicyEstimateRecord uniform = estimate(window, JudgedPolicyRecord.UNIFORM);
        assertThat(uniform.getVersion()).isNull();
        assertThat(uniform.getIps()).isEqualTo(1.25); // (2 · 1 + 1 · 0.5)/2
    }

    /** Estimates need decisions that versions took; of the others there is only what is certain. */
    @Test
    void actionsThatWereShownForCertainAreKeptApart() {
        WindowHarness harness = new WindowHarness(1_000, 1_000);
        harness.take(
                Judged.at(3_100).shown().active(1, 0.75).candidate(2, 0.5).reward(1.0),
                Judged.at(3_200).shown().active(1, 0.25).reward(0.5),
                Judged.at(3_300).shown().active(1, 0.5).reward(0.0).audit(Audit.MATCH));
        harness.restart();
        harness.advance(4_000);
        IpsWindowRecord window = only(harness);
        assertThat(window.getN()).isEqualTo(3);
        assertThat(window.getOnPolicyMean()).as("of the actions that were shown").isEqualTo(0.5);
        assertThat(window.getActionCounts()).containsExactly(3L, 0L);
        assertThat(window.getAudited()).isEqualTo(1);
        assertThat(window.getEstimates()).hasSize(1);
        PolicyEstimateRecord apprentice = window.getEstimates().get(0);
        assertThat(apprentice.getPolicy()).isEqualTo(JudgedPolicyRecord.APPRENTICE);
        assertThat(apprentice.getVersion()).isEqualTo(1);
        assertThat(apprentice.getN()).isEqualTo(3);
        assertThat(apprentice.getMeanWeight()).as("agreement").isEqualTo(0.5);
        // (0.75 · 1 + 0.25 · 0.5 + 0.5 · 0)/3
        assertThat(apprentice.getIps()).isCloseTo(0.875 / 3, within(1e-15));
    }

    /**
     * Version 1 logs both events, and version 2 decides one of them: p is that of both together.
     */
    @Test
    void eventsThatTwoVersionsShareCountForTheRewardOfTheOneThatDecided() {
        WindowHarness harness = new WindowHarness(1_000, 1_000);
        harness.take(
                Judged.at(3_100).active(1, 0.25).candidate(2, 0.75).reward(0.5),
                Judged.at(3_200).decidedBy(2).active(1, 0.75).candidate(2, 0.25).reward(1.0));
        harness.advance(4_000);
        assertThat(harness.windows()).hasSize(2);
        IpsWindowRecord active = harness.windows().get(0);
        IpsWindowRecord candidate = harness.windows().get(1);
        assertThat(active.getPolicyVersion()).isEqualTo(1);
        assertThat(active.getN()).isEqualTo(1);
        assertThat(active.getOnPolicyMean()).isEqualTo(0.5);
        assertThat(active.getActionCounts()).as("of both").containsExactly(2L, 0L);
        assertThat(candidate.getPolicyVersion()).isEqualTo(2);
        assertThat(candidate.getN()).isEqualTo(1);
        assertThat(candidate.getOnPolicyMean()).isEqualTo(1.0);
        assertThat(candidate.getEstimates()).isEmpty();
        PolicyEstimateRecord ofActive = estimate(active, JudgedPolicyRecord.ACTIVE);
        assertThat(ofActive.getN()).isEqualTo(2);
        assertThat(ofActive.getIps()).isEqualTo((0.5 * 0.5 + 1.5 * 1.0) / 2.0);
        assertThat(estimate(active, JudgedPolicyRecord.CANDIDATE).getIps())
                .isEqualTo((1.5 * 0.5 + 0.5 * 1.0) / 2.0);
    }

    @Test
    void aVersionThatLoggedButDecidedNothingHasNoMean() {
        WindowHarness harness = new WindowHarness(1_000, 1_000);
        harness.take(Judged.at(3_200).decidedBy(2).active(1, 0.5).candidate(2, 0.5).reward(1.0));
        harness.advance(4_000);
        IpsWindowRecord active = harness.windows().get(0);
        assertThat(active.getPolicyVersion()).isEqualTo(1);
        assertThat(active.getN()).isZero();
        assertThat(active.getOnPolicyMean()).isNaN();
    }

    @Test
    void aWindowEndsWhenTheTimeOfItsLoopReachesItsEnd() {
        WindowHarness harness = new WindowHarness(1_000, 1_000);
        harness.take(Judged.at(500));
        harness.advance(999);
        assertThat(harness.windows()).isEmpty();
        harness.advance(1_000);
        assertThat(harness.windows()).hasSize(1);
        harness.take(Judged.at(1_500), Judged.at(2_000).loop("other"));
        assertThat(harness.windows()).as("of the other loop").hasSize(1);
        harness.take(Judged.at(2_000));
        assertThat(harness.windows()).hasSize(2);
    }

    @Test
    void anExampleThatIsOlderThanItsLoopCountsAtTheTimeOfTheLoop() {
        WindowHarness harness = new WindowHarness(2_000, 1_000);
        harness.take(Judged.at(100));
        harness.advance(1_001);
        harness.take(Judged.at(999), Judged.at(1_000));
        harness.advance(1_000_000);
        assertThat(harness.windows()).extracting(IpsWindowRecord::getN).containsExactly(1L, 3L, 2L);
        assertThat(harness.isEmpty()).isTrue();
    }

    @Test
    void overlappingWindowsShareTheirExamples() {
        WindowHarness harness = new WindowHarness(3_000, 1_000);
        harness.take(Judged.at(0), Judged.at(1_000), Judged.at(1_999), Judged.at(2_500));
        harness.advance(1_000_000);
        assertThat(harness.windows())
                .extracting(w -> w.getWindowStart().toEpochMilli(), IpsWindowRecord::getN)
                .containsExactly(
                        tuple(-2_000L, 1L),
                        tuple(-1_000L, 3L),
                        tuple(0L, 4L),
                        tuple(1_000L, 3L),
                        tuple(2_000L, 1L));
    }

    @Test
    void windowsWithoutExamplesDoNotGoOut() {
        WindowHarness harness = new WindowHarness(2_000, 1_000);
        harness.take(Judged.at(0), Judged.at(9_000));
        harness.advance(1_000_000);
        assertThat(harness.windows())
                .extracting(w -> w.getWindowEnd().toEpochMilli())
                .containsExactly(1_000L, 2_000L, 10_000L, 11_000L);
    }

    @Test
    void timesBefore1970HaveWindowsToo() {
        WindowHarness harness = new WindowHarness(1_000, 1_000);
        harness.take(Judged.at(-1));
        harness.advance(0);
        assertThat(only(harness).getWindowStart()).isEqualTo(Instant.ofEpochMilli(-1_000));
    }

    @Test
    void eachVersionThatLoggedHasItsOwnWindow() {
        WindowHarness harness = new WindowHarness(1_000, 1_000);
        harness.take(
                Judged.at(1).loggedBy(2).reward(1.0),
                Judged.at(2).loggedBy(1),
                Judged.at(3).loggedBy(2).reward(0.5));
        harness.advance(1_000);
        assertThat(harness.windows())
                .extracting(IpsWindowRecord::getPolicyVersion)
                .containsExactly(1L, 2L);
        assertThat(harness.windows())
                .extracting(IpsWindowRecord::getOnPolicyMean)
                .containsExactly(0.0, 0.75);
    }

    @Test
    void noEstimateIsOfTwoPolicies() {
        WindowHarness harness = new WindowHarness(2_000, 1_000);
        harness.take(
                Judged.at(100).active(1, 0.5).candidate(2, 0.1).reward(1.0),
                Judged.at(200).active(2, 0.1).reward(1.0), // promoted
                Judged.at(1_100).active(2, 0.3).candidate(3, 0.2).reward(1.0),
                Judged.at(1_200).active(1, 0.5).candidate(3, 0.4).reward(1.0)); // rolled back
        harness.advance(2_000);
        IpsWindowRecord window = harness.windows().get(1);
        assertThat(versions(window, JudgedPolicyRecord.ACTIVE)).containsExactly(1L, 2L);
        assertThat(versions(window, JudgedPolicyRecord.CANDIDATE)).containsExactly(3L, 2L);
        assertThat(window.getEstimates())
                .filteredOn(estimate -> estimate.getPolicy() == JudgedPolicyRecord.ACTIVE)
                .extracting(PolicyEstimateRecord::getIps)
                .containsExactly(1.0, 0.4); // (0.1 + 0.3)/2/0.5
    }

    @Test
    void ofManyCandidatesTheOnesJudgedLastAreKept() {
        WindowHarness harness = new WindowHarness(2_000, 1_000);
        for (int version = 2; version < 10; version++) {
            harness.take(Judged.at(version * 200L).candidate(version, 0.5));
        }
        harness.advance(2_000);
        assertThat(versions(harness.windows().get(1), JudgedPolicyRecord.CANDIDATE))
                .containsExactly(9L, 8L, 7L, 6L);
    }

    @Test
    void newSettingsBeginNewEstimatesAndLoseNoCount() {
        EstimateSettings changed = new EstimateSettings(0.6, 0.5, 0.05, 0.2);
        WindowHarness harness = new WindowHarness(2_000, 1_000);
        harness.take(
                Judged.at(100).reward(1.0),
                Judged.at(1_100).reward(1.0),
                Judged.at(1_200).reward(0.6).settings(changed));
        harness.advance(2_000);
        IpsWindowRecord window = harness.windows().get(1);
        assertThat(window.getN()).isEqualTo(3);
        PolicyEstimateRecord active = estimate(window, JudgedPolicyRecord.ACTIVE);
        assertThat(active.getIps()).isEqualTo(0.6);
        assertThat(active.getTruncatedIps()).isCloseTo(0.5, within(1e-15)); // 0.5 · 0.6/0.6
        assertThat(active.getClipRate()).isEqualTo(1.0);
    }

    @Test
    void withoutAnExplorationFloorTheMeanWeightHasNoUpperBound() {
        EstimateSettings noFloor = new EstimateSettings(0.1, 0.5, 0.05, 0.0);
        WindowHarness harness = new WindowHarness(1_000, 1_000);
        harness.take(Judged.at(100).settings(noFloor));
        harness.advance(1_000);
        assertThat(only(harness).getEstimates())
                .allSatisfy(
                        estimate -> {
                            assertThat(estimate.getMeanWeightUpper()).isNull();
                            assertThat(estimate.getMeanWeightLower()).isNotNull();
                        });
    }

    @Test
    void versionsWithoutEndAreCountedAndLeftOut() {
        WindowHarness harness = new WindowHarness(1_000, 1_000);
        for (int version = 0; version < Pane.MAX_VERSIONS + 5; version++) {
            harness.take(Judged.at(version).loggedBy(version));
        }
        harness.take(Judged.at(900).loggedBy(3));
        harness.advance(1_000);
        assertThat(harness.windows()).hasSize(Pane.MAX_VERSIONS);
        assertThat(harness.windows().get(3).getN()).isEqualTo(2);
        assertThat(harness.count("unwatched_examples")).isEqualTo(5);
    }

    @Test
    void onlyTheFirstLoopsHaveGauges() {
        WindowHarness harness = new WindowHarness(1_000, 1_000);
        for (int i = 0; i < 4; i++) {
            harness.take(Judged.at(100).loop("loop-" + i));
        }
        harness.advance(1_000);
        long metered = 0;
        for (int i = 0; i < 4; i++) {
            metered += harness.gauge("loop", "loop-" + i, "on_policy_mean") == null ? 0 : 1;
        }
        assertThat(metered).isEqualTo(2);
        assertThat(harness.count("windows")).isEqualTo(4);
    }

    @Test
    void gaugesAreOfTheNewestWindowAndTheVersionThatLoggedMost() {
        WindowHarness harness = new WindowHarness(1_000, 1_000);
        harness.take(Judged.at(100).reward(0.1).audit(Audit.MISMATCH));
        harness.advance(1_000);
        assertThat(harness.gauge("loop", "home", "on_policy_mean")).isEqualTo(0.1);
        harness.take(
                Judged.at(1_100).loggedBy(1).reward(1.0).audit(Audit.MISMATCH),
                Judged.at(1_200).loggedBy(2).reward(0.5).audit(Audit.MATCH),
                Judged.at(1_300).loggedBy(2).reward(0.5).active(1, 0.25));
        harness.advance(2_000);
        assertThat(harness.gauge("loop", "home", "on_policy_mean")).isEqualTo(2.0 / 3.0);
        assertThat(harness.gauge("loop", "home", "examples")).isEqualTo(3.0);
        assertThat(harness.gauge("loop", "home", "audit_mismatches")).isEqualTo(1L);
        assertThat(harness.gauge("loop", "home", "changes_found")).isEqualTo(0.0);
        assertThat(harness.gauge("loop", "home", "policy", "active", "mean_weight"))
                .isEqualTo(0.75);
        assertThat(harness.gauge("loop", "home", "policy", "candidate", "mean_weight"))
                .isEqualTo(Double.NaN);
        assertThat(harness.count("audited_examples")).isEqualTo(3);
        assertThat(harness.count("audit_mismatches")).isEqualTo(2);
    }
}
