package io.counterflow.flink.join;

import static io.counterflow.flink.Feedback.impression;
import static io.counterflow.flink.Feedback.retraction;
import static io.counterflow.flink.Feedback.reward;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.flink.Feedback;
import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.LoopCountsRecord;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Events that were asked for again, and answers that did not reach their caller. */
class RewardJoinRetryTest {

    private JoinHarness join;

    @BeforeEach
    void open() throws Exception {
        join = JoinHarness.open(new HashMapStateBackend());
    }

    @AfterEach
    void close() {
        join.close();
    }

    /** Takes everything up to here into another process. */
    private void restart() throws Exception {
        OperatorSubtaskState state = join.snapshot();
        join.close();
        join = JoinHarness.restore(new HashMapStateBackend(), state);
    }

    private static ImpressionRecord otherAnswer(String eventId, long ms) {
        ImpressionRecord other = impression(eventId, ms);
        other.setPolicyVersion(other.getPolicyVersion() + 1);
        return other;
    }

    private JoinedExample onlyExample() throws Exception {
        List<JoinedExample> examples = join.examples();
        assertThat(examples).hasSize(1);
        return examples.get(0);
    }

    @Test
    void aRetractedDecisionIsNotLearnedFrom() throws Exception {
        join.take(impression("e", 0));
        join.take(reward("r", "e", 10, 1.0));
        join.take(retraction("e", 0));
        restart();
        join.watermark(1_000);

        assertThat(join.examples()).isEmpty();
        assertThat(join.lateReasons()).containsExactly("RETRACTED");
        assertThat(join.count("retracted")).isEqualTo(1);
        assertThat(join.waiting()).isZero();
    }

    @Test
    void lateRecordsAndRetractionsAreCountedForTheirLoop() throws Exception {
        join.take(impression("e", 0));
        join.take(reward("r", "e", 10, 1.0));
        join.take(retraction("e", 0));
        join.take(reward("r", "unknown", 0, 1.0));
        join.watermark(1_000);

        List<LoopCountsRecord> counts = join.counts();
        assertThat(counts).extracting(LoopCountsRecord::getLoop).containsExactly("home");
        assertThat(counts.get(0).getDecisions()).isEqualTo(1);
        assertThat(counts.get(0).getRewards()).isEqualTo(2);
        assertThat(counts.get(0).getUnused())
                .extracting(it -> it.getKind() + " " + it.getRule() + " " + it.getCount())
                .containsExactlyInAnyOrder("RETRACTED  1", "LATE RETRACTED 1", "LATE ORPHANED 1");
        assertThat(join.counts()).as("since the barrier before").isEmpty();
    }

    @Test
    void aRetractionWithoutItsImpressionLeavesNothing() throws Exception {
        join.take(retraction("e", 0));

        assertThat(join.waiting()).isZero();
        join.take(impression("e", 1));
        join.watermark(1_001);
        assertThat(join.examples()).hasSize(1);
    }

    @Test
    void aRetryWithTheSameAnswerCountsOnceAndWaitsForTheRewardsOfTheLaterAnswer() throws Exception {
        join.take(impression("e", 0));
        join.take(reward("early", "e", 10, 0.5));
        join.take(impression("e", 400));
        restart();
        join.watermark(1_000);
        assertThat(join.examples()).isEmpty();
        restart();
        join.take(reward("later", "e", 1_300, 1.0));
        join.watermark(1_400);

        assertThat(onlyExample().impression()).isEqualTo(impression("e", 400));
        assertThat(onlyExample().reward()).isEqualTo(0.5); // of the first of two rewards
        assertThat(onlyExample().outcome().rewards()).isEqualTo(2);
        assertThat(join.late()).isEmpty();
        assertThat(join.waiting()).isZero();
    }

    @Test
    void theOrderInWhichThreeAnswersArriveDoesNotMatter() throws Exception {
        List<ImpressionRecord> answers =
                List.of(impression("e", 0), impression("e", 200), otherAnswer("e", 300));
        for (int first = 0; first < 3; first++) {
            for (int step = 1; step < 3; step++) {
                for (int i = 0; i < 3; i++) {
                    join.take(answers.get((first + i * step) % 3));
                }
                join.watermark(1_300);
                assertThat(join.examples()).isEmpty();
                assertThat(join.lateReasons())
                        .as("from answer %d, in steps of %d", first, step)
                        .hasSize(3)
                        .containsOnly("CONFLICTING_IMPRESSION");
                join.close();
                open();
            }
        }
    }

    @Test
    void aRetractionConcernsAllAnswersOfItsTime() throws Exception {
        join.take(impression("e", 0));
        join.take(otherAnswer("e", 0));
        join.take(retraction("e", 0));
        restart();
        join.watermark(1_000);

        assertThat(join.examples()).isEmpty();
        assertThat(join.waiting()).isZero();
    }

    @Test
    void rewardsAreUsedOnceAlthoughARetractedAnswerWaitsLonger() throws Exception {
        join.take(impression("e", 0));
        join.take(otherAnswer("e", 700));
        join.take(retraction("e", 700));
        join.take(reward("r", "e", 500, 1.0));
        join.watermark(1_000);
        assertThat(onlyExample().reward()).isEqualTo(1.0);
        restart();
        join.take(reward("r", "e", 1_100, 0.5));
        join.watermark(1_700);

        assertThat(join.examples()).isEmpty();
        assertThat(join.late()).as("the reward of no answer").hasSize(1);
        assertThat(Feedback.event(reward("r", "e", 1_100, 0.5)).raw().value())
                .isEqualTo(join.late().get(0).getValue().array());
        assertThat(join.waiting()).isZero();
    }

