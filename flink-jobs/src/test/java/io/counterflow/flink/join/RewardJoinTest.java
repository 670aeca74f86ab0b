package io.counterflow.flink.join;

import static io.counterflow.flink.Feedback.activation;
import static io.counterflow.flink.Feedback.at;
import static io.counterflow.flink.Feedback.guardrailReward;
import static io.counterflow.flink.Feedback.impression;
import static io.counterflow.flink.Feedback.reward;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardRule;
import io.counterflow.flink.Feedback;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RewardOriginRecord;
import io.counterflow.schemas.record.RewardRecord;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.OptionalDouble;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Windows last a second; feedback waits half a second for its impression. */
final class RewardJoinTest {

    private static final RewardRule DEFERRED =
            new RewardRule(Duration.ofSeconds(1), 0.25, RewardAggregation.FIRST, true);

    /** Waits a second, and is worth 0.25, or 1 on the guardrail, without rewards. */
    private static final RewardRule GUARDED =
            new RewardRule(
                    Duration.ofSeconds(1),
                    0.25,
                    RewardAggregation.FIRST,
                    false,
                    OptionalDouble.of(1.0),
                    0.0);

    private JoinHarness join;

    @BeforeEach
    void open() throws Exception {
        join = JoinHarness.open(new HashMapStateBackend());
    }

    @AfterEach
    void close() {
        join.close();
    }

    private JoinedExample onlyExample() throws Exception {
        assertThat(join.examples()).hasSize(1);
        return join.examples().get(0);
    }

    private void assertNothingIsLeft() {
        assertThat(join.waiting()).isZero();
    }

    @Test
    void aQuickRewardWaitsForTheEndOfTheWindow() throws Exception {
        ImpressionRecord shown = impression("e", 0);
        join.take(shown);
        join.take(reward("r", "e", 10, 0.75));
        join.watermark(999);
        assertThat(join.examples()).isEmpty();

        join.watermark(1_000);

        JoinedExample example = onlyExample();
        assertThat(example.impression()).isEqualTo(shown);
        assertThat(example.reward()).isEqualTo(0.75);
        assertThat(example.outcome().origin()).isEqualTo(RewardOriginRecord.OBSERVED);
        assertThat(example.outcome().rewards()).isEqualTo(1);
        assertThat(example.timeMs()).isEqualTo(Feedback.at(1_000));
        assertThat(join.timestamps()).containsExactly(at(1_000));
        LoopEvent event = join.events().get(0);
        assertThat(event.kind()).isEqualTo(LoopEventKind.EXAMPLE);
        assertThat(event.loop()).isEqualTo("home");
        assertThat(event.id()).isEqualTo("e");
        assertThat(event.timeMs()).isEqualTo(at(1_000));
        assertThat(event.raw().offset()).as("the impression's own place").isEqualTo(17);
        assertThat(join.late()).isEmpty();
        assertNothingIsLeft();
    }

    @Test
    void aMissingRewardIsTheDefaultAtTheEndOfTheWindow() throws Exception {
        join.take(impression("e", 0));
        join.watermark(1_000);

        assertThat(onlyExample().reward()).isEqualTo(0.25);
        assertThat(onlyExample().outcome().origin()).isEqualTo(RewardOriginRecord.DEFAULTED);
        assertThat(onlyExample().outcome().rewards()).isZero();
        assertNothingIsLeft();
    }

    @Test
    void aRewardThatArrivesBeforeItsImpressionCounts() throws Exception {
        join.take(reward("r", "e", 10, 1.0));
        join.take(impression("e", 0));
        join.watermark(1_000);

        assertThat(onlyExample().reward()).isEqualTo(1.0);
        assertNothingIsLeft();
    }

    @Test
    void aRewardAtTheLastMicrosecondCountsAndOneAfterItIsLate() throws Exception {
        join.take(impression("e", 0));
        RewardRecord last = reward("last", "e", 1_000, 1.0);
        RewardRecord after = reward("after", "e", 1_000, 0.5);
        after.setTime(after.getTime().plusNanos(1_000));
        join.take(after);
        join.take(last);
        join.watermark(1_000);

        assertThat(onlyExample().reward()).isEqualTo(1.0);
        assertThat(onlyExample().outcome().rewards()).isEqualTo(1);
        assertThat(join.lateReasons()).containsExactly("REWARD_AFTER_WINDOW");
        assertNothingIsLeft();
    }

