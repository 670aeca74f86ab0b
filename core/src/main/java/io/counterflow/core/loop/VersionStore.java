package io.counterflow.core.loop;

import io.counterflow.core.policy.LinearModel;
import java.util.Optional;
import java.util.Set;

/** Where the parameters of a loop's versions are kept. */
public interface VersionStore {

    /** The parameters of a version; empty when they are not kept. */
    Optional<LinearModel> model(long version);

    /** Keeps the parameters of a version. */
    void keep(long version, LinearModel model);

    /** Forgets the parameters of a version. */
    void forget(long version);

    /** All versions that are kept. */
    Set<Long> versions();
}
