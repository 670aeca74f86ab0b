package io.counterflow.schemas.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the scanner with Jackson's parser on drawn documents, and on damaged ones. */
final class JsonScannerLawTest {

    private static final int DEPTH = 12;
    private static final JsonLimits LIMITS = new JsonLimits(DEPTH, 65_536, 1, 1);
    private static final JsonFactory JACKSON =
            JsonFactory.builder()
                    .streamReadConstraints(
                            StreamReadConstraints.builder().maxNestingDepth(DEPTH).build())
                    .build();
    private static final String REFUSED = "refused";

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void drawnDocumentsHaveTheTokensOfJackson(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 20; i++) {
            byte[] document = new DrawnJson(random).object().getBytes(StandardCharsets.UTF_8);
            List<String> tokens = scanned(document);
            assertThat(tokens).isEqualTo(jackson(document)).doesNotContain(REFUSED);
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void damagedDocumentsAreAcceptedAndRefusedAsByJackson(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 60; i++) {
            byte[] document = new DrawnJson(random).object().getBytes(StandardCharsets.UTF_8);
            byte[] damaged = damaged(document, random);
            List<String> expected = jackson(damaged);
            assertThat(scanned(damaged))
                    .as("%s", new String(damaged, StandardCharsets.UTF_8))
                    .isEqualTo(expected);
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void numbersAreRoundedOnce(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 300; i++) {
            String number = DrawnJson.number(random);
            JsonScanner scanner = scanner(("[" + number + "]").getBytes(StandardCharsets.UTF_8));
            scanner.next();
            scanner.next();
            assertThat(scanner.doubleNumber()).as(number).isEqualTo(rounded(number));
            assertThat(scanner.floatNumber())
                    .as(number)
                    .isEqualTo(number.equals("-0") ? 0.0f : Float.parseFloat(number));
        }
    }

    /** The integer −0 is 0. */
    private static double rounded(String number) {
        return number.equals("-0") ? 0.0 : Double.parseDouble(number);
    }

    @Test
    void aFloatHalfWayBetweenTwoIsRoundedFromItsText() {
        // The double nearest to each text is half-way between two floats; the text is not.
        for (String number : List.of("1.00000005960464477540", "1.0000000596046447754")) {
            JsonScanner scanner = scanner(("[" + number + "]").getBytes(StandardCharsets.UTF_8));
            scanner.next();
            scanner.next();
            assertThat(scanner.floatNumber()).isEqualTo(Float.parseFloat(number));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":\"\\uD800\"}x",
                "{\"a\":1}}",
                "{\"a\":01}",
                "{\"a\":1.}",
                "{\"a\":.5}",
                "{\"a\":+1}",
                "{\"a\":1e}",
                "{\"a\":-}",
                "{\"a\":nul}",
                "{\"a\":\"\t\"}",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\u12G4\"}",
                "{\"a\":\"\\u12",
                "{\"a\" 1}",
                "{a:1}",
                "{,}",
                "{\"a\":1,}",
                "{\"a\":[1,]}",
                "{\"a\":[,1]}",
                "{\"a\":[1 2]}",
                "{\"a\":[1}}",
                "{'a':1}",
                "{\"a\":1/*c*/}",
                "{\"a\":NaN}",
                "{\"a\":[[[[[[[[[[[[1]]]]]]]]]]]]}",
                "",
                " ",
                "{",
                "[1]]"
            })
    void whatIsNotJsonIsRefused(String document) {
        assertThat(scanned(document.getBytes(StandardCharsets.UTF_8))).contains(REFUSED);
    }

    @Test
    void bytesThatAreNotUtf8AreRefused() {
        for (int[] bytes :
                new int[][] {
                    {0xFF}, {0xC0, 0x80}, {0xC3}, {0xED, 0xA0, 0x80}, {0xF5, 0x80, 0x80, 0x80}
                }) {
            byte[] document = "{\"a\":\"........\"}".getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < bytes.length; i++) {
                document[7 + i] = (byte) bytes[i];
            }
            assertThat(scanned(document)).contains(REFUSED);
        }
        assertThat(scanned("{\"a\":\"\uFFFD\"}".getBytes(StandardCharsets.UTF_8)))
                .contains("VALUE_STRING \uFFFD");
    }

