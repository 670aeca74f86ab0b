package io.counterflow.cli.demo;

import io.counterflow.cli.traffic.SimulatedUsers;
import java.time.Duration;

/**
 * The status of the demo at one moment.
 *
 * @param elapsed time since the start of this run
 * @param port port of the dashboard
 * @param users what the users have done in this run
 * @param joined joined examples of this run
 * @param late late rewards of this run
 * @param deadLetters dead letters of this run
 * @param learning what the loop has learned, over all runs
 */
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
