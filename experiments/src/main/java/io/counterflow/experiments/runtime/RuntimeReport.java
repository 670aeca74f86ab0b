package io.counterflow.experiments.runtime;

import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Report;
import io.counterflow.cli.console.Table;
import io.counterflow.experiments.report.MarkdownTable;
import io.counterflow.experiments.trial.Method;
import io.counterflow.experiments.trial.Setup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Running times of epochs.
 *
 * @param setup setup of the experiment
 * @param lpr epochs of IPS-LPR
 * @param poem epochs of POEM
 * @param yardstick speed of another program at the epoch of IPS-LPR, if one was given
 */
record RuntimeReport(Setup setup, EpochTimes lpr, EpochTimes poem, Optional<Yardstick> yardstick)
        implements Report {

    private double poemRatio() {
        return poem.median() / lpr.median();
    }

    /** Speed of the fastest epoch, because the yardstick measures the same. */
    private double examplesPerSecond() {
        return setup.logged() / lpr.best();
    }

    @Override
    public String toText() {
        Table table =
                Table.withColumns("method", "seconds per epoch", "fastest", "examples per second")
                        .row("IPS-LPR", lpr.median(), lpr.best(), setup.logged() / lpr.median())
                        .row("POEM", poem.median(), poem.best(), setup.logged() / poem.median());
        StringBuilder text = new StringBuilder();
        text.append(
                        "CPU time of one thread, %s logged examples%n%n"
                                .formatted(Figures.count(setup.logged())))
                .append(table)
                .append(
                        "%nPOEM takes %s times as long as IPS-LPR (the paper: 1.25 times)%n"
                                .formatted(Figures.of(poemRatio())));
        yardstick.ifPresent(
                it ->
                        text.append(
                                "IPS-LPR steps on %s examples per second at best, %s of the yardstick's"
                                        .formatted(
                                                Figures.count(Math.round(examplesPerSecond())),
                                                Figures.of(
                                                        examplesPerSecond()
                                                                / it.examplesPerSecond()))));
        return text.toString();
    }

    /** Writes all measured epochs and the table. Two numbers need no plot. */
    void write(Path directory) throws IOException {
        String name = "runtime-%s".formatted(setup.data().kind());
        Files.writeString(directory.resolve(name + ".csv"), toCsv());
        Files.writeString(directory.resolve(name + ".md"), toMarkdown());
    }

    private String toMarkdown() {
        MarkdownTable table =
                new MarkdownTable(
                        List.of(
                                "method",
                                "seconds per epoch",
                                "fastest",
                                "times IPS-LPR",
                                "paper"));
        table.row(List.of("IPS-LPR", Figures.of(lpr.median()), Figures.of(lpr.best()), "1", "1"));
        table.row(
                List.of(
                        "POEM",
                        Figures.of(poem.median()),
                        Figures.of(poem.best()),
                        Figures.of(poemRatio()),
                        "1.25"));
        return "CPU time of one thread on %s, %s logged examples.%n%n%s"
                .formatted(setup.data().kind(), Figures.count(setup.logged()), table);
    }

    private String toCsv() {
        StringBuilder csv = new StringBuilder("method,epoch,seconds\n");
        append(csv, Method.IPS_LPR, lpr);
        append(csv, Method.POEM, poem);
        return csv.toString();
    }

    private static void append(StringBuilder csv, Method method, EpochTimes times) {
        for (int epoch = 0; epoch < times.seconds().size(); epoch++) {
            csv.append("%s,%d,%s\n".formatted(method, epoch, times.seconds().get(epoch)));
        }
    }

    @Override
    public Object toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("dataset", setup.data().kind().toString());
        json.put("n", setup.logged());
        json.put("ipsLprSecondsPerEpoch", lpr.median());
        json.put("poemSecondsPerEpoch", poem.median());
        json.put("poemRatio", poemRatio());
        json.put("ipsLprExamplesPerSecond", examplesPerSecond());
        yardstick.ifPresent(
                it -> {
                    json.put("yardstickExamplesPerSecond", it.examplesPerSecond());
                    json.put("yardstickRatio", examplesPerSecond() / it.examplesPerSecond());
                });
        return json;
    }
}