    @Test
    void aClockThatIsBehindDoesNotLoseTheRewardUnlessItIsFarBehind() throws Exception {
        join.take(reward("near", "e", -500, 1.0));
        join.take(reward("far", "e", -501, 0.5));
        join.take(impression("e", 0));
        join.watermark(1_000);

        assertThat(onlyExample().reward()).isEqualTo(1.0);
        assertThat(join.lateReasons()).containsExactly("REWARD_BEFORE_IMPRESSION");
        assertNothingIsLeft();
    }

    @Test
    void aRewardWithoutImpressionIsAnOrphanWhenItsWaitIsOver() throws Exception {
        join.take(reward("r", "e", 0, 1.0));
        join.watermark(499);
        assertThat(join.late()).isEmpty();
        join.watermark(500);

        DeadLetterRecord letter = join.late().get(0);
        assertThat(letter.getRule()).isEqualTo("ORPHANED");
        assertThat(letter.getTopic()).isEqualTo("feedback");
        assertThat(letter.getPartition()).isEqualTo(2);
        assertThat(letter.getOffset()).isEqualTo(17);
        assertThat(letter.getValue())
                .isEqualTo(
                        ByteBuffer.wrap(
                                Feedback.raw(RewardRecord.class, reward("r", "e", 0, 1.0))
                                        .value()));
        assertThat(join.examples()).isEmpty();
        assertNothingIsLeft();
    }

    @Test
    void aRewardThatComesAfterTheWindowClosedIsLateAndLeavesNothing() throws Exception {
        join.take(impression("e", 0));
        join.watermark(1_500);
        join.take(reward("r", "e", 900, 1.0));

        assertThat(onlyExample().reward()).isEqualTo(0.25);
        assertThat(join.lateReasons()).containsExactly("ORPHANED");
        assertNothingIsLeft();
    }

    @Test
    void aCopyOfARewardOrAnImpressionChangesNothing() throws Exception {
        RewardRule sum = new RewardRule(Duration.ofSeconds(1), 0.0, RewardAggregation.SUM, false);
        for (int copy = 0; copy < 2; copy++) {
            join.take(reward("r", "e", 10, 0.25));
            join.take(impression("e", 0, sum));
            join.take(reward("r", "e", 10, 0.25));
        }
        join.watermark(1_000);
        join.take(impression("e", 0, sum));

        assertThat(onlyExample().reward()).isEqualTo(0.25);
        assertThat(onlyExample().outcome().rewards()).isEqualTo(1);
        assertThat(join.lateReasons()).containsExactly("IMPRESSION_AFTER_ITS_WINDOW");
        assertNothingIsLeft();
    }

    @Test
    void twoRewardsUnderOneIdCountAsTheEarlierWhicheverArrivesFirst() throws Exception {
        join.take(impression("e", 0));
        join.take(reward("r", "e", 20, 0.5));
        join.take(reward("r", "e", 10, 1.0));
        join.take(reward("r", "e", 30, 0.75));
        join.watermark(1_000);

        assertThat(onlyExample().reward()).isEqualTo(1.0);
        assertThat(onlyExample().outcome().rewards()).isEqualTo(1);
    }

    @Test
    void rewardsOfAnotherLoopWithTheSameEventIdDoNotCount() throws Exception {
        RewardRecord foreign = reward("r", "e", 10, 1.0);
        foreign.setLoop("other");
        join.take(impression("e", 0));
        join.take(foreign);
        join.watermark(1_000);

        assertThat(onlyExample().reward()).isEqualTo(0.25);
        assertThat(join.lateReasons()).containsExactly("ORPHANED");
    }

    @Test
    void aDeferredImpressionCountsOnceActivated() throws Exception {
        join.take(impression("e", 0, DEFERRED));
        join.take(reward("r", "e", 10, 1.0));
        join.take(activation("e", 900));
        join.watermark(1_000);

        assertThat(onlyExample().reward()).isEqualTo(1.0);
        assertNothingIsLeft();
    }

    @Test
    void anActivationThatArrivesBeforeItsImpressionCounts() throws Exception {
        join.take(activation("e", 5));
        join.take(impression("e", 0, DEFERRED));
        join.watermark(1_000);

        assertThat(onlyExample().reward()).isEqualTo(0.25);
        assertNothingIsLeft();
    }

    @Test
    void aDeferredImpressionThatIsNeverActivatedGivesNoExample() throws Exception {
        join.take(impression("e", 0, DEFERRED));
        join.take(reward("r", "e", 10, 1.0));
        join.take(activation("e", 1_001));
        join.watermark(1_000);

        assertThat(join.examples()).isEmpty();
        assertThat(join.lateReasons())
                .containsExactlyInAnyOrder("NOT_ACTIVATED", "REWARD_AFTER_WINDOW");
        assertNothingIsLeft();
    }

