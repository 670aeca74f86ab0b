package io.counterflow.cli.traffic;

import io.counterflow.client.CounterflowClient;
import io.counterflow.client.ProblemResponseException;
import io.counterflow.client.Reward;
import io.counterflow.client.rank.RankRequest;
import io.counterflow.core.numeric.EventRandom;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Users that request decisions and send rewards later, over HTTP.
 *
 * <p>Each of a few threads requests decisions at its share of the rate. If serving is slower than
 * that, the rate drops and nothing queues up.
 */
public final class SimulatedUsers {

    private static final int RANKING_THREADS = 3;
    private static final int REWARDING_THREADS = 2;
    private static final double MAX_PER_SECOND = 10_000.0;
    private static final long NS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long MAX_STOP_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long PAUSE_MS = 200;

    /**
     * What the users have done so far.
     *
     * @param events decisions
     * @param rewards acknowledged rewards, duplicates included
     * @param failures failed calls
     */
    public record Counts(long events, long rewards, long failures) {}

    private record PendingReward(String eventId, RewardPlan.Due due) {}

    private final World world;
    private final CounterflowClient client;
    private final LongSupplier eventNumbers;
    private final long seed;
    private final double perSecond;
    private final AtomicLong events = new AtomicLong();
    private final AtomicLong rewards = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final List<Thread> ranking = new ArrayList<>();
    private final ScheduledThreadPoolExecutor rewarding =
            new ScheduledThreadPoolExecutor(REWARDING_THREADS, work -> daemon(work, "reward"));
    private final Set<PendingReward> pending = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped;

    /**
     * @param eventNumbers supplies a new number for each event
     * @param seed seed of the users; each event has a random generator of its own
     * @param perSecond the largest number of events per second
     */
    public SimulatedUsers(
            World world,
            CounterflowClient client,
            LongSupplier eventNumbers,
            long seed,
            double perSecond) {
        if (!(perSecond > 0.0 && perSecond <= MAX_PER_SECOND)) {
            throw new IllegalArgumentException(
                    "rate must be in (0, %.0f], got %s".formatted(MAX_PER_SECOND, perSecond));
        }
        this.world = world;
        this.client = client;
        this.eventNumbers = eventNumbers;
        this.seed = seed;
        this.perSecond = perSecond;
        rewarding.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Creates the loop of these users. A loop with the same spec stays unchanged. */
    public void createLoop() throws IOException, InterruptedException {
        try {
            client.putLoop(world.spec());
        } catch (ProblemResponseException e) {
            throw new IllegalStateException(
                    "the server refused the loop %s: %s".formatted(world.loop(), e.detail()), e);
        }
    }

    /**
     * Starts the users.
     *
     * @param failed receives the reason when a thread stops because of an error
     */
    public void start(Consumer<String> failed) {
        for (int i = 0; i < RANKING_THREADS; i++) {
            Thread thread = daemon(() -> visitUntilStopped(failed), "user-" + i);
            ranking.add(thread);
            thread.start();
        }
    }

    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    private void visitUntilStopped(Consumer<String> failed) {
        long intervalNs = (long) (RANKING_THREADS * NS_PER_SECOND / perSecond);
        long nextNs = System.nanoTime();
        try {
            while (!stopped) {
                TimeUnit.NANOSECONDS.sleep(nextNs - System.nanoTime());
                // Time lost while serving was slow is not made up for.
                nextNs = Math.max(nextNs + intervalNs, System.nanoTime());
                visit("visit-" + eventNumbers.getAsLong());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // by stop()
        } catch (RuntimeException e) {
            failed.accept(Thread.currentThread().getName() + " stopped: " + e.getMessage());
        }
    }

    private void visit(String eventId) throws InterruptedException {
        EventRandom random = EventRandom.named(seed + "/" + eventId);
        World.Visit visit = world.visit(random);
        try {
            RankRequest request = RankRequest.of(visit.context()).withEventId(eventId);
            int action = client.rank(world.loop(), request).action();
            events.incrementAndGet();
            if (random.nextDouble() < visit.rewardProbability().applyAsDouble(action)) {
                for (RewardPlan.Due due : RewardPlan.draw(random)) {
                    PendingReward reward = new PendingReward(eventId, due);
                    pending.add(reward);
                    var unused =
                            rewarding.schedule(
                                    () -> send(reward), due.delayMs(), TimeUnit.MILLISECONDS);
                }
            }
        } catch (IOException | RuntimeException e) { // it costs one visit, whatever it is
            failures.incrementAndGet();
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS); // do not flood a server that is down
        }
    }

    private void send(PendingReward pendingReward) {
        if (!pending.remove(pendingReward)) {
            return;
        }
        String eventId = pendingReward.eventId();
        RewardPlan.Due due = pendingReward.due();
        String rewardId = eventId + "/" + due.number();
        try {
            client.reward(
                    world.loop(), eventId, new Reward(due.value(), rewardId, Optional.empty()));
            rewards.incrementAndGet();
        } catch (IOException | RuntimeException e) {
            failures.incrementAndGet();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public Counts counts() {
        return new Counts(events.get(), rewards.get(), failures.get());
    }

    /** Stops the users. Pending rewards that are not late are sent now. */
    public void stop() {
        stopped = true;
        long endNs = System.nanoTime() + 2 * MAX_STOP_NS;
        try {
            for (Thread thread : ranking) {
                thread.join(TimeUnit.NANOSECONDS.toMillis(MAX_STOP_NS) / RANKING_THREADS);
                thread.interrupt();
            }
            rewarding.shutdown();
            rewarding.awaitTermination(MAX_STOP_NS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (PendingReward reward : pending) {
            if (!reward.due().isLate() && System.nanoTime() - endNs < 0) {
                send(reward);
            }
        }
        pending.clear();
    }
}
