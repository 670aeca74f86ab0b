package io.counterflow.core.features;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class EncoderSpecTest {

    @ParameterizedTest
    @ValueSource(strings = {"user:topic", "*:topic", "user:*", "*:*", ":topic", "user:", ":"})
    void anInteractionReadsWhatItWrites(String text) {
        assertThat(Interaction.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "user", "a:b:c", "user*topic"})
    void refusesAnInvalidInteraction(String text) {
        assertThatThrownBy(() -> Interaction.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("interaction must be written context:action, got \"" + text + "\"");
    }

    @Test
    void aStarCoversAnyNamespace() {
        assertThat(Interaction.parse("*:topic").covers("user", "topic")).isTrue();
        assertThat(Interaction.parse("*:topic").covers("", "topic")).isTrue();
        assertThat(Interaction.parse("*:topic").covers("user", "")).isFalse();
        assertThat(Interaction.parse(" user:topic").covers("user", "topic")).isFalse();
    }

    @Test
    void byDefaultEverythingInteractsAndIdsCount() {
        EncoderSpec spec = EncoderSpec.ofBits(20);
        assertThat(spec.bits()).isEqualTo(20);
        assertThat(spec.actionIds()).isTrue();
        assertThat(spec.maxFeaturesPerAction()).isEqualTo(16384);
        assertThat(spec.interact("user", "")).isTrue();
        assertThat(new EncoderSpec(20, List.of(), true).interact("user", "")).isFalse();
    }

    @Test
    void refusesSizesThatDoNotFit() {
        assertThatThrownBy(() -> EncoderSpec.ofBits(31))
                .hasMessage("bits must be in [1, 30], got 31");
        assertThatThrownBy(() -> new EncoderSpec(18, List.of(), true, 0))
                .hasMessage("maxFeaturesPerAction must be in [1, 1048576], got 0");
    }

    @Test
    void aColonInANamespaceIsRefusedBecauseItCouldNotBeReadAgain() {
        assertThatThrownBy(() -> new Interaction("a:b", "c"))
                .hasMessage(
                        "namespaces of an interaction must not hold a colon, got \"a:b\" and \"c\"");
    }
}
