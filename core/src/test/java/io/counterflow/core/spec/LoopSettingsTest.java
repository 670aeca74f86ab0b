package io.counterflow.core.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LoopSettingsTest {

    @Test
    void namesAreUniqueAndInCamelCase() {
        assertThat(LoopSettings.ALL).extracting(Setting::name).doesNotHaveDuplicates();
        for (Setting<?> setting : LoopSettings.ALL) {
            assertThat(setting.name()).matches("[a-z]+([A-Z][a-z]+)*");
        }
    }

    @Test
    void theTableHasEverySetting() throws IllegalAccessException {
        List<Setting<?>> declared = new ArrayList<>();
        for (Field field : LoopSettings.class.getFields()) {
            if (field.getType() == Setting.class) {
                declared.add((Setting<?>) field.get(null));
            }
        }
        assertThat(LoopSettings.ALL)
                .hasSizeGreaterThan(30)
                .containsExactlyInAnyOrderElementsOf(declared);
    }

    @Test
    void everySettingIsFoundByItsName() {
        for (Setting<?> setting : LoopSettings.ALL) {
            assertThat(LoopSettings.named(setting.name())).contains(setting);
        }
        assertThat(LoopSettings.named("Lambda")).isEmpty();
    }

    @Test
    void everySettingHasADescriptionInWholeSentences() {
        for (Setting<?> setting : LoopSettings.ALL) {
            assertThat(setting.description()).as(setting.name()).matches("[A-Z].*\\.");
        }
    }

    @Test
    void everySettingSaysWhatChangingItMeansAndWhy() {
        for (Setting<?> setting : LoopSettings.ALL) {
            String words = setting.change().words();
            assertThat(words)
                    .as(setting.name())
                    .containsAnyOf("`immediate`", "`nextGeneration`", "`refused`");
            assertThat(setting.change().reason()).as(setting.name()).matches("[^.]+");
        }
    }

    @Test
    void defaultsAreWithinTheirRanges() {
        for (Setting<?> setting : LoopSettings.ALL) {
            assertThatNoException().isThrownBy(() -> checkDefault(setting));
        }
    }

    private static <T> void checkDefault(Setting<T> setting) {
        setting.check(setting.defaultValue());
    }

    @Test
    void defaultsMakeASpecOfVectorsAndOneOfNames() {
        LoopSpec vectors = LoopSpec.builder("loop").vectors(2, "a", "b").build();
        LoopSpec names = LoopSpec.builder("loop").names(4).build();
        for (LoopSpec spec : List.of(vectors, names)) {
            for (Setting<?> setting : LoopSettings.ALL) {
                if (List.of(LoopSettings.FEATURES, LoopSettings.BITS, LoopSettings.ACTIONS)
                        .contains(setting)) {
                    continue;
                }
                Object value = spec.get(setting);
                assertThat(value).as(setting.name()).isEqualTo(setting.defaultValue());
            }
        }
    }
}
