package io.counterflow.flink.loop;

import io.counterflow.flink.event.ControlReader;
import io.counterflow.flink.event.ExampleReader;

/** Decodes the events of loops. Not thread-safe. */
record EventReaders(ExampleReader examples, ControlReader controls) {}