    @Test
    void aByteOrderMarkIsSkipped() {
        assertThat(scanned("\uFEFF{\"a\":1}".getBytes(StandardCharsets.UTF_8)))
                .containsExactly(
                        "START_OBJECT", "FIELD_NAME a", "VALUE_NUMBER_INT 1.0", "END_OBJECT");
    }

    @Test
    void limitsHoldForStringsNamesAndNumbers() {
        String tooLong = "x".repeat(65_537);
        assertThat(scanned(("{\"a\":\"" + tooLong + "\"}").getBytes(StandardCharsets.UTF_8)))
                .contains(REFUSED);
        assertThat(scanned(("{\"" + tooLong + "\":1}").getBytes(StandardCharsets.UTF_8)))
                .contains(REFUSED);
        assertThat(scanned(("[" + "1".repeat(1_001) + "]").getBytes(StandardCharsets.UTF_8)))
                .contains(REFUSED);
        assertThat(
                        scanned(
                                ("[\"" + "\u00e9".repeat(65_536) + "\"]")
                                        .getBytes(StandardCharsets.UTF_8)))
                .doesNotContain(REFUSED);
    }

    @Test
    void skippingMovesToTheEndOfAValue() {
        JsonScanner scanner =
                scanner("{\"a\":{\"b\":[1,{}]},\"c\":2}".getBytes(StandardCharsets.UTF_8));
        scanner.next();
        scanner.next();
        scanner.next();
        scanner.skip();
        assertThat(scanner.token()).isEqualTo(JsonToken.END_OBJECT);
        assertThat(scanner.next()).isEqualTo(JsonToken.FIELD_NAME);
        assertThat(scanner.text()).isEqualTo("c");
    }

    private static JsonScanner scanner(byte[] document) {
        return new JsonScanner(document, 0, document.length, LIMITS);
    }

    private static byte[] damaged(byte[] document, Random random) {
        byte[] damaged = document.clone();
        int at = random.nextInt(damaged.length);
        switch (random.nextInt(3)) {
            case 0 -> damaged[at] = (byte) "{}[]:,\"\\0123eE+-. tfnu".charAt(random.nextInt(22));
            case 1 -> damaged = java.util.Arrays.copyOf(damaged, at);
            default -> {
                byte[] shorter = new byte[damaged.length - 1];
                System.arraycopy(damaged, 0, shorter, 0, at);
                System.arraycopy(damaged, at + 1, shorter, at, shorter.length - at);
                damaged = shorter;
            }
        }
        return damaged;
    }

    /**
     * The tokens, or {@link #REFUSED}. Unpaired surrogates are refused when a text is asked for
     * with its field.
     */
    private static List<String> scanned(byte[] document) {
        JsonScanner scanner = scanner(document);
        List<String> tokens = new ArrayList<>();
        try {
            for (JsonToken token = scanner.next(); token != null; token = scanner.next()) {
                tokens.add(
                        switch (token) {
                            case FIELD_NAME, VALUE_STRING ->
                                    token + " " + JsonDocument.requireUnicode("", scanner.text());
                            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT ->
                                    token + " " + scanner.doubleNumber();
                            default -> token.toString();
                        });
            }
            return tokens.isEmpty() ? List.of(REFUSED) : tokens; // no value at all
        } catch (InvalidJsonException e) {
            return List.of(REFUSED);
        }
    }

    private static List<String> jackson(byte[] document) {
        List<String> tokens = new ArrayList<>();
        int roots = 0;
        int depth = 0;
        try (JsonParser parser = JACKSON.createParser(document)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                roots += depth == 0 ? 1 : 0;
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
                tokens.add(
                        switch (token) {
                            case FIELD_NAME, VALUE_STRING ->
                                    token + " " + JsonDocument.requireUnicode("", parser.getText());
                            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT ->
                                    token + " " + rounded(parser.getText());
                            default -> token.toString();
                        });
            }
            return roots == 1 ? tokens : List.of(REFUSED);
        } catch (IOException | InvalidJsonException e) {
            return List.of(REFUSED);
        }
    }
}
