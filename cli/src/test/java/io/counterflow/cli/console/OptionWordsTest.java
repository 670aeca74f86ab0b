package io.counterflow.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.cli.log.ShapeOptions;
import io.counterflow.cli.offline.ObjectiveConverter;
import io.counterflow.cli.offline.StartConverter;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.learn.TrainerConfig;
import io.counterflow.core.objective.ObjectiveName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/** Options whose values are words: objectives, starts, interactions. */
final class OptionWordsTest {

    @ParameterizedTest
    @EnumSource(ObjectiveName.class)
    void everyObjectiveIsFoundByTheNameItPrints(ObjectiveName name) {
        assertThat(new ObjectiveConverter().convert(name.toString())).isEqualTo(name);
        assertThat(new ObjectiveConverter.Candidates()).contains(name.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "IPS_LPR", "ips lpr", "ips"})
    void anotherObjectiveIsRefusedWithTheListOfThem(String text) {
        assertThatThrownBy(() -> new ObjectiveConverter().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("must be one of ips-lpr, wnll-lpr, ")
                .hasMessageEndingWith("got \"" + text + '"');
    }

    @Test
    void onlyTheBayesianObjectivesHaveAPosterior() {
        for (ObjectiveName name : ObjectiveName.values()) {
            assertThat(name.isBayesian()).isEqualTo(name.toString().startsWith("bcrm"));
        }
    }

    @Test
    void trainingStartsAtThePriorOrAtZeros() {
        assertThat(new StartConverter().convert("prior")).isEqualTo(TrainerConfig.Start.PRIOR);
        assertThat(new StartConverter().convert("zeros")).isEqualTo(TrainerConfig.Start.ZEROS);
        assertThatThrownBy(() -> new StartConverter().convert("PRIOR"))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage("must be prior or zeros, got \"PRIOR\"");
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
    void theShapeIsTheDefaultUnlessAsked() {
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
    void aShapeThatCannotBeIsRefusedUnderItsOption() {
        assertThatThrownBy(() -> shape("--bits=31").encoder())
                .isInstanceOf(BadInputException.class)
                .hasMessageStartingWith("--bits: bits must be in ");
        assertThatThrownBy(() -> shape("--interactions=user").encoder())
                .isInstanceOf(BadInputException.class)
                .hasMessageStartingWith("--interactions: ");
    }
}
