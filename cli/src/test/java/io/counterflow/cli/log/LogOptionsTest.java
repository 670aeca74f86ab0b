package io.counterflow.cli.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.core.features.EncoderSpec;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class LogOptionsTest {

    @CommandLine.Command
    private static final class WithLog {
        @CommandLine.Mixin private final LogOptions log = new LogOptions();
    }

    private static LogOptions options(String... shape) {
        WithLog command = new WithLog();
        String[] args =
                Stream.concat(Stream.of("--log=log.jsonl"), Stream.of(shape))
                        .toArray(String[]::new);
        new CommandLine(command).parseArgs(args);
        return command.log;
    }

    @Test
    void theShapeOptionsHaveDefaults() {
        assertThat(options().actions).isNull();
        assertThat(options().encoder()).isEqualTo(EncoderSpec.ofBits(EncoderSpec.DEFAULT_BITS));
        LogOptions asked = options("--actions", "7", "--bits=10", "--interactions=user:topic,*:ad");
        assertThat(asked.actions).isEqualTo(7);
        assertThat(asked.encoder().bits()).isEqualTo(10);
        assertThat(asked.encoder().interactions())
                .map(Object::toString)
                .containsExactly("user:topic", "*:ad");
    }

    @Test
    void anInvalidShapeIsRefusedWithItsOption() {
        assertThatThrownBy(() -> options("--bits=31").encoder())
                .isInstanceOf(BadInputException.class)
                .hasMessageStartingWith("--bits: bits must be in ");
        assertThatThrownBy(() -> options("--interactions=user").encoder())
                .isInstanceOf(BadInputException.class)
                .hasMessageStartingWith("--interactions: ");
    }
}
