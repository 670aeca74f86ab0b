package io.counterflow.experiments.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.cli.console.BadInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ResultFileIT {

    @TempDir private Path dir;

    private Path file() {
        return dir.resolve("results.csv");
    }

    private static UnitKey key(int trial, double lambda) {
        return new UnitKey("table1", "d", "s", trial, "ips-lpr", "", lambda, 2, 100, -7);
    }

    private static Measured measured(double holdout) {
        return Measured.onHoldout(holdout);
    }

    @Test
    void appendedResultsAreFoundAfterReopening() throws IOException {
        UnitKey whole =
                new UnitKey(
                        "table1",
                        "d",
                        "s",
                        1,
                        "poem-l2",
                        "variance-lambda=10.0",
                        1e-8,
                        UnitKey.WHOLE_LOG,
                        100,
                        -7);
        try (ResultFile results = ResultFile.open(file())) {
            results.append(List.of(key(1, 1e-8)), List.of(measured(0.1 + 0.2)));
            results.append(List.of(whole), List.of(new Measured(Double.NaN, 0.5, 0.75)));
        }
        try (ResultFile results = ResultFile.open(file())) {
            assertThat(results.find(key(1, 1e-8))).contains(measured(0.1 + 0.2));
            assertThat(results.find(whole)).contains(new Measured(Double.NaN, 0.5, 0.75));
            assertThat(results.find(key(1, 1e-7))).isEmpty();
        }
    }

    @Test
    void anIncompleteLineIsDroppedAndTheNextLineIsComplete() throws IOException {
        try (ResultFile results = ResultFile.open(file())) {
            results.append(List.of(key(0, 1.0)), List.of(measured(0.5)));
        }
        Files.writeString(file(), Files.readString(file()) + "table1,d,s,0,ips");
        try (ResultFile results = ResultFile.open(file())) {
            results.append(List.of(key(1, 1.0)), List.of(measured(0.25)));
        }
        assertThat(Files.readAllLines(file()))
                .containsExactly(
                        CsvRow.HEADER,
                        "table1,d,s,0,ips-lpr,,1.0,2,100,-7,0.5,,",
                        "table1,d,s,1,ips-lpr,,1.0,2,100,-7,0.25,,");
    }

    @Test
    void sortedLinesDoNotDependOnTheOrderOfAppends() throws IOException {
        try (ResultFile results = ResultFile.open(file())) {
            results.append(List.of(key(1, 1.0)), List.of(measured(0.3)));
            results.append(List.of(key(0, 10.0)), List.of(measured(0.2)));
            results.append(List.of(key(0, 2.0)), List.of(measured(0.1)));
            results.sort();
        }
        assertThat(Files.readAllLines(file()))
                .extracting(line -> line.replaceAll(".*,-7,", ""))
                .containsExactly(CsvRow.HEADER, "0.1,,", "0.2,,", "0.3,,");
        assertThat(dir).isDirectoryNotContaining(it -> it.toString().endsWith(".tmp"));
    }

    @Test
    void twoRunsCannotWriteToOneFile() throws IOException {
        try (ResultFile results = ResultFile.open(file())) {
            assertThat(results.find(key(0, 1.0))).isEmpty();
            assertThatThrownBy(() -> ResultFile.open(file()))
                    .isInstanceOf(BadInputException.class)
                    .hasMessageContaining("another run writes to");
        }
    }

    @Test
    void anotherProcessCannotWriteToTheFileUntilItIsClosed() throws Exception {
        String refused = ResultFileProcess.REFUSED + "another run writes to " + file();
        try (ResultFile results = ResultFile.open(file())) {
            results.append(List.of(key(0, 1.0)), List.of(measured(0.5)));
            assertThat(ResultFileProcess.run(":", file(), 1)).isEqualTo(refused);
            // A second attempt in this process must not release its lock.
            assertThatThrownBy(() -> ResultFile.open(file())).isInstanceOf(BadInputException.class);
            results.sort();
            assertThat(ResultFileProcess.run(":", file(), 1)).isEqualTo(refused);
        }
        assertThat(ResultFileProcess.run(":", file(), 1)).isEqualTo("1");
        try (ResultFile results = ResultFile.open(file())) {
            assertThat(results.find(ResultFileProcess.key(0))).isPresent();
            assertThat(results.find(key(0, 1.0))).isPresent();
        }
    }

    @Test
    void aFailedWriteLeavesNoIncompleteLine() throws Exception {
        String said = ResultFileProcess.run("ulimit -f 1", file(), 1_000); // 1 KiB
        assertThat(said).matches("\\d+ before IOException");
        int added = Integer.parseInt(said.substring(0, said.indexOf(' ')));
        assertThat(file()).content().endsWith("\n").hasLineCount(1 + added);
    }

    @Test
    void missingAndNonFiniteHoldoutValuesAreRefused() throws IOException {
        try (ResultFile results = ResultFile.open(file())) {
            results.append(List.of(key(3, 1.0)), List.of(measured(Double.NaN)));
            assertThatThrownBy(() -> results.requireHoldout(key(3, 1.0)))
                    .isInstanceOf(BadInputException.class)
                    .hasMessageContainingAll("holdout must be finite, got NaN", "trial=3");
            assertThatThrownBy(() -> results.require(key(4, 1.0)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("no result of", "trial=4");
        }
    }

    @Test
    void anIncompleteHeaderIsWrittenAgain() throws IOException {
        Files.writeString(file(), CsvRow.HEADER.substring(0, 20));
        ResultFile.open(file()).close();
        assertThat(file()).hasContent(CsvRow.HEADER + "\n");
    }

    @Test
    void anotherFileWithoutALineEndIsNotChanged() throws IOException {
        Files.writeString(file(), "my only notes");
        assertThatThrownBy(() -> ResultFile.open(file()))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("must begin with the line experiment,dataset");
        assertThat(file()).hasContent("my only notes");
    }

    @Test
    void anotherFileIsRefusedAndNotChanged() throws IOException {
        Files.writeString(file(), "a,b\n1,2\n");
        assertThatThrownBy(() -> ResultFile.open(file()))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("must begin with the line experiment,dataset");
        assertThat(file()).hasContent("a,b\n1,2\n");
        Files.writeString(file(), CsvRow.HEADER + "\ntable1,d,s,0\n");
        assertThatThrownBy(() -> ResultFile.open(file()))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("line 2: a result must have 13 columns, got 4");
    }
}
