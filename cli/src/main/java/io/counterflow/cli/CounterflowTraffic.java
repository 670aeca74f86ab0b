package io.counterflow.cli;

import io.counterflow.cli.console.CommandGroup;
import io.counterflow.cli.traffic.TrafficCommand;
import java.util.List;

/**
 * Starts {@code counterflow traffic} without the other commands, for an image that contains neither
 * Flink nor a broker.
 */
public final class CounterflowTraffic {

    private CounterflowTraffic() {}

    public static void main(String[] args) {
        Counterflow.start(
                terminal ->
                        List.of(
                                new CommandGroup(
                                        "Simulate users", List.of(new TrafficCommand(terminal)))),
                args);
    }
}
