package io.counterflow.benchmarks.serving;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.record.FileRecords;
import org.apache.kafka.common.record.RecordBatch;

/** Counts the records and batches of a topic in the files of its broker. */
final class TopicLog {

    private final Path data;
    private final String topic;
    private final Map<Path, Integer> positions = new HashMap<>();

    TopicLog(Path data, String topic) {
        this.data = data;
        this.topic = topic;
    }

    /** New records and the batches that they are in. */
    record Added(long records, long batches) {

        double recordsPerBatch() {
            return (double) records / batches;
        }
    }

    /** What has been added since the last call. */
    Added added() throws IOException {
        long records = 0;
        long batches = 0;
        for (Path segment : segments()) {
            FileRecords file;
            try {
                file = FileRecords.open(segment.toFile(), false);
            } catch (NoSuchFileException e) { // old records have been deleted
                positions.remove(segment);
                continue;
            }
            try {
                int position = positions.getOrDefault(segment, 0);
                for (RecordBatch batch :
                        file.slice(position, file.sizeInBytes() - position).batches()) {
                    records += batch.nextOffset() - batch.baseOffset();
                    batches++;
                    position += batch.sizeInBytes();
                }
                positions.put(segment, position);
            } finally {
                file.closeHandlers(); // close() would cut off what has been added since
            }
        }
        return new Added(records, batches);
    }

    private List<Path> segments() throws IOException {
        List<Path> segments = new ArrayList<>();
        try (DirectoryStream<Path> partitions = Files.newDirectoryStream(data, topic + "-*")) {
            for (Path partition : partitions) {
                try (DirectoryStream<Path> files = Files.newDirectoryStream(partition, "*.log")) {
                    files.forEach(segments::add);
                }
            }
        }
        return segments;
    }
}
