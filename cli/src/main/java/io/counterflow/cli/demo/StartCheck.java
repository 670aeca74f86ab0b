package io.counterflow.cli.demo;

import io.counterflow.cli.console.BadInputException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
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
        InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true); // as serving does: a port that was just closed is free
            socket.bind(new InetSocketAddress(loopback, port));
        } catch (BindException e) {
            throw new BadInputException(
                    "--port: %d is in use; choose another port, or 0 for any free port"
                            .formatted(port),
                    e);
        }
    }
}
