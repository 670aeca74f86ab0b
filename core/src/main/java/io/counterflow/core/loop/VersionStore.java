package io.counterflow.core.loop;

import io.counterflow.core.policy.VersionParameters;
import java.util.Optional;
import java.util.Set;

/** Stores the parameters of the versions of a loop. */
public interface VersionStore {

    /** The parameters of a version; empty if they are not stored. */
    Optional<VersionParameters> parameters(long version);

    /** Stores the parameters of a version. */
    void keep(long version, VersionParameters parameters);

    /** Removes the parameters of a version. */
    void forget(long version);

    Set<Long> versions();
}
