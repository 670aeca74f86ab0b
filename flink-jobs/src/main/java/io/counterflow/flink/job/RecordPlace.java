package io.counterflow.flink.job;

import java.io.Serializable;

/** The position of a record. */
record RecordPlace(String topic, int partition, long offset) implements Serializable {}
