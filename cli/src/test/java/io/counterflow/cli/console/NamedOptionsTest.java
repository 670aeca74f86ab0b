package io.counterflow.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.OfflineCommands;
import io.counterflow.core.objective.ObjectiveName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Options with named values: objectives and starts. */
final class NamedOptionsTest {

    private static String error(Object... args) {
        OfflineCommands commands = new OfflineCommands();
        commands.run(args);
        return commands.err();
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
}
