package io.counterflow.cli.demo;

import io.counterflow.cli.traffic.SimulatedUsers;
import java.time.Duration;

/** The status of the demo at one moment: this run, and what the loop has learned over all runs. */
record DemoStatus(
        Duration elapsed,
        int port,
        SimulatedUsers.Counts users,
        long joined,
        long late,
        long deadLetters,
        DemoHistory.Learning learning) {

    double seconds() {
        return elapsed.toMillis() / 1e3;
    }
}
