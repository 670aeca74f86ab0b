package io.counterflow.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TraceParentTest {

    private static final String VALID = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    @Test
    void aValueOfTheStandardIsRead() {
        assertThat(TraceParent.read(List.of(VALID))).hasValue(new TraceParent(VALID));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\n",
                "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            })
    void aMalformedValueIsIgnored(String value) {
        assertThat(TraceParent.read(List.of(value))).isEmpty();
    }

    @Test
    void severalValuesAreIgnored() {
        assertThat(TraceParent.read(List.of(VALID, VALID))).isEmpty();
        assertThat(TraceParent.read(List.of())).isEmpty();
    }
}
