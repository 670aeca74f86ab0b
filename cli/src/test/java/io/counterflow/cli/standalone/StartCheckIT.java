package io.counterflow.cli.standalone;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.cli.console.BadInputException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class StartCheckIT {

    @Test
    void aPortInUseIsReportedWithItsOption() throws IOException {
        InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        try (ServerSocket taken = new ServerSocket(0, 1, loopback)) {
            int port = taken.getLocalPort();
            assertThatThrownBy(() -> StartCheck.requireFree("--port", port))
                    .isInstanceOf(BadInputException.class)
                    .hasMessageStartingWith("--port: " + port + " is in use");
        }
        assertThatThrownBy(() -> StartCheck.requireFree("--kafka-port", 70_000))
                .hasMessage("--kafka-port must be in [0, 65535], got 70000");
    }

    @Test
    void tooLittleMemoryOrDiskIsReportedBeforeTheStart() {
        assertThatThrownBy(() -> StartCheck.requireHeap(128))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("COUNTERFLOW_JAVA_OPTS=-Xmx");
        assertThatThrownBy(() -> StartCheck.requireDisk(Path.of("data"), 100))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("--directory");
    }
}
