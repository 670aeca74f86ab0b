package io.counterflow.flink.job;

import io.counterflow.flink.config.JobConfig;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/**
 * Starts the job on a cluster: {@code flink run job.jar --config FILE [--batch] [--resume]}.
 *
 * <p>{@code --resume} resumes from the newest checkpoint or savepoint of this deployment, unless
 * the cluster is configured with one. It is for clusters that lose their jobs when they restart; a
 * cluster with high availability resumes by itself.
 */
public final class Main {

    private static final String USAGE = "use: --config FILE [--batch] [--resume]";

    private Main() {}

    public static void main(String[] args) throws Exception {
        Path file = null;
        RunMode mode = RunMode.LIVE;
        boolean resume = false;
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--config" -> file = Path.of(valueAfter(args, i++));
                case "--batch" -> mode = RunMode.BATCH;
                case "--resume" -> resume = true;
                default ->
                        throw new IllegalArgumentException(
                                "unknown argument \"" + args[i] + "\"; " + USAGE);
            }
        }
        if (resume && mode == RunMode.BATCH) {
            throw new IllegalArgumentException("--resume must not be given with --batch; " + USAGE);
        }
        JobConfig config = JobConfig.read(requireFile(file), System.getenv());
        JobSetup setup = new JobSetup(config, mode);
        setup.ensureTopics();
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        if (resume) {
            env.configure(newestState(config, env.getConfiguration()));
        }
        setup.build(env);
        env.execute();
    }

    private static Configuration newestState(JobConfig config, ReadableConfig given)
            throws IOException {
        Configuration from = new Configuration();
        if (given.getOptional(StateRecoveryOptions.SAVEPOINT_PATH).isEmpty()) {
            new StoredState(config.run().checkpoints())
                    .newestReadable()
                    .ifPresent(path -> from.set(StateRecoveryOptions.SAVEPOINT_PATH, path));
        }
        return from;
    }

    private static String valueAfter(String[] args, int i) {
        if (i + 1 >= args.length) {
            throw new IllegalArgumentException("--config needs a file; " + USAGE);
        }
        return args[i + 1];
    }

    private static Path requireFile(@Nullable Path file) {
        if (file == null) {
            throw new IllegalArgumentException("--config must be given; " + USAGE);
        }
        return file;
    }
}
