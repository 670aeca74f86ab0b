package io.counterflow.cli.streaming;

import java.io.File;
import java.util.Arrays;
import java.util.List;

/** The jars to submit to a cluster: the job and its dependencies other than Flink. */
final class JobJars {

    private static final List<String> NAMES =
            List.of(
                    "counterflow-core-",
                    "counterflow-schemas-",
                    "counterflow-flink-jobs-",
                    "flink-connector-kafka-",
                    "kafka-clients-",
                    "avro-",
                    "ejml-",
                    "jackson-",
                    "snakeyaml-",
                    "lz4-java-",
                    "zstd-jni-",
                    "snappy-java-",
                    "jspecify-");

    private JobJars() {}

    static String[] onClassPath() {
        return of(System.getProperty("java.class.path", "").split(File.pathSeparator));
    }

    static String[] of(String[] classPath) {
        String[] jars =
                Arrays.stream(classPath)
                        .filter(entry -> NAMES.stream().anyMatch(name -> isNamed(entry, name)))
                        .map(entry -> new File(entry).getAbsolutePath())
                        .toArray(String[]::new);
        if (Arrays.stream(jars).noneMatch(jar -> isNamed(jar, "counterflow-flink-jobs-"))) {
            throw new IllegalStateException(
                    "the job's jar must be on the class path to submit it; run this command with"
                            + " bin/counterflow");
        }
        return jars;
    }

    private static boolean isNamed(String entry, String beginning) {
        String name = new File(entry).getName();
        return name.startsWith(beginning) && name.endsWith(".jar") && !name.endsWith("-tests.jar");
    }
}
