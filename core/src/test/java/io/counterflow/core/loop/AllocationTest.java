package io.counterflow.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.simulation.SimulatedLoop;
import io.counterflow.core.spec.LoopSpec;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AllocationTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /**
     * More than enough for the compiler, also on a busy machine. Before it is done, vectors are
     * objects.
     */
    private static final Duration WARM_UP_LIMIT = Duration.ofSeconds(60);

    /** Its columns in a block of ten, which has room for 16, with the objects of the block. */
    private static final long MAX_BYTES_OF_AN_EXAMPLE = 200;

    @Test
    void learningAllocatesTheBlocksOfTheBufferOnly() {
        LoopSpec spec = Specs.dense();
        ExampleLog log =
                new SimulatedLoop(Specs.ACTIONS, Specs.DIMENSION, 1)
                        .log(Policy.uniform(spec.startingModel()), 500, new EventRandom(2));
        List<LoggedExample> examples = new ArrayList<>();
        for (int i = 0; i < log.size(); i++) {
            LoggedExample example = log.example(i);
            examples.add(i % 2 == 0 ? example : restricted(example));
        }
        LoopLearner learner = LoopLearner.start(spec, Specs.MANY_BYTES, new InMemoryStorage());
        long least = Long.MAX_VALUE;
        long ofBlocks = examples.size() * MAX_BYTES_OF_AN_EXAMPLE;
        long end = System.nanoTime() + WARM_UP_LIMIT.toNanos();
        while (least > ofBlocks && System.nanoTime() < end) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < examples.size(); i++) {
                learner.learn(examples.get(i), 0);
            }
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isLessThanOrEqualTo(ofBlocks);
    }

    /** The same decision where one of the other actions could not be chosen. */
    private static LoggedExample restricted(LoggedExample example) {
        return new LoggedExample(
                example.features(),
                AllowedActions.allBut((example.action() + 1) % Specs.ACTIONS),
                example.action(),
                1.0 / 3.0,
                example.reward(),
                example.policyVersion());
    }
}
