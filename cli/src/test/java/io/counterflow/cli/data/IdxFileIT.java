package io.counterflow.cli.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.counterflow.cli.console.BadInputException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class IdxFileIT {

    @TempDir private Path dir;

    @Test
    void aLargeHeaderOfASmallFileAllocatesLittleMemory() throws IOException {
        IdxFiles.write(dir, "huge", new int[] {1 << 15, 1 << 15}, new byte[100]);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        assertThatThrownBy(() -> IdxFile.read(dir.resolve("huge.gz"), 2))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("ends before the values that its header announces");
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(64L << 20);
    }
}
