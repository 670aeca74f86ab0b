package io.counterflow.experiments.runtime;

import io.counterflow.cli.console.Figures;
import io.counterflow.experiments.report.ExperimentReport;
import io.counterflow.experiments.report.ResultTable;
import io.counterflow.experiments.trial.Setup;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Creates the report of running times of epochs.
 *
 * @param setup setup of the experiment
 * @param lpr epochs of IPS-LPR
 * @param poem epochs of POEM
 * @param yardstick speed of another program at the epoch of IPS-LPR, if one was given
 */
record RuntimeReport(Setup setup, EpochTimes lpr, EpochTimes poem, Optional<Yardstick> yardstick) {

    private static final double PAPER_POEM_RATIO = 1.25;

    ExperimentReport report() {
        ResultTable<EpochTimes> table =
                new ResultTable<>(List.of(lpr, poem))
                        .values(
                                "method",
                                "method",
                                it -> it.method().toString(),
                                it -> it.method().title())
                        .numbers(
                                "secondsPerEpoch",
                                "seconds per epoch",
                                EpochTimes::median,
                                Figures::of)
                        .numbers("fastest", "fastest", EpochTimes::best, Figures::of)
                        .numbers(
                                "examplesPerSecond",
                                "examples per second",
                                it -> setup.logged() / it.median(),
                                Figures::of)
                        .numbers("ratio", "times IPS-LPR", this::ratio, Figures::of)
                        .numbers(
                                "paperRatio",
                                "paper",
                                it -> it == lpr ? 1.0 : PAPER_POEM_RATIO,
                                Figures::setting);
        String logged = Figures.count(setup.logged());
        ExperimentReport report =
                setup.report(
                                "runtime",
                                "CPU time of one thread on %s, %s logged examples."
                                        .formatted(setup.data().kind(), logged),
                                table)
                        .fact("n", setup.logged())
                        .fact("poemRatio", ratio(poem))
                        .measurements(epochs());
        yardstick.ifPresent(it -> addYardstick(report, it.examplesPerSecond()));
        return report;
    }

    private double ratio(EpochTimes times) {
        return times.median() / lpr.median();
    }

    /** Compares the fastest epoch, because the yardstick measures the same. */
    private void addYardstick(ExperimentReport report, double yardstickSpeed) {
        double speed = setup.logged() / lpr.best();
        report.fact("ipsLprExamplesPerSecond", speed)
                .fact("yardstickExamplesPerSecond", yardstickSpeed)
                .fact("yardstickRatio", speed / yardstickSpeed)
                .note(
                        "IPS-LPR processes at most %s examples per second, %s of the yardstick's"
                                .formatted(
                                        Figures.count(Math.round(speed)),
                                        Figures.of(speed / yardstickSpeed)));
    }

    private ResultTable<EpochTimes.Epoch> epochs() {
        return new ResultTable<>(Stream.of(lpr, poem).flatMap(it -> it.epochs().stream()).toList())
                .values("method", EpochTimes.Epoch::method)
                .values("epoch", EpochTimes.Epoch::number)
                .values("seconds", EpochTimes.Epoch::seconds);
    }
}