    @Test
    void anImpressionThatBringsItsRewardPassesAtOnceAndOnlyOnce() throws Exception {
        ImpressionRecord known = impression("e", 100);
        known.setReward(0.5);
        join.take(reward("early", "e", 100, 1.0));
        join.take(known);
        join.take(known);
        join.take(reward("r", "e", 110, 1.0));

        assertThat(onlyExample().reward()).isEqualTo(0.5);
        assertThat(onlyExample().outcome().origin()).isEqualTo(RewardOriginRecord.PREJOINED);
        assertThat(onlyExample().timeMs()).isEqualTo(Feedback.at(100));
        assertThat(join.timestamps()).containsExactly(at(100));
        join.watermark(100);
        join.take(known);

        assertThat(join.examples()).hasSize(1);
        assertThat(join.lateReasons())
                .containsExactly(
                        "ALREADY_REWARDED", "ALREADY_REWARDED", "IMPRESSION_AFTER_ITS_WINDOW");
        assertNothingIsLeft();
    }

    @Test
    void anImpressionBehindTheWatermarkStillJoinsWhileItsWindowIsOpen() throws Exception {
        join.watermark(500);
        join.take(impression("e", 0));
        join.take(reward("r", "e", 10, 1.0));
        join.watermark(1_000);

        assertThat(onlyExample().reward()).isEqualTo(1.0);
        assertThat(join.late()).isEmpty();
    }

    @Test
    void anOrphanTimerThatFallsOnTheEndOfTheWindowDoesNotTakeTheWindowsTimerAway()
            throws Exception {
        join.take(reward("r", "e", 500, 1.0)); // orphaned at 1 000, when the window closes
        join.take(impression("e", 0));
        join.watermark(1_000);

        assertThat(onlyExample().reward()).isEqualTo(1.0);
        assertNothingIsLeft();
    }

    @Test
    void aCopyThatComesRightAfterARestartIsStillLate() throws Exception {
        join.take(impression("e", 0));
        join.watermark(1_000);
        OperatorSubtaskState snapshot = join.snapshot();
        try (JoinHarness restarted = JoinHarness.restore(new HashMapStateBackend(), snapshot)) {
            restarted.take(impression("e", 0)); // no source has sent a watermark yet
            restarted.watermark(2_000);

            assertThat(restarted.examples()).isEmpty();
            assertThat(restarted.lateReasons()).containsExactly("IMPRESSION_AFTER_ITS_WINDOW");
        }
    }

    @Test
    void whatHappenedIsCounted() throws Exception {
        join.take(impression("joined", 0));
        join.take(impression("joined", 0));
        join.take(reward("r", "joined", 10, 1.0));
        join.take(reward("r", "joined", 10, 1.0));
        join.take(impression("hidden", 0, DEFERRED));
        join.take(reward("r", "unknown", 10, 1.0));
        join.watermark(1_000);

        assertThat(join.count("joined")).isEqualTo(1);
        assertThat(join.count("duplicates")).isEqualTo(2);
        assertThat(join.count("not_activated")).isEqualTo(1);
        assertThat(join.count("reason", "ORPHANED", "late")).isEqualTo(1);
        assertThat(join.count("reason", "ALREADY_REWARDED", "late")).isZero();
    }

    @Test
    void rewardsOfBothMetricsAreAggregatedApart() throws Exception {
        join.take(impression("e", 0, GUARDED));
        join.take(guardrailReward("r", "e", 10, 0.5));
        join.take(reward("r", "e", 20, 0.75)); // the same id of another metric
        join.take(guardrailReward("later", "e", 30, 0.0));
        join.watermark(1_000);

        assertThat(onlyExample().reward()).isEqualTo(0.75);
        assertThat(onlyExample().outcome().rewards()).isEqualTo(1);
        assertThat(onlyExample().outcome().guardrailReward()).isEqualTo(0.5);
        assertThat(join.late()).isEmpty();
        assertNothingIsLeft();
    }

    @Test
    void aGuardrailRewardAloneLeavesTheRewardAtItsDefault() throws Exception {
        join.take(guardrailReward("r", "e", 10, 0.0)); // before its impression
        join.take(impression("e", 0, GUARDED));
        join.watermark(1_000);

        assertThat(onlyExample().reward()).isEqualTo(0.25);
        assertThat(onlyExample().outcome().origin()).isEqualTo(RewardOriginRecord.DEFAULTED);
        assertThat(onlyExample().outcome().rewards()).isZero();
        assertThat(onlyExample().outcome().guardrailReward()).isEqualTo(0.0);
        assertNothingIsLeft();
    }

