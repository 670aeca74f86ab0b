package io.counterflow.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.cli.Commands;
import io.counterflow.cli.log.ShapeOptions;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.objective.ObjectiveName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Options with named values: objectives, starts, interactions. */
final class NamedOptionsTest {

    private static String error(String... args) {
        Capture capture = Capture.plain();
        CommandLines.of(capture.terminal(), Commands.of(capture.terminal())).execute(args);
        return capture.err();
    }

    @ParameterizedTest
    @EnumSource(ObjectiveName.class)
    void everyObjectiveIsAcceptedByItsName(ObjectiveName name) {
        assertThat(error("train", "--objective", name.toString()))
                .contains("missing required options")
                .doesNotContain("--objective'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ips lpr", "ips"})
    void anUnknownObjectiveIsRefusedWithTheListOfObjectives(String text) {
        assertThat(error("train", "--objective", text))
                .contains("'--objective': must be one of ips-lpr, wnll-lpr, ")
                .contains(", got \"" + text + '"');
    }

    @Test
    void onlyTheBayesianObjectivesHaveAPosterior() {
        for (ObjectiveName name : ObjectiveName.values()) {
            assertThat(name.isBayesian()).isEqualTo(name.toString().startsWith("bcrm"));
        }
    }

    @Test
    void trainingStartsAtThePriorOrAtZeros() {
        assertThat(error("train", "--init", "prior")).doesNotContain("--init'");
        assertThat(error("train", "--init", "zeros")).doesNotContain("--init'");
        assertThat(error("train", "--init", "ones"))
                .contains("'--init': must be one of prior, zeros, got \"ones\"");
    }

    @CommandLine.Command
    private static final class WithShape {
        @CommandLine.Mixin private final ShapeOptions shape = new ShapeOptions();
    }

    private static ShapeOptions shape(String... args) {
        WithShape command = new WithShape();
        new CommandLine(command).parseArgs(args);
        return command.shape;
    }

    @Test
    void theShapeOptionsHaveDefaults() {
        assertThat(shape().actions()).isNull();
        assertThat(shape().encoder()).isEqualTo(EncoderSpec.ofBits(EncoderSpec.DEFAULT_BITS));
        ShapeOptions asked = shape("--actions", "7", "--bits=10", "--interactions=user:topic,*:ad");
        assertThat(asked.actions()).isEqualTo(7);
        assertThat(asked.encoder().bits()).isEqualTo(10);
        assertThat(asked.encoder().interactions())
                .map(Object::toString)
                .containsExactly("user:topic", "*:ad");
    }

    @Test
    void anInvalidShapeIsRefusedWithItsOption() {
        assertThatThrownBy(() -> shape("--bits=31").encoder())
                .isInstanceOf(BadInputException.class)
                .hasMessageStartingWith("--bits: bits must be in ");
        assertThatThrownBy(() -> shape("--interactions=user").encoder())
                .isInstanceOf(BadInputException.class)
                .hasMessageStartingWith("--interactions: ");
    }
}