    @Test
    void rewardsOfAnAnswerAreNotThoseOfALaterOne() throws Exception {
        join.take(impression("e", 0));
        join.take(otherAnswer("e", 700));
        join.take(retraction("e", 700));
        join.take(reward("r", "e", 900, 1.0));
        join.watermark(1_000);
        restart();
        join.take(impression("e", 600)); // in the window of the second answer
        join.watermark(1_700);

        assertThat(onlyExample().reward()).as("by default").isEqualTo(0.25);
        assertThat(join.late()).isEmpty();
    }

    @Test
    void anEventWithTwoAnswersIsNotLearnedFromAndNotLostEither() throws Exception {
        join.take(impression("e", 0));
        join.take(otherAnswer("e", 400));
        join.take(reward("r", "e", 410, 1.0));
        join.watermark(1_000);
        restart();
        join.watermark(1_400);

        assertThat(join.examples()).isEmpty();
        assertThat(join.lateReasons())
                .containsExactly("CONFLICTING_IMPRESSION", "CONFLICTING_IMPRESSION");
        assertThat(join.waiting()).isZero();
    }

    @Test
    void theOtherPropensityOfTheSameActionIsAnotherAnswer() throws Exception {
        ImpressionRecord other = impression("e", 400);
        other.setPropensity(0.75);
        join.take(impression("e", 0));
        join.take(other);
        join.watermark(1_400);

        assertThat(join.examples()).isEmpty();
        assertThat(join.lateReasons())
                .containsExactly("CONFLICTING_IMPRESSION", "CONFLICTING_IMPRESSION");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofTwoAnswersTheOneCountsThatWasNotRetracted(boolean firstIsRetracted) throws Exception {
        join.take(impression("e", 0));
        join.take(otherAnswer("e", 400));
        join.take(reward("r", "e", 410, 1.0));
        join.take(retraction("e", firstIsRetracted ? 0 : 400));
        restart();
        join.watermark(1_400);

        assertThat(onlyExample().impression())
                .isEqualTo(firstIsRetracted ? otherAnswer("e", 400) : impression("e", 0));
        assertThat(onlyExample().reward()).isEqualTo(1.0);
        assertThat(join.late()).isEmpty();
        assertThat(join.waiting()).isZero();
    }

    @Test
    void eventsAreNotAskedForWithoutLimit() throws Exception {
        for (int i = 0; i < JoinHarness.MAX_FEEDBACK + 2; i++) {
            join.take(impression("e", i));
        }
        join.watermark(1_100);

        assertThat(join.examples()).hasSize(1);
        assertThat(join.lateReasons()).containsExactly("TOO_MUCH_FEEDBACK", "TOO_MUCH_FEEDBACK");
        assertThat(join.waiting()).isZero();
    }

    @Test
    void theWindowHasItsFullLengthAfterKafkaHasStoredTheDecision() throws Exception {
        join.take(storedAt(impression("slow", 0), 800));
        join.take(storedAt(impression("old", 0), 60_000));
        join.take(reward("r1", "slow", 1_700, 1.0));
        join.take(reward("r2", "old", 1_700, 1.0));
        join.watermark(1_800);

        assertThat(join.examples())
                .extracting(it -> it.impression().getEventId() + " " + it.reward())
                .containsExactly("old 0.25", "slow 1.0");
        assertThat(join.lateReasons()).containsExactly("REWARD_AFTER_WINDOW");
    }

    private static FeedbackEvent storedAt(ImpressionRecord record, long ms) {
        FeedbackEvent event = Feedback.event(record);
        RawRecord raw = event.raw();
        return new FeedbackEvent(
                event.kind(),
                event.loop(),
                event.eventId(),
                event.timeMicros(),
                event.waitMs(),
                event.prejoined(),
                new RawRecord(
                        raw.topic(),
                        raw.partition(),
                        raw.offset(),
                        Feedback.at(ms),
                        raw.key(),
                        raw.value()));
    }

    /**
     * Many events with drawn answers, retractions and restarts. A plain model says which of them
     * count: those whose answers that were not retracted are all the same, with that answer.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void exactlyTheEventsWithOneAnswerAreLearnedFrom(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        int events = 200;
        int expected = 0;
        for (int e = 0; e < events; e++) {
            String id = "e" + e;
            int answers = 1 + random.nextInt(3);
            boolean[] retracted = new boolean[answers];
            boolean[] other = new boolean[answers];
            for (int a = 0; a < answers; a++) {
                other[a] = random.nextInt(3) == 0;
                retracted[a] = random.nextInt(3) == 0;
                join.take(other[a] ? otherAnswer(id, e + 50 * a) : impression(id, e + 50 * a));
            }
            for (int a = 0; a < answers; a++) {
                if (retracted[a]) {
                    join.take(retraction(id, e + 50 * a));
                }
            }
            expected += isUnique(answers, a -> !retracted[a], other) ? 1 : 0;
            if (random.nextInt(40) == 0) {
                restart();
            }
        }
        int learned = 0;
        for (long ms = 0; ms <= 1_500; ms += 50) {
            join.watermark(ms);
            learned += join.examples().size();
            restart();
        }

        assertThat(learned).as("seed %d", seed).isEqualTo(expected);
        assertThat(join.waiting()).isZero();
    }

    private static boolean isUnique(int answers, Predicate<Integer> counts, boolean[] other) {
        boolean same = false;
        boolean another = false;
        for (int a = 0; a < answers; a++) {
            if (counts.test(a)) {
                same |= !other[a];
                another |= other[a];
            }
        }
        return same != another;
    }
}
