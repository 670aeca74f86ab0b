package io.counterflow.schemas.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SpellingTest {

    private static final List<String> COMMANDS =
            List.of("train", "evaluate", "bound", "inspect", "import", "export");

    @ParameterizedTest
    @CsvSource({
        "trian, train",
        "tran, train",
        "evalute, evaluate",
        "bounds, bound",
        "inpsect, inspect",
        "impotr, import"
    })
    void aMistypedWordFindsTheIntendedOne(String typed, String meant) {
        assertThat(Spelling.nearest(typed, COMMANDS)).contains(meant);
    }

    @Test
    void anUnrelatedWordFindsNothing() {
        assertThat(Spelling.nearest("deploy", COMMANDS)).isEmpty();
        assertThat(Spelling.nearest("", COMMANDS)).isEmpty();
        assertThat(Spelling.nearest("train", List.of())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"train, train, 0", "trian, train, 1", "rain, train, 1", "'', bound, 5"})
    void mistakesAreCountedInBothDirections(String one, String other, int mistakes) {
        assertThat(Spelling.mistakes(one, other)).isEqualTo(mistakes);
        assertThat(Spelling.mistakes(other, one)).isEqualTo(mistakes);
    }
}
