package io.counterflow.cli.standalone;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.embedded.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Checks the requirements of broker, job and serving before anything starts. */
public final class StartCheck {

    private static final int MIB = 20;
    private static final long MIN_HEAP_MIB = 384;
    private static final long MIN_DISK_MIB = 2_048;

    private StartCheck() {}

    public static void requireResources(Path directory) throws IOException {
        requireHeap(Runtime.getRuntime().maxMemory() >> MIB);
        requireDisk(directory, Files.getFileStore(directory).getUsableSpace() >> MIB);
    }

    static void requireHeap(long mib) {
        if (mib < MIN_HEAP_MIB) {
            throw new BadInputException(
                    "the heap is limited to %,d MB, but this command needs %,d; set COUNTERFLOW_JAVA_OPTS=-Xmx1g"
                            .formatted(mib, MIN_HEAP_MIB));
        }
    }

    static void requireDisk(Path directory, long mib) {
        if (mib < MIN_DISK_MIB) {
            throw new BadInputException(
                    "%s has %,d MB of free disk space, but this command needs %,d; choose another --directory"
                            .formatted(directory, mib, MIN_DISK_MIB));
        }
    }

    /**
     * Checks a port of this machine.
     *
     * @param option the option that names it
     */
    public static void requireFree(String option, int port) throws IOException {
        if (port < 0 || port > 65_535) {
            throw new BadInputException("%s must be in [0, 65535], got %d".formatted(option, port));
        }
        if (!EmbeddedKafka.isFree(port)) {
            throw new BadInputException(
                    "%s: %d is in use; choose another port, or 0 for any free port"
                            .formatted(option, port));
        }
    }
}
