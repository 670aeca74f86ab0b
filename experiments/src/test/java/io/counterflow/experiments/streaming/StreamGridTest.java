package io.counterflow.experiments.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.console.Figures;
import io.counterflow.core.spec.LoopSettings;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

final class StreamGridTest {

    static Stream<Arguments> defaults() {
        return Stream.of(
                Arguments.of(
                        "--objective", "which is " + LoopSettings.OBJECTIVE_NAME.defaultValue()),
                Arguments.of("--lambda", said(LoopSettings.LAMBDA.defaultValue())),
                Arguments.of("--batch-size", said(LoopSettings.BATCH_SIZE.defaultValue())),
                Arguments.of("--learning-rate", said(LoopSettings.LEARNING_RATE.defaultValue())),
                Arguments.of("--buffer-steps", said(StreamSettings.BUFFER_STEPS)),
                Arguments.of("--floor", said(LoopSettings.EXPLORATION_FLOOR.defaultValue())));
    }

    private static String said(double value) {
        return "Default: " + Figures.setting(value);
    }

    @ParameterizedTest
    @MethodSource("defaults")
    void theHelpStatesTheDefaultsOfLoopSpecs(String option, String said) {
        String[] words =
                new CommandLine(new StreamGrid()).getCommandSpec().findOption(option).description();
        assertThat(String.join(" ", words)).containsPattern(Pattern.quote(said) + "[.;]");
    }
}
