package io.counterflow.experiments;

import io.counterflow.cli.console.CommandFamily;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.console.GroupedHelp;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Terminal;
import io.counterflow.experiments.certificates.CertificatesCommand;
import io.counterflow.experiments.gate.GateCommand;
import io.counterflow.experiments.openbandit.OpenBanditCommand;
import io.counterflow.experiments.runtime.RuntimeCommand;
import io.counterflow.experiments.streaming.StreamingCommand;
import io.counterflow.experiments.sweep.LambdaSweepCommand;
import io.counterflow.experiments.sweep.TemperatureSweepCommand;
import io.counterflow.experiments.table1.Table1Command;
import io.counterflow.experiments.worlds.WorldsCommand;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The paper's experiments. */
@Command(
        name = "experiment",
        description =
                "Run the paper's experiments and further ones on Fashion-MNIST or on features of"
                        + " CIFAR-100. A stopped run continues where it stopped.",
        footerHeading = GroupedHelp.EXAMPLES,
        footer = {
            "  counterflow experiment table1 --data data/fashion-mnist --trials 3",
            "  counterflow experiment lambda-sweep --data data/fashion-mnist --out results"
        })
final class ExperimentCommand implements Callable<Integer>, CommandFamily {

    private final Terminal terminal;

    @Mixin
    @SuppressWarnings("UnusedVariable") // the options of all commands
    private final Output output;

    @Spec private @Nullable CommandSpec spec;

    public ExperimentCommand(Terminal terminal) {
        this.terminal = terminal;
        this.output = new Output(terminal);
    }

    @Override
    public List<Callable<Integer>> commands() {
        return List.of(
                new Table1Command(terminal),
                new LambdaSweepCommand(terminal),
                new TemperatureSweepCommand(terminal),
                new RuntimeCommand(terminal),
                new StreamingCommand(terminal),
                new CertificatesCommand(terminal),
                new GateCommand(terminal),
                new OpenBanditCommand(terminal),
                new WorldsCommand(terminal));
    }

    /** Called if no experiment is named. */
    @Override
    public Integer call() {
        var line = Objects.requireNonNull(spec).commandLine();
        line.usage(line.getErr());
        return ExitCode.BAD_INPUT;
    }
}
