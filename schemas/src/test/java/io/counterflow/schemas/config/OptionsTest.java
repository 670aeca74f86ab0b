package io.counterflow.schemas.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class OptionsTest {

    @Test
    void everyKeyIsDeclaredOnceAndHasItsOwnVariable() {
        assertThat(Options.all()).extracting(Option::key).doesNotHaveDuplicates();
        assertThat(Options.all()).extracting(Option::variable).doesNotHaveDuplicates();
    }

    @Test
    void everyDefaultIsAValidValue() {
        for (Component component : Component.values()) {
            ConfigValues values = ConfigValues.parse(component, "", Map.of());
            assertThat(component.options())
                    .isNotEmpty()
                    .allSatisfy(option -> assertThat(values.get(option)).isNotNull());
        }
    }

    @Test
    void everyDescriptionIsASentence() {
        assertThat(Options.all())
                .extracting(Option::description)
                .allSatisfy(text -> assertThat(text).matches("[A-Z`].*\\."));
    }
}