    @Test
    void aMissingGuardrailRewardIsItsDefault() throws Exception {
        join.take(impression("e", 0, GUARDED));
        join.take(reward("r", "e", 10, 0.75));
        join.watermark(1_000);

        assertThat(onlyExample().outcome().guardrailReward()).isEqualTo(1.0);
    }

    @Test
    void copiesOfAGuardrailRewardCountOnceAndLateOnesDoNotCount() throws Exception {
        RewardRule sum =
                new RewardRule(
                        Duration.ofSeconds(1),
                        0.0,
                        RewardAggregation.SUM,
                        false,
                        OptionalDouble.of(0.0),
                        0.0);
        join.take(impression("e", 0, sum));
        join.take(guardrailReward("r", "e", 10, 0.25));
        join.take(guardrailReward("r", "e", 10, 0.25));
        join.take(guardrailReward("late", "e", 1_001, 0.5));
        OperatorSubtaskState snapshot = join.snapshot();
        try (JoinHarness restarted = JoinHarness.restore(new HashMapStateBackend(), snapshot)) {
            restarted.take(guardrailReward("r", "e", 10, 0.25));
            restarted.watermark(1_000);
            restarted.take(guardrailReward("orphan", "e", 400, 0.5));

            assertThat(restarted.examples())
                    .extracting(it -> it.outcome().guardrailReward())
                    .containsExactly(0.25);
            assertThat(restarted.count("duplicates")).isEqualTo(1);
            assertThat(restarted.lateReasons()).containsExactly("ORPHANED");
        }
        assertThat(join.count("duplicates")).isEqualTo(1);
        assertThat(join.lateReasons()).containsExactly("REWARD_AFTER_WINDOW");
    }

    @Test
    void aGuardrailRewardOfADecisionWithoutAGuardrailIsReported() throws Exception {
        join.take(impression("e", 0));
        join.take(guardrailReward("r", "e", 10, 0.5));
        join.watermark(1_000);

        assertThat(onlyExample().reward()).isEqualTo(0.25);
        assertThat(onlyExample().outcome().guardrailReward()).isNull();
        assertThat(join.lateReasons()).containsExactly("NO_GUARDRAIL");
        assertNothingIsLeft();
    }

    @Test
    void anImpressionMayBringItsGuardrailReward() throws Exception {
        ImpressionRecord known = impression("known", 0, GUARDED);
        known.setReward(0.5);
        known.setGuardrailReward(0.75);
        join.take(known);
        ImpressionRecord half = impression("half", 0, GUARDED);
        half.setReward(0.5);
        join.take(half);
        ImpressionRecord unguarded = impression("unguarded", 0);
        unguarded.setReward(0.5);
        join.take(unguarded);

        assertThat(join.examples())
                .extracting(it -> it.outcome().guardrailReward())
                .containsExactly(0.75, 1.0, null);
    }

    @Test
    void oneDecisionCannotFillTheState() throws Exception {
        join.take(impression("e", 0));
        for (int i = 0; i < JoinHarness.MAX_FEEDBACK + 3; i++) {
            join.take(reward("r" + i, "e", 10 + i, 1.0));
            join.take(reward("r0", "e", 10, 1.0)); // a copy costs nothing
        }
        join.watermark(1_000);

        assertThat(onlyExample().outcome().rewards()).isEqualTo(JoinHarness.MAX_FEEDBACK);
        assertThat(join.lateReasons())
                .containsExactly("TOO_MUCH_FEEDBACK", "TOO_MUCH_FEEDBACK", "TOO_MUCH_FEEDBACK");
        assertNothingIsLeft();
    }

    @Test
    void feedbackThatLeavesMakesRoomForOther() throws Exception {
        for (int i = 0; i < JoinHarness.MAX_FEEDBACK; i++) {
            join.take(reward("early" + i, "e", -501, 1.0)); // too long before the impression
        }
        join.take(impression("e", 0));
        join.take(reward("r", "e", 10, 0.5));
        join.watermark(1_000);

        assertThat(onlyExample().reward()).isEqualTo(0.5);
        assertThat(join.lateReasons())
                .hasSize(JoinHarness.MAX_FEEDBACK)
                .containsOnly("REWARD_BEFORE_IMPRESSION");
        assertNothingIsLeft();
    }
}
