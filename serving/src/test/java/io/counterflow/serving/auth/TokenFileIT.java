package io.counterflow.serving.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TokenFileIT {

    /** SHA-256 of "abc", from FIPS 180-2. */
    private static final String ABC =
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    @TempDir private Path directory;
    private Path file;

    @BeforeEach
    void write() throws IOException {
        file =
                Files.writeString(
                        directory.resolve("tokens"), "# ours\n\napp rank,read sha256:" + ABC);
    }

    @Test
    void aTokenIsFoundByItsHash() throws IOException {
        Caller caller = TokenFile.read(file).callerOf("abc").orElseThrow();
        assertThat(caller.name()).isEqualTo("app");
        assertThat(caller.scopes()).containsExactlyInAnyOrder(Scope.RANK, Scope.READ);
        assertThat(TokenFile.read(file).callerOf(ABC)).as("a hash is no token").isEmpty();
        assertThat(TokenFile.read(file).callerOf("")).isEmpty();
    }

    @Test
    void aTokenMayBeLimitedToLoops() throws IOException {
        Files.writeString(file, "app rank sha256:%s loops:home,front-page".formatted(ABC));
        Caller caller = TokenFile.read(file).callerOf("abc").orElseThrow();
        assertThat(caller.loops()).hasValue(Set.of("home", "front-page"));
        assertThat(caller.mayUse("home")).isTrue();
        assertThat(caller.mayUse("other")).isFalse();
        for (String wrong : List.of("loops:", "loops:home,", "home", "loops:%")) {
            Files.writeString(file, "app rank sha256:%s %s".formatted(ABC, wrong));
            assertThatThrownBy(() -> TokenFile.read(file))
                    .as(wrong)
                    .hasMessageStartingWith("line 1: ");
        }
    }

    @Test
    void aFileThatCannotBeUsedLeavesTheTokensAsTheyWere() throws IOException {
        TokenFile tokens = TokenFile.read(file);
        assertThat(tokens.refresh()).isFalse();
        Files.writeString(file, "app rank");
        assertThatThrownBy(tokens::refresh)
                .hasMessage(
                        "line 1: a token must have a name, scopes, a hash and optionally"
                                + " loops, got 2 words");
        assertThat(tokens.callerOf("abc")).isPresent();
        Files.writeString(file, "other rank sha256:" + TokenFile.hash("xyz"));
        assertThat(tokens.refresh()).isTrue();
        assertThat(tokens.callerOf("abc")).isEmpty();
        assertThat(tokens.callerOf("xyz")).isPresent();
    }

    @Test
    void anEmptiedOrDeletedFileRevokesAllTokens() throws IOException {
        TokenFile tokens = TokenFile.read(file);
        String text = Files.readString(file);
        Files.writeString(file, "# nobody\n");
        assertThat(tokens.refresh()).isTrue();
        assertThat(tokens.callerOf("abc")).isEmpty();
        Files.writeString(file, text);
        assertThat(tokens.refresh()).isTrue();
        assertThat(tokens.callerOf("abc")).isPresent();
        Files.delete(file);
        assertThat(tokens.refresh()).isTrue();
        assertThat(tokens.callerOf("abc")).isEmpty();
        assertThat(tokens.refresh()).isFalse();
    }

    @Test
    void aFileWithoutTokensIsRefusedAtTheStart() throws IOException {
        Files.writeString(file, "# nobody\n");
        assertThatThrownBy(() -> TokenFile.read(file))
                .hasMessage("the file must have at least one token, got none");
    }

    @Test
    void aTokenInTheFileIsRefusedWithoutBeingShown() throws IOException {
        for (String line :
                List.of(
                        "secret-token",
                        "secret-token rank sha256:%s more secret-token",
                        "secret-token/ rank sha256:%s",
                        "app secret-token sha256:%s",
                        "app rank,secret-token sha256:%s",
                        "app rank secret-token",
                        "app rank sha256:secret-token",
                        "app rank sha256:%s secret-token",
                        "app rank sha256:%s loops:a,secret-token/")) {
            Files.writeString(file, line.formatted(ABC));
            assertThatThrownBy(() -> TokenFile.read(file))
                    .as(line)
                    .hasMessageStartingWith("line 1: ")
                    .hasMessageNotContaining("secret-token");
        }
        Files.writeString(file, "app sudo sha256:" + ABC);
        assertThatThrownBy(() -> TokenFile.read(file))
                .hasMessage(
                        "line 1: scopes must be some of rank, reward, read, events and admin,"
                                + " separated by commas");
    }
}
