package io.counterflow.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When {@code bin/counterflow} builds and how, on a small tree with a stand-in Maven and JVM. */
final class LauncherBuildIT {

    private static final Path LAUNCHER =
            Path.of("").toAbsolutePath().resolveSibling("bin").resolve("counterflow");
    private static final List<String> MODULES =
            List.of("core", "schemas", "flink-jobs", "serving", "cli");
    private static final List<String> TOOLS =
            List.of(
                    "bash",
                    "basename",
                    "cat",
                    "dirname",
                    "find",
                    "grep",
                    "mkdir",
                    "mv",
                    "readlink",
                    "rm",
                    "sleep",
                    "tail",
                    "touch");
    private static final Instant LONG_AGO = Instant.parse("2020-01-01T00:00:00Z");

    private final Path directory;
    private final Path root;
    private final Path jar;
    private final Path source;
    private final Path builds;
    private final Shell shell;

    LauncherBuildIT(@TempDir Path directory) throws IOException {
        this.directory = directory;
        root = Files.createDirectories(directory.resolve("a project"));
        jar = root.resolve("cli/target/counterflow-cli-1.0.0.jar");
        builds = directory.resolve("builds");
        source = root.resolve("core/src/main/java/Softmax.java");
        shell =
                new Shell(directory)
                        .with("JAVA_HOME", directory.resolve("jdk").toString())
                        .with("PATH", directory.resolve("tools") + ":" + System.getenv("PATH"));
    }

