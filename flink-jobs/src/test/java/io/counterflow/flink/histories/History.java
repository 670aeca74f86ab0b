package io.counterflow.flink.histories;

import io.counterflow.schemas.topics.Topic;
import java.util.List;

/**
 * What happens to the job: the records on its topics, and a seed that draws when the job reads
 * them, when it takes checkpoints and how it fails.
 *
 * @param records of each partition in the order of their offsets
 * @param settings how the job runs
 * @param schedule seed of everything that happens to the job
 */
record History(List<Sent> records, Settings settings, long schedule) {

    History {
        records = List.copyOf(records);
    }

    /**
     * How the job runs.
     *
     * @param partitions number of partitions of impressions, and of rewards
     * @param maxParallelism the highest parallelism that is tried
     * @param smallCaches whether as little as possible is kept in memory
     * @param checkpoints how often a checkpoint starts, in 1,000 steps
     * @param kills how often the job is killed, at most
     * @param stops how often it is stopped with a savepoint, at most
     * @param pauses how often half a minute passes in processing time, at most
     * @param haste how much faster sources are than operators; 1 is as fast
     * @param lagging a partition of impressions or rewards that is read last; −1 for none
     */
    record Settings(
            int partitions,
            int maxParallelism,
            boolean smallCaches,
            int checkpoints,
            int kills,
            int stops,
            int pauses,
            int haste,
            int lagging) {}

    History with(List<Sent> others) {
        return new History(others, settings, schedule);
    }

    History with(Settings others) {
        return new History(records, others, schedule);
    }

    History scheduledBy(long seed) {
        return new History(records, settings, seed);
    }

    /** The records of a partition, in order. */
    List<Sent> of(Topic topic, int partition) {
        return records.stream()
                .filter(it -> it.topic() == topic && it.partition() == partition)
                .toList();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Sent record : records) {
            text.append("  ").append(record).append('\n');
        }
        return text.append("  ").append(settings).append('\n').toString();
    }
}
