package io.counterflow.flink.windows;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ActionCountsTest {

    private final ActionCounts counts = new ActionCounts();

    @Test
    void anActionThatAnExampleDidNotHaveWasNotExpectedInIt() {
        counts.add(1, 2, List.of(0.5, 0.5));
        counts.add(2, 3, List.of(0.25, 0.25, 0.5));
        counts.add(0, 1, List.of(1.0));
        assertThat(counts.chosen()).hasValue(List.of(1L, 1L, 1L));
        assertThat(counts.expected()).hasValue(List.of(1.75, 0.75, 0.5));
    }

    @Test
    void withoutEveryDistributionThereIsNoExpectation() {
        counts.add(1, 2, List.of(0.5, 0.5));
        counts.add(2, 3, List.of());
        counts.add(1, 2, List.of(0.5, 0.5));
        assertThat(counts.chosen()).hasValue(List.of(0L, 2L, 1L));
        assertThat(counts.expected()).isEmpty();
    }

    @Test
    void tooManyActionsAreNotCounted() {
        counts.add(99, 100, Collections.nCopies(100, 0.01));
        assertThat(counts.chosen()).isPresent();
        counts.add(100, 101, List.of());
        counts.add(0, 2, List.of(0.5, 0.5));
        assertThat(counts.chosen()).isEmpty();
        assertThat(counts.expected()).isEmpty();
        assertThat(counts.bytes()).isZero();
    }

    @Test
    void mergingIsTakingBothWhateverTheirLengths() {
        ActionCounts longer = new ActionCounts();
        longer.add(2, 3, List.of(0.25, 0.25, 0.5));
        counts.add(1, 2, List.of(0.5, 0.5));
        counts.merge(longer);
        assertThat(counts.chosen()).hasValue(List.of(0L, 1L, 1L));
        assertThat(counts.expected()).hasValue(List.of(0.75, 0.75, 0.5));
        longer.merge(counts);
        assertThat(longer.chosen()).hasValue(List.of(0L, 1L, 2L));
    }

    @Test
    void mergingEndsWhatEitherHasEnded() {
        ActionCounts unexpected = new ActionCounts();
        unexpected.add(2, 3, List.of());
        counts.add(1, 2, List.of(0.5, 0.5));
        counts.merge(unexpected);
        assertThat(counts.chosen()).hasValue(List.of(0L, 1L, 1L));
        assertThat(counts.expected()).isEmpty();
        ActionCounts uncounted = new ActionCounts();
        uncounted.add(0, 1_000, List.of());
        counts.merge(uncounted);
        assertThat(counts.chosen()).isEmpty();
        ActionCounts fresh = new ActionCounts();
        fresh.merge(counts);
        assertThat(fresh.chosen()).isEmpty();
    }

    @Test
    void whatWasStoredComesBack() {
        counts.add(1, 2, List.of(0.5, 0.5));
        ActionCounts restored = ActionCounts.restore(counts.chosen(), counts.expected());
        restored.add(0, 2, List.of());
        ActionCounts again = ActionCounts.restore(restored.chosen(), restored.expected());
        again.add(0, 2, List.of(0.5, 0.5));
        assertThat(again.chosen()).hasValue(List.of(2L, 1L));
        assertThat(again.expected()).isEmpty();
    }
}
