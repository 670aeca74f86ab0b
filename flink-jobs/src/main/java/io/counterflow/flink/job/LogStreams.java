package io.counterflow.flink.job;

import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.ingest.Ingested;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * What a batch run reads: bounded, with event times, and no watermark before the end, so that each
 * loop takes its events in an order that is complete.
 */
record LogStreams(
        DataStream<Ingested<LoopEvent>> examples,
        DataStream<Ingested<LoopEvent>> loops,
        DataStream<Ingested<LoopEvent>> commands) {}
