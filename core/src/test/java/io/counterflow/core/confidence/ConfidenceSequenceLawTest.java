package io.counterflow.core.confidence;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.estimate.OnPolicyMean;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.rollout.ComparedVersion;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/**
 * Confidence sequences checked at every n: the true value may be rejected at any n in a share δ of
 * {@value #STREAMS} streams, plus three binomial standard errors.
 *
 * <p>Three actions, logged with 0.1, 0.3, 0.6, rewarded with 0.9, 0.5, 0.1; the target chooses them
 * with 0.6, 0.3, 0.1. Its value is 0.54 + 0.15 + 0.01 = 0.70, the logging policy's 0.09 + 0.15 +
 * 0.06 = 0.30. Weights are 6, 1 and 1/6.
 */
final class ConfidenceSequenceLawTest {

    private static final int STREAMS = 1_500;
    private static final int EXAMPLES = 400;
    private static final double DELTA = 0.1;

    private static final double[] LOGGING = {0.1, 0.3, 0.6};
    private static final double[] TARGET = {0.6, 0.3, 0.1};
    private static final double[] REWARD = {0.9, 0.5, 0.1};
    private static final double TARGET_VALUE = 0.70;
    private static final double LOGGING_VALUE = 0.30;

    /** Checks a stream and may reject the true value. */
    private interface Watch {
        void add(double weight, double reward);

        boolean truthIsRuledOut();
    }

    private interface NewWatch {
        Watch start();
    }

    @Test
    void theLowerSequenceOfWeightedRewardsHolds() {
        assertKept(
                () ->
                        new Watch() {
                            final LowerConfidenceSequence sequence = new LowerConfidenceSequence();

                            @Override
                            public void add(double weight, double reward) {
                                sequence.add(weight * reward);
                            }

                            @Override
                            public boolean truthIsRuledOut() {
                                return sequence.rejects(TARGET_VALUE, DELTA);
                            }
                        });
    }

    @Test
    void theUpperSequenceOnItsOwnLogHolds() {
        assertKept(
                () ->
                        new Watch() {
                            final UpperConfidenceSequence sequence = new UpperConfidenceSequence();

                            @Override
                            public void add(double weight, double reward) {
                                sequence.add(reward);
                            }

                            @Override
                            public boolean truthIsRuledOut() {
                                return sequence.rejects(LOGGING_VALUE, DELTA);
                            }
                        });
    }

    @Test
    void theUpperSequenceOnAnothersLogHolds() {
        assertKept(
                () ->
                        new Watch() {
                            final UpperConfidenceSequence sequence = new UpperConfidenceSequence();

                            @Override
                            public void add(double weight, double reward) {
                                sequence.add(weight, reward);
                            }

                            @Override
                            public boolean truthIsRuledOut() {
                                return sequence.rejects(TARGET_VALUE, DELTA);
                            }
                        });
    }

    @Test
    void theDifferenceSequenceHolds() {
        assertKept(
                () ->
                        new Watch() {
                            final DifferenceConfidenceSequence sequence =
                                    new DifferenceConfidenceSequence();

                            @Override
                            public void add(double weight, double reward) {
                                sequence.add(weight, 1.0, 1.0, 0.0, reward);
                            }

                            @Override
                            public boolean truthIsRuledOut() {
                                return sequence.rejects(TARGET_VALUE - LOGGING_VALUE, DELTA);
                            }
                        });
    }

    /**
     * A challenger that gains where it hardly differs from the holder and loses as much where it
     * does. A bet that was larger in the first context would take it for a better one, and so would
     * a D′ that was not the whole loss.
     */
    @Test
    void aChallengerThatGainsInOneContextAndLosesInAnotherIsNotBetter() {
        double share = 0.9;
        double[][] holder = {{0.5, 0.5}, {0.3, 0.7}};
        double[][] challenger = {{0.76, 0.24}, {0.04, 0.96}};
        double[][] rewards = {{1.0, 0.0}, {1.0, 0.0}}; // gains 0.26, loses 0.26
        int rejected = 0;
        for (int stream = 0; stream < STREAMS; stream++) {
            EventRandom random = EventRandom.named("contexts-" + stream);
            DifferenceConfidenceSequence sequence = new DifferenceConfidenceSequence();
            for (int i = 0; i < EXAMPLES; i++) {
                int x = random.nextInt(2);
                double[] decides = random.nextDouble() < share ? challenger[x] : holder[x];
                int action = random.nextDouble() < decides[0] ? 0 : 1;
                double reward = random.nextDouble() < rewards[x][action] ? 1.0 : 0.0;
                addShared(sequence, holder[x], challenger[x], share, action, reward);
                if (sequence.rejects(0.0, DELTA)) {
                    rejected++;
                    break;
                }
            }
        }
        assertThat(rejected).isLessThanOrEqualTo((int) Math.ceil(DELTA * STREAMS));
    }

