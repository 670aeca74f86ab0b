package io.counterflow.cli.traffic;

import io.counterflow.core.numeric.EventRandom;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Users who come, are shown something, and send their rewards later; all over HTTP.
 *
 * <p>Some threads call {@code rank}, each at its share of the rate. Where serving is slower than
 * that, users come more slowly: nothing piles up. Others send rewards when they are due.
 */
public final class SimulatedUsers {

    private static final int RANKING = 3;
    private static final int REWARDING = 2;
    private static final long NS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long MAX_STOP_MS = 5_000;
    private static final long PAUSE_MS = 200;

    /**
     * What has happened.
     *
     * @param events decisions that were taken
     * @param rewards rewards that were acknowledged, duplicates among them
     * @param failures calls that were not answered as they should have been
     */
    public record Counts(long events, long rewards, long failures) {}

    private final World world;
    private final ServingClient serving;
    private final LongSupplier eventNumbers;
    private final long seed;
    private final double perSecond;
    private final AtomicLong events = new AtomicLong();
    private final AtomicLong rewards = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final DelayQueue<DueReward> due = new DelayQueue<>();
    private final List<Thread> ranking = new ArrayList<>();
    private final List<Thread> rewarding = new ArrayList<>();
    private volatile boolean stopped;
    private volatile boolean allRewardsAreDue;

    /**
     * @param eventNumbers numbers of events, each given once
     * @param seed of the users; each event has random numbers of its own
     * @param perSecond how many come, at most
     */
    public SimulatedUsers(
            World world,
            ServingClient serving,
            LongSupplier eventNumbers,
            long seed,
            double perSecond) {
        if (!(perSecond > 0.0 && perSecond <= 10_000.0)) {
            throw new IllegalArgumentException("perSecond must be in (0, 10000], got " + perSecond);
        }
        this.world = world;
        this.serving = serving;
        this.eventNumbers = eventNumbers;
        this.seed = seed;
        this.perSecond = perSecond;
    }

    /**
     * They begin to come.
     *
     * @param failed takes in words why some of them come no more
     */
    public void start(Consumer<String> failed) {
        for (int i = 0; i < RANKING; i++) {
            ranking.add(started("user-" + i, this::come, failed));
        }
        for (int i = 0; i < REWARDING; i++) {
            rewarding.add(started("reward-" + i, this::reward, failed));
        }
    }

    private static Thread started(String name, Runnable work, Consumer<String> failed) {
        Thread thread = new Thread(work, name);
        thread.setUncaughtExceptionHandler(
                (which, reason) -> failed.accept(name + " comes no more: " + reason.getMessage()));
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void come() {
        long intervalNs = (long) (RANKING * NS_PER_SECOND / perSecond);
        long nextNs = System.nanoTime();
        while (!stopped) {
            try {
                long aheadNs = nextNs - System.nanoTime();
                if (aheadNs > 0) {
                    TimeUnit.NANOSECONDS.sleep(aheadNs);
                }
                // Not from the last due time: users who were kept waiting do not come all at once.
                nextNs = Math.max(nextNs + intervalNs, System.nanoTime());
                visit(eventNumbers.getAsLong());
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void visit(long number) throws InterruptedException {
        String eventId = "visit-" + number;
        EventRandom random = EventRandom.named(seed + "/" + eventId);
        Visit visit = world.visit(random);
        try {
            ServingClient.Decision decision = serving.rank(eventId, visit.context());
            events.incrementAndGet();
            double likes = visit.rewardProbability().applyAsDouble(decision.action());
            if (random.nextDouble() < likes) {
                for (RewardPlan.Due reward : RewardPlan.draw(random)) {
                    due.add(new DueReward(eventId, reward, System.nanoTime()));
                }
            }
        } catch (IOException e) {
            failed();
        }
    }

    private void reward() {
        while (true) {
            try {
                DueReward next =
                        allRewardsAreDue ? due.poll() : due.poll(PAUSE_MS, TimeUnit.MILLISECONDS);
                if (next != null && !(allRewardsAreDue && next.reward.isLate())) {
                    send(next);
                } else if (next == null && allRewardsAreDue) {
                    return;
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void send(DueReward next) throws InterruptedException {
        try {
            serving.reward(
                    next.eventId, next.eventId + "/" + next.reward.number(), next.reward.value());
            rewards.incrementAndGet();
        } catch (IOException e) {
            failed();
        }
    }

    /** Counted, and a pause: a serving process that is away is not helped by more calls. */
    private void failed() throws InterruptedException {
        failures.incrementAndGet();
        if (!stopped) {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        }
    }

    public Counts counts() {
        return new Counts(events.get(), rewards.get(), failures.get());
    }

    /** No more users come; rewards that would have come in time are sent now. */
    public void stop() {
        stopped = true;
        join(ranking);
        allRewardsAreDue = true;
        join(rewarding);
    }

    private static void join(List<Thread> threads) {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MAX_STOP_MS);
        for (Thread thread : threads) {
            try {
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(endNs - System.nanoTime())));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            thread.interrupt();
        }
    }

    /** A reward that waits for its time. */
    private final class DueReward implements Delayed {

        private final String eventId;
        private final RewardPlan.Due reward;
        private final long dueNs;

        DueReward(String eventId, RewardPlan.Due reward, long nowNs) {
            this.eventId = eventId;
            this.reward = reward;
            this.dueNs = nowNs + TimeUnit.MILLISECONDS.toNanos(reward.delayMs());
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return allRewardsAreDue
                    ? 0
                    : unit.convert(dueNs - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return other instanceof DueReward that
                    ? Long.compare(dueNs - that.dueNs, 0)
                    : Long.compare(
                            getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
