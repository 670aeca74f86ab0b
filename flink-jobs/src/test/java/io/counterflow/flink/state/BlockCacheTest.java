package io.counterflow.flink.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import org.junit.jupiter.api.Test;

final class BlockCacheTest {

    private static final long BYTES = block().bytes();

    private final BlockCache cache = new BlockCache(3 * BYTES);

    private static ExampleLog block() {
        ExampleLog block = new ExampleLog();
        block.add(new LoggedExample(DenseVector.of(1.0f, 2.0f), 0, 0.5, 1.0, 1));
        return block;
    }

    @Test
    void theLeastRecentlyUsedBlockIsRemovedFirst() {
        cache.put("home", 0, block());
        cache.put("home", 64, block());
        cache.put("mail", 0, block());
        assertThat(cache.get("home", 0)).isPresent(); // used again
        cache.put("mail", 64, block());
        assertThat(cache.get("home", 64)).isEmpty();
        assertThat(cache.get("home", 0)).isPresent();
        assertThat(cache.get("mail", 0)).isPresent();
        assertThat(cache.bytes()).isEqualTo(3 * BYTES);
    }

    @Test
    void aBlockThatIsAddedAgainIsReplacedAndCountsOnce() {
        ExampleLog newer = block();
        cache.put("home", 0, block());
        cache.put("home", 0, newer);
        assertThat(cache.get("home", 0).orElseThrow()).isSameAs(newer);
        assertThat(cache.bytes()).isEqualTo(BYTES);
    }

    @Test
    void aBlockThatIsLargerThanTheCacheIsNotKept() {
        BlockCache small = new BlockCache(BYTES - 1);
        small.put("home", 0, block());
        assertThat(small.get("home", 0)).isEmpty();
        assertThat(small.bytes()).isZero();
    }

    @Test
    void allBlocksOfALoopCanBeRemoved() {
        cache.put("home", 0, block());
        cache.put("mail", 0, block());
        cache.put("home", 64, block());
        cache.removeAll("home");
        assertThat(cache.get("home", 0)).isEmpty();
        assertThat(cache.get("home", 64)).isEmpty();
        assertThat(cache.get("mail", 0)).isPresent();
        assertThat(cache.bytes()).isEqualTo(BYTES);
    }

    @Test
    void blocksThatAreReadFromStateAreCounted() {
        cache.put("home", 0, block());
        assertThat(cache.reads()).isZero();
        cache.putRead("home", 64, block());
        assertThat(cache.reads()).isEqualTo(1);
    }
}