    /** The bound on weights is ten times as large, but not twice as many examples are needed. */
    @Test
    void aChallengerThatHardlyDiffersIsFoundSoonAlsoIfItDecidesMostOfTheEvents() {
        assertThat(medianToFind(0.9)).isLessThan(2 * medianToFind(0.0));
    }

    private static int medianToFind(double share) {
        double[] challenger = {0.15, 0.3, 0.55}; // better by 0.04
        int[] needed = new int[50];
        for (int stream = 0; stream < needed.length; stream++) {
            EventRandom random = EventRandom.named("hardly-" + stream);
            DifferenceConfidenceSequence sequence = new DifferenceConfidenceSequence();
            while (needed[stream] < 5_000 && !sequence.rejects(0.0, DELTA)) {
                boolean byChallenger = random.nextDouble() < share;
                int action = byChallenger ? draw(challenger, random) : draw(random);
                double reward = random.nextDouble() < REWARD[action] ? 1.0 : 0.0;
                addShared(sequence, LOGGING, challenger, share, action, reward);
                needed[stream]++;
            }
        }
        Arrays.sort(needed);
        return needed[needed.length / 2];
    }

    /** Logged by a mixture: the share of the target changes, and with it the bound on weights. */
    @Test
    void theDifferenceSequenceHoldsOnTheLogOfMixtures() {
        double[] near = {0.15, 0.3, 0.55}; // better by 0.04
        int streams = 0;
        for (int stream = 0; stream < STREAMS; stream++) {
            EventRandom random = EventRandom.named("mixture-" + stream);
            DifferenceConfidenceSequence sequence = new DifferenceConfidenceSequence();
            for (int i = 0; i < EXAMPLES; i++) {
                double share = i % 3 * 0.35; // 0, 0.35, 0.7
                double[] target = random.nextInt(2) == 0 ? TARGET : near; // two contexts
                boolean byTarget = random.nextDouble() < share;
                int action = byTarget ? draw(target, random) : draw(random);
                double reward = random.nextDouble() < REWARD[action] ? 1.0 : 0.0;
                addShared(sequence, LOGGING, target, share, action, reward);
                if (sequence.rejects(0.5 * (TARGET_VALUE - LOGGING_VALUE + 0.04), DELTA)) {
                    streams++;
                    break;
                }
            }
            assertThat(sequence.bound(DELTA)).as("stream %d", stream).isGreaterThan(-0.5);
        }
        assertThat((double) streams / STREAMS)
                .isLessThanOrEqualTo(DELTA + 3.0 * Math.sqrt(DELTA * (1.0 - DELTA) / STREAMS));
    }

    @Test
    void theMeanWeightSequenceHolds() {
        assertKept(
                () ->
                        new Watch() {
                            final MeanWeightSequence sequence = new MeanWeightSequence(6.0001);

                            @Override
                            public void add(double weight, double reward) {
                                sequence.add(weight);
                            }

                            @Override
                            public boolean truthIsRuledOut() {
                                return sequence.rejects(1.0, DELTA);
                            }
                        });
    }

    /** Shows that the check can fail: an interval for one sample size does not hold at every n. */
    @Test
    void anIntervalForOneSampleSizeDoesNotHoldAtEveryN() {
        double rate =
                ruledOut(
                        () ->
                                new Watch() {
                                    final OnPolicyMean mean = new OnPolicyMean();

                                    @Override
                                    public void add(double weight, double reward) {
                                        mean.add(1.0, 1.0, reward);
                                    }

                                    @Override
                                    public boolean truthIsRuledOut() {
                                        return mean.count() > 30
                                                && !mean.normalInterval(DELTA)
                                                        .contains(LOGGING_VALUE);
                                    }
                                });
        assertThat(rate).isGreaterThan(2.0 * DELTA);
    }

    @Test
    void theSequencesCloseInOnTheTruth() {
        LowerConfidenceSequence lower = new LowerConfidenceSequence();
        UpperConfidenceSequence upper = new UpperConfidenceSequence();
        DifferenceConfidenceSequence difference = new DifferenceConfidenceSequence();
        MeanWeightSequence meanWeight = new MeanWeightSequence(6.0001);
        EventRandom random = new EventRandom(77);
        for (int i = 0; i < 20_000; i++) {
            int action = draw(random);
            double reward = random.nextDouble() < REWARD[action] ? 1.0 : 0.0;
            double weight = TARGET[action] / LOGGING[action];
            lower.add(weight * reward);
            upper.add(reward);
            difference.add(weight, 1.0, 1.0, 0.0, reward);
            meanWeight.add(weight);
        }
        assertThat(lower.bound(0.025)).isBetween(0.62, TARGET_VALUE);
        assertThat(upper.bound(0.025)).isBetween(LOGGING_VALUE, 0.33);
        assertThat(difference.bound(0.05)).isBetween(0.32, 0.40);
        assertThat(meanWeight.lowerBound(0.05)).isBetween(0.9, 1.0);
        assertThat(meanWeight.upperBound(0.05)).isBetween(1.0, 1.1);
    }

