package io.counterflow.cli.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.Figures;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.wire.LoopSpecConversion;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

final class StreamGridTest {

    static Stream<Arguments> defaults() {
        LoopSpecRecord silent = LoopSpecConversion.defaults();
        return Stream.of(
                Arguments.of("--objective", "which is " + silent.getObjective()),
                Arguments.of("--lambda", said(silent.getLambda())),
                Arguments.of("--batch-size", said(silent.getBatchSize())),
                Arguments.of("--learning-rate", said(silent.getLearningRate())),
                Arguments.of("--replay", said(silent.getReplay())),
                Arguments.of("--floor", said(silent.getExplorationFloor())));
    }

    private static String said(double value) {
        return "Default: " + Figures.setting(value);
    }

    @ParameterizedTest
    @MethodSource("defaults")
    void itsHelpNamesTheDefaultsOfALoopsSpec(String option, String said) {
        String[] words =
                new CommandLine(new StreamGrid()).getCommandSpec().findOption(option).description();
        assertThat(String.join(" ", words)).containsPattern(Pattern.quote(said) + "[.;]");
    }
}
