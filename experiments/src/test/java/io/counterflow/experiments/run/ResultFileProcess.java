package io.counterflow.experiments.run;

import io.counterflow.cli.console.BadInputException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A second process that uses a result file. */
final class ResultFileProcess {

    static final String REFUSED = "refused: ";

    private ResultFileProcess() {}

    /**
     * Appends results and prints how many it has appended, or why the file cannot be opened.
     *
     * @param args the file and the number of results to append
     */
    public static void main(String[] args) throws IOException {
        int added = 0;
        try (ResultFile results = ResultFile.open(Path.of(args[0]))) {
            while (added < Integer.parseInt(args[1])) {
                results.append(List.of(key(added)), List.of(Measured.onHoldout(0.5)));
                added++;
            }
        } catch (BadInputException e) {
            System.out.print(REFUSED + e.getMessage());
            return;
        } catch (IOException e) {
            System.out.print(added + " before " + e.getClass().getSimpleName());
            return;
        }
        System.out.print(added);
    }

    static UnitKey key(int trial) {
        return new UnitKey("process", "d", "s", trial, "m", "", 1.0, 0, 1, 1);
    }

    /**
     * Runs the process and returns its output.
     *
     * @param limit a shell command to run first, such as one that limits the size of files
     */
    static String run(String limit, Path file, int results)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("bash", "-c", limit + "; exec \"$@\"", "-"));
        command.addAll(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:-UsePerfData", // because its file would be subject to the limit
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ResultFileProcess.class.getName(),
                        file.toString(),
                        Integer.toString(results)));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            String said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new AssertionError("the process must end well, got " + process);
            }
            return said;
        } finally {
            process.destroyForcibly();
        }
    }
}
