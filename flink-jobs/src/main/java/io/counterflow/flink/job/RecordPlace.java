package io.counterflow.flink.job;

import java.io.Serializable;

/**
 * Where a record lies.
 *
 * @param topic its topic
 * @param partition its partition there
 * @param offset its offset there
 */
record RecordPlace(String topic, int partition, long offset) implements Serializable {}
