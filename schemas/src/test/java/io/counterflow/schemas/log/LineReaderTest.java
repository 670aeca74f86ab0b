package io.counterflow.schemas.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines are the same for any sizes of the parts that are read. */
final class LineReaderTest {

    private static final int MOST = 8;

    private static List<String> lines(String text, int bytesAtATime) throws IOException {
        List<String> lines = new ArrayList<>();
        try (LineReader reader = new LineReader(slowly(text, bytesAtATime), MOST)) {
            while (reader.advance()) {
                String line =
                        new String(reader.bytes(), 0, reader.length(), StandardCharsets.UTF_8);
                lines.add(reader.isTooLong() ? "too long" : reader.isBlank() ? "blank" : line);
            }
        }
        return lines;
    }

    private static InputStream slowly(String text, int bytesAtATime) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)) {
            @Override
            public int read(byte[] bytes, int offset, int length) {
                return super.read(bytes, offset, Math.min(bytesAtATime, length));
            }
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 8, 1_000})
    void aLineEndsAtItsLineFeedOrAtTheEnd(int bytesAtATime) throws IOException {
        assertThat(lines("one\ntwo\n\n \t\r\nlast", bytesAtATime))
                .containsExactly("one", "two", "blank", "blank", "last");
        assertThat(lines("one\n", bytesAtATime)).containsExactly("one");
        assertThat(lines("", bytesAtATime)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 8, 1_000})
    void aLineThatIsTooLongIsSkippedAndTheNextIsRead(int bytesAtATime) throws IOException {
        assertThat(lines("12345678\n123456789\n" + "x".repeat(100) + "\nnext", bytesAtATime))
                .containsExactly("12345678", "too long", "too long", "next");
    }
}
