package io.counterflow.flink.job;

import io.counterflow.flink.config.ConfigFile;
import java.nio.file.Path;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/** Starts the job on a cluster: {@code flink run -c … job.jar --config FILE [--batch]}. */
public final class Main {

    private static final String USAGE = "use: --config FILE [--batch]";

    private Main() {}

    public static void main(String[] args) throws Exception {
        Path file = null;
        RunMode mode = RunMode.LIVE;
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--config" -> file = Path.of(valueAfter(args, i++));
                case "--batch" -> mode = RunMode.BATCH;
                default ->
                        throw new IllegalArgumentException(
                                "unknown argument \"" + args[i] + "\"; " + USAGE);
            }
        }
        JobSetup setup = new JobSetup(ConfigFile.read(requireFile(file), System.getenv()), mode);
        setup.ensureTopics();
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        setup.build(env);
        env.execute();
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
