package io.counterflow.experiments.table1;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.data.IdxFiles;
import io.counterflow.experiments.ExperimentCommands;
import io.counterflow.experiments.run.ResultFile;
import io.counterflow.experiments.trial.Method;
import io.counterflow.experiments.trial.Setup;
import io.counterflow.experiments.trial.Setups;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class Table1IT {

    @Test
    void progressCountsOnlyTheMissingResultsOfATable(@TempDir Path data, @TempDir Path out)
            throws IOException {
        IdxFiles.images(data, 300, 50);
        String options =
                "--supervised 100 --logging-epochs 10 --trials 1 --folds 2 --lambdas 1e-4,1e-2"
                        + " --variance-lambdas 0.1,1 --tuning-epochs 2 --epochs 3"
                        + " --methods poem,poem-l2";
        List<Object> args = new ArrayList<>(List.of("experiment", "table1"));
        Collections.addAll(args, "--data", data, "--out", out);
        Collections.addAll(args, (Object[]) options.split(" ", -1));
        ExperimentCommands.json(args.toArray());
        Setup setup = Setups.of(data, 100, 10);
        long fold = 2 * 200 / 2;
        long judged = 3 * 200;
        try (ResultFile results = ResultFile.open(out.resolve("table1.csv"))) {
            assertThat(left(setup, results, List.of(Method.POEM, Method.POEM_L2), 3)).isZero();
            assertThat(left(setup, results, List.of(Method.POEM_L2, Method.IPS_L2), 3))
                    .as("of IPS-L2 all, of POEM-L2 nothing")
                    .isEqualTo(2 * 2 * fold + judged);
            assertThat(left(setup, results, List.of(Method.POEM, Method.POEM_L2), 4))
                    .as("more epochs for the policies that are judged")
                    .isEqualTo(2 * 4 * 200);
            assertThat(left(setup, results, List.of(Method.LOGGING_POLICY), 3)).isZero();
        }
    }

    private static long left(Setup setup, ResultFile results, List<Method> methods, int epochs) {
        Table1Plan plan =
                new Table1Plan(methods, List.of(1e-4, 1e-2), List.of(0.1, 1.0), 2, 2, epochs);
        return new Table1(setup, plan, results).examplesLeft();
    }
}
