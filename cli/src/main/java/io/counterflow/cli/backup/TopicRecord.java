package io.counterflow.cli.backup;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/** A record of a topic, with its place and its bytes. */
@SuppressWarnings("ArrayRecordComponent") // they are not compared
record TopicRecord(
        int partition,
        long offset,
        long timestamp,
        byte @Nullable [] key,
        List<Header> headers,
        byte @Nullable [] value) {

    static TopicRecord of(ConsumerRecord<byte[], byte[]> record) {
        List<Header> headers = new ArrayList<>();
        for (Header header : record.headers()) {
            headers.add(new RecordHeader(header.key(), header.value()));
        }
        return new TopicRecord(
                record.partition(),
                record.offset(),
                record.timestamp(),
                record.key(),
                headers,
                record.value());
    }

    ProducerRecord<byte[], byte[]> toProducerRecord(String topic) {
        return new ProducerRecord<>(topic, partition, timestamp, key, value, headers);
    }
}
