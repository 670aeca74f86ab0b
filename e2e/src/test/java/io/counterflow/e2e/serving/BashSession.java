package io.counterflow.e2e.serving;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** A shell that stays open, so that commands see the variables of earlier ones. */
final class BashSession implements AutoCloseable {

    private final Process bash;
    private final Writer in;
    private final BufferedReader out;
    private final String mark = "end-of-" + UUID.randomUUID();

    BashSession(Path directory) throws IOException {
        bash =
                new ProcessBuilder("bash", "--norc")
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .start();
        in = bash.outputWriter(StandardCharsets.UTF_8);
        out =
                new BufferedReader(
                        new InputStreamReader(bash.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Runs a command and returns its output without the last line break. */
    String run(String command) throws IOException {
        in.write(command + "\nprintf '\\n%s\\n' '" + mark + "'\n");
        in.flush();
        StringBuilder printed = new StringBuilder();
        for (String line = out.readLine(); !mark.equals(line); line = out.readLine()) {
            if (line == null) {
                throw new IOException("the shell has ended after: " + printed);
            }
            printed.append(line).append('\n');
        }
        return printed.toString().stripTrailing();
    }

    @Override
    public void close() throws IOException {
        in.close();
        try {
            if (!bash.waitFor(10, TimeUnit.SECONDS)) {
                bash.destroyForcibly();
            }
        } catch (InterruptedException e) {
            bash.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
