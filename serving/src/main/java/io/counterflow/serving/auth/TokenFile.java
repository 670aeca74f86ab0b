package io.counterflow.serving.auth;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.spec.LoopName;
import io.counterflow.core.text.PlainName;
import io.counterflow.schemas.text.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A file with the hashes of tokens. Each line has a name, scopes, {@code sha256:} with 64
 * hexadecimal digits, and optionally {@code loops:} with the only loops that the token is for,
 * separated by commas. Empty lines and lines that start with {@code #} are skipped.
 *
 * <p>A plain hash is enough, because tokens are long and random and cannot be guessed. The lookup
 * is by hash, so that its time reveals nothing about a token.
 */
public final class TokenFile implements Tokens {

    private static final String HASH = "sha256:";
    private static final String LOOPS = "loops:";
    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");

    private final Path file;
    private volatile Content content;

    private record Content(String text, Map<String, Caller> byHash) {}

    private TokenFile(Path file, Content content) {
        this.file = file;
        this.content = content;
    }

    /** Reads a file; an {@link IllegalArgumentException} names the wrong line. */
    public static TokenFile read(Path file) throws IOException {
        Content content = parse(Files.readString(file));
        Require.that(
                !content.byHash().isEmpty(), "the file must have at least one token, got none");
        return new TokenFile(file, content);
    }

    /**
     * Reads the file again if it has changed. An empty or deleted file revokes all tokens. The
     * tokens stay the same if the file is invalid.
     *
     * @return whether the tokens have changed
     */
    public boolean refresh() throws IOException {
        String text = textOrEmpty();
        if (text.equals(content.text())) {
            return false;
        }
        content = parse(text);
        return true;
    }

    private String textOrEmpty() throws IOException {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) { // deleted
            return "";
        }
    }

    /** The number of tokens. */
    public int size() {
        return content.byHash().size();
    }

    @Override
    public Optional<Caller> callerOf(String token) {
        return Optional.ofNullable(content.byHash().get(hash(token)));
    }

    /** The hash of a token, as the file has it. */
    public static String hash(String token) {
        return Sha256.hex(token.getBytes(StandardCharsets.UTF_8));
    }

    private static Content parse(String text) {
        Map<String, Caller> byHash = new HashMap<>();
        List<String> lines = text.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                try {
                    put(line.split("\\s+", -1), byHash);
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException(
                            "line %d: %s".formatted(i + 1, e.getMessage()), e);
                }
            }
        }
        return new Content(text, byHash);
    }

    private static void put(String[] words, Map<String, Caller> byHash) {
        if (words.length < 3 || words.length > 4) {
            throw new IllegalArgumentException(
                    "a token must have a name, scopes, a hash and optionally loops, got %d words"
                            .formatted(words.length));
        }
        Require.that(NAME.matcher(words[0]).matches(), "a token's name must match %s", NAME);
        String digest = words[2].startsWith(HASH) ? words[2].substring(HASH.length()) : "";
        // Not quoted, because it may be a token.
        Require.that(
                DIGEST.matcher(digest).matches(),
                "a token's hash must be sha256: and 64 hexadecimal digits in lower case");
        Caller caller =
                new Caller(
                        words[0],
                        scopes(words[1]),
                        words.length == 3 ? Optional.empty() : Optional.of(loops(words[3])));
        if (byHash.put(digest, caller) != null) {
            throw new IllegalArgumentException("a token's hash must be given once");
        }
    }

    private static Set<Scope> scopes(String text) {
        Set<Scope> scopes = EnumSet.noneOf(Scope.class);
        for (String name : text.split(",", -1)) {
            try {
                scopes.add(Scope.valueOf(name.toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException e) {
                // Not quoted, because it may be a token.
                throw new IllegalArgumentException(
                        "scopes must be some of rank, reward, read, events and admin, separated by"
                                + " commas",
                        e);
            }
        }
        return scopes;
    }

    private static Set<String> loops(String word) {
        Require.that(word.startsWith(LOOPS), "a token's loops must start with %s", LOOPS);
        Set<String> loops = new HashSet<>();
        for (String name : word.substring(LOOPS.length()).split(",", -1)) {
            Require.that(
                    PlainName.isValid(name, LoopName.MAX_LENGTH),
                    "a token's loops must be names of loops, separated by commas");
            loops.add(name);
        }
        return loops;
    }
}
