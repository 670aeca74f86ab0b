package io.counterflow.serving.health;

import java.util.List;

/** What the health checks ask the process. Thread-safe. */
public interface ProcessHealth {

    /** Whether all policies that existed at the start have been loaded. */
    boolean caughtUp();

    /** Whether the process is about to stop. */
    boolean stopping();

    /** Whether Kafka answers. */
    KafkaLink.State kafka();

    /** Failures that the process is repairing, until it is ready again; empty if there are none. */
    List<String> failures();

    /** Failures that only a restart of the process repairs; empty if there are none. */
    List<String> defects();
}
