package io.counterflow.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.console.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/counterflow} on the tree that this build has just packaged. */
final class LauncherIT {

    private static final Path LAUNCHER =
            Path.of("").toAbsolutePath().resolveSibling("bin").resolve("counterflow");

    private final Path elsewhere;
    private final Shell shell;

    LauncherIT(@TempDir Path elsewhere) {
        this.elsewhere = elsewhere;
        this.shell =
                new Shell(elsewhere)
                        .with("JAVA_HOME", System.getProperty("java.home"))
                        // A build inside the build would write what this one is reading.
                        .with("COUNTERFLOW_SKIP_BUILD", "1");
    }

    @Test
    void runsFromAnyDirectoryAndThroughASymbolicLink() throws Exception {
        Path link = Files.createSymbolicLink(elsewhere.resolve("cf"), LAUNCHER);
        Shell.Ended ended = shell.run(link.toString(), "--version");
        Files.delete(link);
        assertThat(ended.err()).isEmpty();
        OfflineCommands sameBuild = new OfflineCommands();
        sameBuild.run("--version");
        assertThat(ended.out()).startsWith("counterflow ").isEqualTo(sameBuild.out());
        assertThat(ended.exitCode()).isEqualTo(ExitCode.DONE);
    }

    @Test
    void theExitCodeOfAUsageErrorReachesTheCaller() throws Exception {
        Shell.Ended ended = shell.run(LAUNCHER.toString(), "--no-such-option");
        assertThat(ended.exitCode()).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(ended.err()).startsWith("counterflow: unknown option \"--no-such-option\"");
        assertThat(ended.out()).isEmpty();
    }

    @Test
    void theVectorModuleIsAddedForTrainingIfTheJdkHasIt() throws Exception {
        String module = "--add-modules jdk.incubator.vector";
        Shell withModule = jdk("with", "java.base jdk.incubator.vector java.xml");
        assertThat(withModule.run(LAUNCHER.toString(), "train", "--log", "x").out())
                .contains(module);
        assertThat(withModule.run(LAUNCHER.toString(), "logging-policy").out()).contains(module);
        assertThat(withModule.run(LAUNCHER.toString(), "train", "--help").out())
                .doesNotContain(module);
        assertThat(withModule.run(LAUNCHER.toString(), "evaluate").out()).doesNotContain(module);
        assertThat(withModule.run(LAUNCHER.toString()).out()).doesNotContain(module);
        Shell without = jdk("without", "java.base jdk.incubator.vectors");
        assertThat(without.run(LAUNCHER.toString(), "train").out()).doesNotContain(module);
    }

    /** A shell with a JDK of these modules, whose java prints what it was called with. */
    private Shell jdk(String name, String modules) throws Exception {
        Path home = elsewhere.resolve(name);
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\necho \"$@\"\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.writeString(
                home.resolve("release"),
                "MODULES=\"%s\"\nJAVA_VERSION=\"17.0.9\"\n".formatted(modules));
        return new Shell(elsewhere)
                .with("JAVA_HOME", home.toString())
                .with("COUNTERFLOW_SKIP_BUILD", "1");
    }

    /** In a tree of its own, because other tests read the one of this build. */
    @Test
    void classesComeFromTheArchiveAndABrokenOneIsIgnored() throws Exception {
        Path target = Files.createDirectories(elsewhere.resolve("tree/cli/target"));
        Path launcher =
                Files.copy(
                        LAUNCHER,
                        Files.createDirectories(elsewhere.resolve("tree/bin")).resolve("cf"));
        Path built = LAUNCHER.resolveSibling("../cli/target").normalize();
        try (Stream<Path> files = Files.list(built)) {
            for (Path file :
                    files.filter(it -> it.toString().matches(".*SNAPSHOT\\.jar|.*/lib")).toList()) {
                Files.createSymbolicLink(target.resolve(file.getFileName()), file);
            }
        }
        Path loaded = elsewhere.resolve("loaded");
        shell.with("COUNTERFLOW_SKIP_BUILD", "")
                .with("COUNTERFLOW_JAVA_OPTS", "-Xlog:class+load:file=" + loaded);
        assertThat(shell.run(launcher.toString(), "--help").err()).isEmpty();
        String command = "io.counterflow.cli.Commands source: ";
        assertThat(Files.readString(loaded)).contains(command + "shared objects file");

        Path archive;
        try (Stream<Path> files = Files.list(target)) {
            archive = files.filter(it -> it.toString().endsWith(".jsa")).findAny().orElseThrow();
        }
        assertThat(archive.toFile().setWritable(true)).isTrue();
        Files.writeString(archive, "no archive");
        Shell.Ended ended = shell.run(launcher.toString(), "--help");
        assertThat(ended.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out()).startsWith("Usage: counterflow");
        assertThat(Files.readString(loaded)).contains(command).doesNotContain(command + "shared");
    }

    @Test
    void aReaderThatClosesThePipeEarlyIsNoError() throws Exception {
        String script =
                """
                mkfifo gone
                { read -r _ <gone; '%s' --help; echo "exit $?" >&2; } | echo leaving >gone
                """;
        Shell.Ended ended = shell.run("bash", "-c", script.formatted(LAUNCHER));
        assertThat(ended.err()).isEqualToIgnoringNewLines("exit 0");
    }

    @Test
    void resultsThatCannotBeWrittenAreAnError() throws Exception {
        Path full = Path.of("/dev/full");
        assumeThat(full).exists(); // Linux has it, macOS does not
        Shell.Ended ended = shell.run("bash", "-c", "'" + LAUNCHER + "' --version >/dev/full");
        assertThat(ended.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(ended.err()).startsWith("counterflow: cannot write to standard output: ");
    }
}
