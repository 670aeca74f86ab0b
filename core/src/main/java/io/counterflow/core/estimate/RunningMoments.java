package io.counterflow.core.estimate;

/**
 * Count, mean and sum of squared deviations of some numbers, in one pass and without cancellation
 * (Welford 1962; merging by Chan, Golub and LeVeque 1983).
 */
final class RunningMoments {

    private long count;
    private double mean;
    private double squaredDeviations;

    void add(double x) {
        count++;
        double difference = x - mean;
        mean += difference / count;
        squaredDeviations += difference * (x - mean);
    }

    void merge(RunningMoments other) {
        if (other.count == 0) {
            return;
        }
        long total = count + other.count;
        double share = (double) other.count / total;
        double difference = other.mean - mean;
        squaredDeviations += other.squaredDeviations + difference * difference * share * count;
        mean += difference * share;
        count = total;
    }

    long count() {
        return count;
    }

    /** The mean; 0 for no numbers. */
    double mean() {
        return mean;
    }

    /** Σ (x − mean)². */
    double squaredDeviations() {
        return squaredDeviations;
    }

    /** The unbiased variance of one number; +∞ for fewer than two. */
    double variance() {
        return count < 2 ? Double.POSITIVE_INFINITY : squaredDeviations / (count - 1);
    }

    void save(StoredSums to) {
        to.writeCount(count);
        to.write(mean);
        to.write(squaredDeviations);
    }

    void load(StoredSums from) {
        count = from.readCount();
        mean = from.read();
        squaredDeviations = from.read();
    }
}
