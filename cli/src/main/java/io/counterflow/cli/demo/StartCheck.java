package io.counterflow.cli.demo;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.embedded.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Checks the requirements of the demo before anything starts. */
final class StartCheck {

    private static final int MIB = 20;
    private static final long MIN_HEAP_MIB = 384;
    private static final long MIN_DISK_MIB = 2_048;

    private StartCheck() {}

    static void requireAll(int port, Path directory) throws IOException {
        requireHeap(Runtime.getRuntime().maxMemory() >> MIB);
        requireDisk(directory, Files.getFileStore(directory).getUsableSpace() >> MIB);
        requireFree(port);
    }

    static void requireHeap(long mib) {
        if (mib < MIN_HEAP_MIB) {
            throw new BadInputException(
                    "the heap is limited to %,d MB, but the demo needs %,d; set COUNTERFLOW_JAVA_OPTS=-Xmx1g"
                            .formatted(mib, MIN_HEAP_MIB));
        }
    }

    static void requireDisk(Path directory, long mib) {
        if (mib < MIN_DISK_MIB) {
            throw new BadInputException(
                    "%s has %,d MB of free disk space, but the demo needs %,d; choose another --directory"
                            .formatted(directory, mib, MIN_DISK_MIB));
        }
    }

    static void requireFree(int port) throws IOException {
        if (!EmbeddedKafka.isFree(port)) {
            throw new BadInputException(
                    "--port: %d is in use; choose another port, or 0 for any free port"
                            .formatted(port));
        }
    }
}
