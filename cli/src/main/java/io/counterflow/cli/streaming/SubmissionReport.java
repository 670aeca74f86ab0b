package io.counterflow.cli.streaming;

import io.counterflow.cli.console.Report;
import java.util.Map;

/**
 * A job that runs elsewhere.
 *
 * @param jobId its identity there
 * @param cluster where its cluster is
 */
record SubmissionReport(String jobId, String cluster) implements Report {

    @Override
    public String toText() {
        return "submitted as job %s to %s".formatted(jobId, cluster);
    }

    @Override
    public Object toJson() {
        return Map.of("jobId", jobId, "cluster", cluster);
    }
}
