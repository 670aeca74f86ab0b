package io.counterflow.serving.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.serving.diagnosis.Flow;
import io.counterflow.serving.diagnosis.JobState;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class LoopFlowsTest {

    private static final Duration LONG = Duration.ofHours(1);

    private final LoopFlows flows = new LoopFlows(Clock.systemUTC());

    private LoopPipelines pipelines(Duration kafkaSilence) {
        return new LoopPipelines(
                flows,
                () -> new JobState(true, Optional.empty(), Optional.empty(), 0, kafkaSilence),
                Clock.systemUTC());
    }

    @Test
    void whoeverAsksWaitsUntilWhatTheJobWritesIsCounted() {
        assertThat(flows.isLookedAt()).isFalse();
        CompletableFuture<Boolean> counted = pipelines(Duration.ZERO).counted(LONG);
        assertThat(flows.isLookedAt()).as("asking makes counting begin").isTrue();
        assertThat(counted).isNotDone();
        flows.job().caughtUp();
        assertThat(counted).isCompletedWithValue(true);
        assertThat(flows.isCounted()).isTrue();
    }

    @Test
    void whatWasCountedBeforeAPauseIsNotTakenForNow() {
        flows.job().example("home", Clock.systemUTC().millis());
        flows.job().caughtUp();
        assertThat(flows.count(Flow.EXAMPLES, "home").recent()).isEqualTo(1);
        flows.forgetJob();
        assertThat(flows.isCounted()).isFalse();
        assertThat(flows.count(Flow.EXAMPLES, "home").recent()).isZero();
        assertThat(pipelines(Duration.ZERO).counted(LONG)).isNotDone();
    }

    @Test
    void nobodyWaitsForAKafkaThatIsAway() {
        assertThat(pipelines(Duration.ofMinutes(1)).counted(LONG)).isCompletedWithValue(false);
    }
}