    @Test
    void wrongPropensitiesRaiseTheAlarm() {
        MeanWeightSequence tooLarge = new MeanWeightSequence(12.0);
        MeanWeightSequence tooSmall = new MeanWeightSequence(12.0);
        EventRandom random = new EventRandom(5);
        for (int i = 0; i < 5_000; i++) {
            int action = draw(random);
            double weight = TARGET[action] / LOGGING[action];
            tooLarge.add(weight * 1.3); // propensities logged too small
            tooSmall.add(weight * 0.7);
        }
        assertThat(tooLarge.rejects(1.0, 0.01)).isTrue();
        assertThat(tooLarge.lowerBound(0.01)).isGreaterThan(1.0);
        assertThat(tooSmall.rejects(1.0, 0.01)).isTrue();
        assertThat(tooSmall.upperBound(0.01)).isLessThan(1.0);
    }

    /** E[1/p] = K and E[1{a=k} − p(k)] = 0, written as means that should be one. */
    @Test
    void theAuditsOfPropensitiesAreMeansOfOneAndRaiseTheAlarmToo() {
        MeanWeightSequence inverses = new MeanWeightSequence(4.0);
        MeanWeightSequence wrongInverses = new MeanWeightSequence(4.0);
        MeanWeightSequence frequency = new MeanWeightSequence(2.0);
        MeanWeightSequence wrongFrequency = new MeanWeightSequence(2.0);
        EventRandom random = new EventRandom(6);
        boolean falseAlarm = false;
        for (int i = 0; i < 5_000; i++) {
            int action = draw(random);
            double chosen = action == 0 ? 1.0 : 0.0;
            inverses.add(1.0 / (3.0 * LOGGING[action]));
            wrongInverses.add(1.0 / (3.0 * Math.min(1.0, 1.3 * LOGGING[action])));
            frequency.add(1.0 + chosen - LOGGING[0]);
            wrongFrequency.add(1.0 + chosen - 0.2);
            falseAlarm |= inverses.rejects(1.0, 0.01) || frequency.rejects(1.0, 0.01);
        }
        assertThat(falseAlarm).isFalse();
        assertThat(wrongInverses.rejects(1.0, 0.01)).isTrue();
        assertThat(wrongFrequency.rejects(1.0, 0.01)).isTrue();
    }

    private static void assertKept(NewWatch watch) {
        double rate = ruledOut(watch);
        double allowed = DELTA + 3.0 * Math.sqrt(DELTA * (1.0 - DELTA) / STREAMS);
        assertThat(rate)
                .as("truth ruled out in a share of %s of %d streams", rate, STREAMS)
                .isLessThanOrEqualTo(allowed);
    }

    /** The share of streams in which the true value was rejected at any n. */
    private static double ruledOut(NewWatch newWatch) {
        int streams = 0;
        for (int stream = 0; stream < STREAMS; stream++) {
            EventRandom random = EventRandom.named("stream-" + stream);
            Watch watch = newWatch.start();
            for (int i = 0; i < EXAMPLES; i++) {
                int action = draw(random);
                double reward = random.nextDouble() < REWARD[action] ? 1.0 : 0.0;
                watch.add(TARGET[action] / LOGGING[action], reward);
                if (watch.truthIsRuledOut()) {
                    streams++;
                    break;
                }
            }
        }
        return (double) streams / STREAMS;
    }

    /** Adds an example of a context in which the challenger decides a share of the events. */
    private static void addShared(
            DifferenceConfidenceSequence sequence,
            double[] holder,
            double[] challenger,
            double share,
            int action,
            double reward) {
        double[] logging = new double[holder.length];
        for (int a = 0; a < logging.length; a++) {
            logging[a] = (1.0 - share) * holder[a] + share * challenger[a];
        }
        sequence.add(
                challenger[action] / logging[action],
                holder[action] / logging[action],
                1.0 / (1.0 - share) * (1.0 + 1e-12),
                ComparedVersion.loss(holder, challenger, logging, logging.length),
                reward);
    }

    private static int draw(EventRandom random) {
        return draw(LOGGING, random);
    }

    private static int draw(double[] policy, EventRandom random) {
        double u = random.nextDouble();
        return u < policy[0] ? 0 : u < policy[0] + policy[1] ? 1 : 2;
    }
}