    @BeforeEach
    void makeATree() throws IOException {
        Files.writeString(root.resolve("pom.xml"), "");
        for (String module : MODULES) {
            Files.createDirectories(root.resolve(module).resolve("src/main/java"));
            Files.writeString(root.resolve(module).resolve("pom.xml"), "");
        }
        Files.writeString(source, "");
        Files.createDirectories(root.resolve("bin"));
        Files.copy(LAUNCHER, root.resolve("bin/counterflow"));
        executable(root.resolve("bin/counterflow"));
        script(directory.resolve("jdk/bin/java"), "printf '%s\\n' \"$@\"");
        Files.writeString(directory.resolve("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n");
        maven("mkdir -p cli/target/lib && touch '" + jar + "'");
    }

    @Test
    void theFirstRunBuildsAndTheSecondDoesNot() throws Exception {
        Shell.Ended first = counterflow("train", "--log", "two words");
        assertThat(first.err()).contains("building (first run", "built in");
        assertThat(first.out().lines())
                .endsWith("io.counterflow.cli.Counterflow", "train", "--log", "two words");
        Shell.Ended second = counterflow("--version");
        assertThat(second.err()).isEmpty();
        assertThat(builds).hasContent("built");
    }

    @Test
    void aChangedSourceIsBuilt() throws Exception {
        buildLongAgo();
        Files.writeString(source, "changed");
        assertBuildsOnceMore();
    }

    @Test
    void aChangedPomIsBuiltAndOldDependenciesAreDeleted() throws Exception {
        buildLongAgo();
        Path old = Files.writeString(root.resolve("cli/target/lib/picocli-1.jar"), "");
        Files.writeString(root.resolve("pom.xml"), "changed");
        assertBuildsOnceMore();
        assertThat(old).doesNotExist();
    }

    @Test
    void aDeletedSourceIsBuilt() throws Exception {
        buildLongAgo();
        Files.delete(source);
        assertBuildsOnceMore();
    }

    @Test
    void aSourceThatChangesDuringABuildIsBuiltAgain() throws Exception {
        maven(
                """
                until [ '%1$s' -nt target/counterflow-build.began ]; do touch '%1$s'; done
                mkdir -p cli/target/lib && touch '%2$s'
                """
                        .formatted(source, jar));
        counterflow("--version");
        counterflow("--version");
        assertThat(builds).hasContent("built\nbuilt");
    }

    @Test
    void aFailedBuildShowsTheEndOfItsLogAndWhereTheLogIs() throws Exception {
        maven("echo 'Softmax.java: not a statement' && exit 1");
        Shell.Ended ended = counterflow("--version");
        assertThat(ended.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(ended.err())
                .contains("Softmax.java: not a statement", "the build failed")
                .contains(root.toRealPath().resolve("target/counterflow-build.log").toString());
        assertThat(ended.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void twoFirstRunsBuildOnce(boolean flock) throws Exception {
        if (!flock) {
            removeFlockFromThePath();
        }
        // Maven is not done before the other run, whichever that is, has said that it waits.
        maven(
                """
                for _ in {1..600}; do
                  grep -qs 'waiting for another' ../err-1 ../err-2 && break
                  sleep 0.05
                done
                grep -qs 'waiting for another' ../err-1 ../err-2 || exit 1
                mkdir -p cli/target/lib && touch '%s'
                """
                        .formatted(jar));
        Shell.Started one = shell.start(root.resolve("bin/counterflow").toString(), "--version");
        Shell.Started other = shell.start(root.resolve("bin/counterflow").toString(), "--version");
        assertThat(one.await().exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(other.await().exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(builds).hasContent("built");
    }

    @Test
    void theLockOfARunThatWasKilledIsTakenOver() throws Exception {
        removeFlockFromThePath();
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        Path lock = Files.createDirectories(root.resolve("target/counterflow-build.lock.d"));
        Files.writeString(lock.resolve("pid"), Long.toString(gone.pid()));
        assertThat(counterflow("--version").exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(builds).hasContent("built");
        assertThat(lock).doesNotExist();
    }

    @Test
    void withSkipBuildAMissingBuildIsAnError() throws Exception {
        shell.with("COUNTERFLOW_SKIP_BUILD", "1");
        Shell.Ended ended = counterflow("--version");
        assertThat(ended.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(ended.err()).contains("nothing is built");
        assertThat(builds).doesNotExist();
    }

    @Test
    void anOldJavaVersionIsRejected() throws Exception {
        Files.writeString(directory.resolve("jdk/release"), "JAVA_VERSION=\"1.8.0_412\"\n");
        Shell.Ended ended = counterflow("--version");
        assertThat(ended.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(ended.err()).contains("Java 17 or newer is required", "1.8.0_412");
        assertThat(builds).doesNotExist();
    }

    /** This tree has no module experiments, like a release. */
    @Test
    void experimentsNeedASourceCheckout() throws Exception {
        Shell.Ended ended = counterflow("experiment", "table1");
        assertThat(ended.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(ended.err())
                .isEqualToIgnoringNewLines(
                        "counterflow: the experiments are not part of a release; run them in a"
                                + " source checkout");
        assertThat(builds).doesNotExist();
    }

    @Test
    void aJavaHomeWithoutJavaIsReported() throws Exception {
        shell.with("JAVA_HOME", directory.resolve("nowhere").toString());
        Shell.Ended ended = counterflow("--version");
        assertThat(ended.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(ended.err()).contains("JAVA_HOME", "nowhere", "no bin/java");
    }

    @Test
    void flagsOfTheUserComeLastAndReplaceTheGarbageCollector() throws Exception {
        assertThat(counterflow("evaluate").out()).contains("-XX:+UseParallelGC");
        shell.with("COUNTERFLOW_JAVA_OPTS", "-Xmx8g -XX:+UseZGC");
        assertThat(counterflow("evaluate").out())
                .containsSubsequence("-XX:MaxRAMPercentage=60", "-Xmx8g", "-XX:+UseZGC", "-cp")
                .doesNotContain("ParallelGC");
    }

    /** A JVM that writes an archive, or fails if the file {@code full} exists. */
    private Path archivingJava() throws IOException {
        script(
                directory.resolve("jdk/bin/java"),
                """
                for flag in "$@"; do
                  case $flag in
                    -XX:DumpLoadedClassList=*) echo list >"${flag#*=}" ;;
                    -XX:SharedArchiveFile=*) file=${flag#*=} ;;
                    -Xshare:dump)
                      echo dumped >>'%1$s/dumps'
                      [ ! -e '%1$s/full' ] || exit 1
                      echo archive >"$file" ;;
                  esac
                  printf '%%s\n' "$flag"
                done
                """
                        .formatted(directory));
        return directory.resolve("dumps");
    }

    @Test
    void anArchiveOfClassesIsCreatedAfterEachBuildAndUsed() throws Exception {
        Path dumps = archivingJava();
        String use =
                "-XX:SharedArchiveFile="
                        + root.toRealPath().resolve("cli/target/classes-17.0.1.jsa");
        assertThat(counterflow("evaluate").out().lines()).contains(use);
        assertThat(counterflow("--version").out().lines()).contains(use);
        assertThat(dumps).hasContent("dumped");
        Files.writeString(source, "changed");
        assertThat(counterflow("evaluate").out().lines()).contains(use);
        assertThat(dumps).hasContent("dumped\ndumped");
        try (Stream<Path> files = Files.list(root.resolve("cli/target"))) {
            assertThat(files.map(it -> it.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            "lib", "counterflow-cli-1.0.0.jar", "classes-17.0.1.jsa");
        }
    }

    @Test
    void anArchiveThatCannotBeCreatedIsNeitherUsedNorTriedAgain() throws Exception {
        Path dumps = archivingJava();
        Files.writeString(directory.resolve("full"), "");
        for (int run = 0; run < 2; run++) {
            Shell.Ended ended = counterflow("evaluate");
            assertThat(ended.exitCode()).isEqualTo(ExitCode.DONE);
            assertThat(ended.out()).doesNotContain("SharedArchiveFile");
        }
        assertThat(dumps).hasContent("dumped");
    }

    @Test
    void withSkipBuildAnArchiveIsNotCreatedAndAnOldOneNotUsed() throws Exception {
        Path dumps = archivingJava();
        counterflow("evaluate");
        Files.setLastModifiedTime(
                root.resolve("cli/target/classes-17.0.1.jsa"), FileTime.from(LONG_AGO));
        shell.with("COUNTERFLOW_SKIP_BUILD", "1");
        assertThat(counterflow("evaluate").out()).doesNotContain("SharedArchiveFile");
        assertThat(dumps).hasContent("dumped");
    }

    @Test
    void commandsThatOnlyPrintATextAreNotCompiledMuch() throws Exception {
        String little = "-XX:TieredStopAtLevel=1";
        counterflow("--version"); // builds
        for (String[] words :
                new String[][] {
                    {}, {"--help"}, {"help", "train"}, {"train", "-h"}, {"completion", "bash"}
                }) {
            assertThat(counterflow(words).out().lines()).contains(little, "-XX:+UseSerialGC");
        }
        assertThat(counterflow("train", "--log", "help").out()).doesNotContain(little);
    }

    private Shell.Ended counterflow(String... args) throws IOException, InterruptedException {
        Stream<String> launcher = Stream.of(root.resolve("bin/counterflow").toString());
        return shell.run(Stream.concat(launcher, Stream.of(args)).toArray(String[]::new));
    }

    private void buildLongAgo() throws Exception {
        counterflow("--version");
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : paths.toList()) {
                Files.setLastModifiedTime(path, FileTime.from(LONG_AGO));
            }
        }
        assertThat(counterflow("--version").err()).as("still fresh").isEmpty();
    }

    private void assertBuildsOnceMore() throws Exception {
        Shell.Ended ended = counterflow("--version");
        assertThat(ended.err()).contains("building").doesNotContain("first run");
        assertThat(builds).hasContent("built\nbuilt");
    }

    private void maven(String body) throws IOException {
        script(directory.resolve("tools/mvn"), "echo built >>'" + builds + "'\n" + body);
    }

    /** As on macOS: the tools that the launcher needs, and no more. */
    private void removeFlockFromThePath() throws IOException {
        Path tools = directory.resolve("tools");
        for (String tool : TOOLS) {
            Path found =
                    Stream.of(System.getenv("PATH").split(":", -1))
                            .map(path -> Path.of(path, tool))
                            .filter(Files::isExecutable)
                            .findFirst()
                            .orElseThrow();
            script(tools.resolve(tool), "exec '" + found + "' \"$@\"");
        }
        shell.with("PATH", tools.toString());
    }

    private static void script(Path path, String body) throws IOException {
        Files.createDirectories(path.resolveSibling(""));
        Files.writeString(path, "#!/bin/bash\n" + body + "\n");
        executable(path);
    }

    private static void executable(Path path) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
