package io.counterflow.cli.experiment;

import io.counterflow.cli.Output;
import io.counterflow.cli.Progress;
import java.io.IOException;
import java.nio.file.Path;

/** What both sweep commands do once they know what is varied. */
final class SweepRun {

    private SweepRun() {}

    static void run(Setup setup, Sweep.Plan plan, ExperimentOptions options, Output output)
            throws IOException {
        Path out = options.out();
        try (ResultFile results = ResultFile.open(out.resolve(plan.axis() + ".csv"))) {
            Sweep sweep = new Sweep(setup, plan, results);
            SweepCurves curves;
            try (Progress progress =
                            output.progress(
                                    plan.axis().toString(), "examples", sweep.examplesLeft());
                    UnitPool pool = new UnitPool(options.threads(), results, progress)) {
                curves = sweep.run(pool);
            }
            results.sort();
            output.print(curves);
            curves.write(out);
        }
    }
}
