package io.counterflow.client.rank;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.client.PolicyStoreFixture;
import io.counterflow.client.policies.ServedLoop;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Context;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.Split;
import io.counterflow.core.policy.SplitPolicy;
import io.counterflow.core.spec.LoopSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Versions are exchanged while several threads decide. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class SwapUnderLoadTest {

    private static final int DECISIONS = 200_000;
    private static final int THREADS = 4;
    private static final int SWAPS = 40;
    private static final DenseVector X = DenseVector.owning(new float[] {0.3f, -0.7f});
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final LoopSpec spec =
            PolicyStoreFixture.spec(
                    1, "{\"actions\":[\"a\",\"b\",\"c\"],\"features\":2,\"explorationFloor\":0.1}");

    private static DenseModel model(long version) {
        float w = version % 7 + 0.5f;
        return new DenseModel(
                new float[][] {{w, 0}, {0, w}, {-w, w}}, new float[] {0.1f * version, 0, 0});
    }

    @Test
    void everyDecisionBelongsToTheVersionThatItNames() throws Exception {
        PolicyStoreFixture told = new PolicyStoreFixture().spec(spec);
        told.served();
        AtomicInteger decided = new AtomicInteger();
        CountDownLatch swapped = new CountDownLatch(1);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Future<Set<Long>>> seen = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            seen.add(threads.submit(() -> decide(told, decided, swapped)));
        }
        for (long version = 1; version <= SWAPS; version++) {
            told.snapshot(PolicyStoreFixture.snapshot(spec, version, model(version)));
            told.canary(version - 1, version, 0.5, 1).served();
            int goal = decided.get() + DECISIONS / SWAPS;
            while (decided.get() < goal) {
                Thread.onSpinWait();
            }
        }
        swapped.countDown();
        threads.shutdown();
        Set<Long> versions = new HashSet<>();
        for (Future<Set<Long>> thread : seen) {
            versions.addAll(thread.get());
        }
        assertThat(decided.get()).isGreaterThanOrEqualTo(DECISIONS);
        assertThat(versions).hasSize(SWAPS + 1);
        assertThat(told.refusals()).isEmpty();
    }

    /** Decides until all versions have come, and takes each decision again by what it names. */
    private Set<Long> decide(
            PolicyStoreFixture told, AtomicInteger decided, CountDownLatch swapped) {
        Set<Long> versions = new HashSet<>();
        RankRequest request =
                new RankRequest(Optional.empty(), new Context.Vector(X), List.of(), false);
        while (swapped.getCount() > 0) {
            String id = "e-" + decided.incrementAndGet();
            ServedLoop loop = told.store().loop(PolicyStoreFixture.LOOP).orElseThrow();
            RankedDecision ranked = Ranker.decide(loop, request, id, NOW);
            long version = ranked.impression().policyVersion();
            Decision again = again(ranked.impression().choice().split(), version, id);
            if (!again.equals(ranked.decision())) {
                throw new AssertionError("version %d, event %s".formatted(version, id));
            }
            versions.add(version);
        }
        return versions;
    }

    private Decision again(Optional<Split> split, long version, String id) {
        EventRandom random = EventRandom.ofAction(PolicyStoreFixture.LOOP, id);
        if (split.isEmpty()) {
            return policy(version).decide(X, AllowedActions.ALL, random);
        }
        Policy active = policy(split.get().activeVersion());
        Policy candidate = policy(split.get().candidateVersion());
        return new SplitPolicy(active, candidate, split.get())
                .decide(X, AllowedActions.ALL, version == split.get().candidateVersion(), random);
    }

    private Policy policy(long version) {
        return spec.policyOf(version == 0 ? spec.startingModel() : model(version));
    }
}
