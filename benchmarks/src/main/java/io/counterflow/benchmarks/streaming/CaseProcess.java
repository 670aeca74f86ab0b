package io.counterflow.benchmarks.streaming;

import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.flink.config.JobConfig;
import io.counterflow.flink.job.JobSetup;
import io.counterflow.flink.job.RunMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.jspecify.annotations.Nullable;

/**
 * Measures one case in a process of its own, so that cases do not influence each other. Each job
 * first reads a small backlog, so that its code is compiled. Prints a JSON object, and a profile to
 * the standard error output if asked to.
 */
final class CaseProcess {

    private static final int MIN_WARM_UP = 20_000;
    private static final int WARM_UP_PART = 5;

    private final Measurement measurement;
    private final EmbeddedFlink flink;
    private long coldLoads; // of the last job, which learns

    private CaseProcess(Measurement measurement, EmbeddedFlink flink) {
        this.measurement = measurement;
        this.flink = flink;
    }

    /** The arguments of a process. */
    record Measurement(
            Deployment at, Traffic traffic, int decisions, Duration limit, boolean profiled) {

        JobConfig config(String topicPrefix, String name) {
            return at.config(
                    topicPrefix, name, Deployment.PARALLELISM, traffic.settings().orElse(""));
        }

        List<String> toArguments() {
            return List.of(
                    at.bootstrapServers(),
                    at.directory().toString(),
                    traffic.name(),
                    Integer.toString(decisions),
                    limit.toString(),
                    Boolean.toString(profiled));
        }

        static Measurement parse(String[] args) {
            return new Measurement(
                    new Deployment(args[0], Path.of(args[1])),
                    Traffic.parse(args[2]),
                    Integer.parseInt(args[3]),
                    Duration.parse(args[4]),
                    Boolean.parseBoolean(args[5]));
        }
    }

    public static void main(String[] args) throws Exception {
        try (EmbeddedFlink flink =
                EmbeddedFlink.start(Deployment.PARALLELISM, JobCounters.settings())) {
            new CaseProcess(Measurement.parse(args), flink).run();
        }
        System.exit(0); // some threads of clients may still be running
    }

    private void run() throws Exception {
        String name = measurement.traffic().name();
        var unused =
                measure(
                        name + "-warm-up",
                        Math.max(MIN_WARM_UP, measurement.decisions() / WARM_UP_PART),
                        false);
        Measured measured = measure(name, measurement.decisions(), measurement.profiled());
        print(measured);
    }

    /** All jobs over the same backlog. */
    private record Measured(SteadyState noOp, SteadyState copy, SteadyState learn) {}

    /** Writes a backlog and runs all jobs over it. */
    private Measured measure(String name, int decisions, boolean profiled) throws Exception {
        JobConfig config = measurement.config(name, name);
        new JobSetup(config, RunMode.LIVE).ensureTopics();
        try (LoadProcess load = LoadProcess.start(config, measurement.traffic(), decisions)) {
            load.awaitWritten();
            return new Measured(
                    run(MeasuredJob.NO_OP, name, decisions, profiled),
                    run(MeasuredJob.COPY, name, decisions, profiled),
                    run(MeasuredJob.LEARN, name, decisions, profiled));
        } finally {
            deleteTopics(config);
        }
    }

    /** A million records fill gigabytes. */
    private static void deleteTopics(JobConfig config) throws Exception {
        try (Admin admin = Admin.create(config.kafka().properties())) {
            List<String> used =
                    admin.listTopics().names().get().stream()
                            .filter(it -> it.startsWith(config.topics().prefix() + "."))
                            .toList();
            admin.deleteTopics(used).all().get();
        }
    }

    private SteadyState run(MeasuredJob job, String name, int decisions, boolean profiled)
            throws Exception {
        String deployment = name + "-" + job.label();
        StreamExecutionEnvironment env = flink.environment(new Configuration());
        job.build(env, measurement.config(name, deployment));
        JobCounters.reset();
        JobClient running = env.executeAsync(deployment);
        @Nullable Profile[] profile = {null};
        try {
            SteadyState steady =
                    SteadyState.of(
                            decisions,
                            measurement.limit(),
                            () -> profile[0] = profiled ? Profile.start() : null);
            if (profile[0] != null) {
                profile[0].print(deployment, steady.decisions(), System.err);
            }
            coldLoads = JobCounters.sum(JobCounters.COLD_LOADS);
            return steady;
        } finally {
            if (profile[0] != null) {
                profile[0].close();
            }
            running.cancel().get();
            var unused = running.getJobExecutionResult().handle((result, failure) -> true).get();
        }
    }

    private void print(Measured measured) {
        SteadyState learn = measured.learn();
        double noOp = measured.noOp().cpuMicros();
        double copy = measured.copy().cpuMicros();
        System.out.printf(
                Locale.ROOT,
                "{\"case\":\"%s\",\"settings\":\"%s\",\"decisions\":%d,\"decisionsPerSecond\":%.0f,"
                        + "\"cpuMicros\":%.1f,\"copyCpuMicros\":%.1f,\"noOpCpuMicros\":%.1f,"
                        + "\"copyPerSecond\":%.0f,\"noOpPerSecond\":%.0f,"
                        + "\"toCopyByCpu\":%.3f,\"toNoOpByCpu\":%.3f,\"coldLoads\":%d,"
                        + "\"complete\":%b}%n",
                measurement.traffic().name(),
                measurement.traffic().settings().orElse(""),
                measurement.decisions(),
                learn.perSecond(),
                learn.cpuMicros(),
                copy,
                noOp,
                measured.copy().perSecond(),
                measured.noOp().perSecond(),
                copy / learn.cpuMicros(),
                noOp / learn.cpuMicros(),
                coldLoads,
                learn.complete());
    }
}
