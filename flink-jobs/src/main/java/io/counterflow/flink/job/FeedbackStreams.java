package io.counterflow.flink.job;

import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.ingest.FeedbackEvent;
import io.counterflow.flink.ingest.Ingested;
import org.apache.flink.streaming.api.datastream.DataStream;

/** What the live job reads, with event times and watermarks. */
public record FeedbackStreams(
        DataStream<Ingested<FeedbackEvent>> impressions,
        DataStream<Ingested<FeedbackEvent>> rewards,
        DataStream<Ingested<LoopEvent>> loops,
        DataStream<Ingested<LoopEvent>> commands) {}
