package io.counterflow.serving.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.serving.diagnosis.Flow;
import io.counterflow.serving.diagnosis.SinceSnapshot;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class JobFlowsTest {

    private static final long NOW_MS = 1_767_225_600_000L;

    private final JobFlows flows = new JobFlows();

    @Test
    void examplesAreCountedSinceTheSnapshotIfItWasSeen() {
        flows.example("home", NOW_MS);
        assertThat(flows.sinceSnapshot("home")).isEqualTo(new SinceSnapshot(1, false));
        flows.snapshot("home");
        assertThat(flows.sinceSnapshot("home")).isEqualTo(new SinceSnapshot(0, true));
        flows.example("home", NOW_MS);
        flows.example("home", NOW_MS);
        flows.example("other", NOW_MS);
        assertThat(flows.sinceSnapshot("home")).isEqualTo(new SinceSnapshot(2, true));
        assertThat(flows.sinceSnapshot("unknown")).isEqualTo(new SinceSnapshot(0, false));
    }

    @Test
    void lettersAreCountedForTheirLoopAndForAll() {
        flows.letter(Flow.LATE, Optional.of("home"), NOW_MS, "LATE: first");
        flows.letter(Flow.LATE, Optional.empty(), NOW_MS, "LATE: second");
        assertThat(flows.count(Flow.LATE, "home", NOW_MS).recent()).isEqualTo(1);
        assertThat(flows.count(Flow.LATE, JobFlows.ALL, NOW_MS).recent()).isEqualTo(2);
        assertThat(flows.count(Flow.DEAD_LETTERS, JobFlows.ALL, NOW_MS).recent()).isZero();
        assertThat(flows.newestLetter(Flow.LATE)).hasValue("LATE: second");
        assertThat(flows.newestLetter(Flow.DEAD_LETTERS)).isEmpty();
    }

    @Test
    void callersCannotCompleteTheCount() {
        flows.upToDate().complete(true);
        assertThat(flows.isUpToDate()).isFalse();
        flows.caughtUp();
        assertThat(flows.upToDate()).isCompletedWithValue(true);
    }

    @Test
    void decisionsAreNotCountedHere() {
        assertThatThrownBy(() -> flows.count(Flow.DECISIONS, "home", NOW_MS))
                .hasMessage("the job does not write DECISIONS");
    }
}
