package io.counterflow.core.loop;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.policy.VersionParameters;
import java.util.Optional;
import java.util.Set;

/**
 * Stores the large parts of a loop, which it reads only when it needs them: the parameters of its
 * versions and the blocks of its example buffer.
 */
public interface LoopStorage {

    /** The parameters of a version; empty if they are not stored. */
    Optional<VersionParameters> parameters(long version);

    /** Stores the parameters of a version. */
    void keep(long version, VersionParameters parameters);

    /** Removes the parameters of a version. */
    void forget(long version);

    Set<Long> versions();

    /**
     * The examples of a block. Must not be modified.
     *
     * @param first the number of its first example
     * @throws IllegalStateException if the block is not stored
     */
    ExampleLog block(long first);

    /**
     * Stores a block.
     *
     * @param examples not modified afterwards
     */
    void keepBlock(long first, ExampleLog examples);

    /** Removes a block. */
    void forgetBlock(long first);
}
