package io.counterflow.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class FieldReportTest {

    private final FieldReport report =
            new FieldReport()
                    .line("%s on %d examples", "v2", 3)
                    .line("second line")
                    .section("weights")
                    .field("maxWeight", "largest", 2.5)
                    .row("only text", 7)
                    .field("skipped", 1L)
                    .line("done");

    @Test
    void theTextHasLinesAndTablesInOrder() {
        assertThat(report.toText().lines())
                .containsExactly(
                        "v2 on 3 examples",
                        "second line",
                        "",
                        "weights",
                        "largest    2.500",
                        "only text      7",
                        "",
                        "done");
    }

    @Test
    void theJsonFormHasAllFields() {
        assertThat(JsonOutputTest.toJson(report.toJson()))
                .isEqualTo("{\"maxWeight\":2.5,\"skipped\":1}");
    }

    @Test
    void anEmptyOptionalIsNull() {
        FieldReport optional =
                new FieldReport()
                        .section("values")
                        .field("a", "a", OptionalDouble.empty())
                        .field("b", "b", OptionalLong.of(2))
                        .field("c", Optional.of("text"));
        assertThat(JsonOutputTest.toJson(optional.toJson()))
                .isEqualTo("{\"a\":null,\"b\":2,\"c\":\"text\"}");
        assertThat(optional.toText().lines()).containsExactly("values", "a       -", "b       2");
    }
}
