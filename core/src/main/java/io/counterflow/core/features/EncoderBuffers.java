package io.counterflow.core.features;

import java.util.HashMap;
import java.util.Map;

/**
 * Memory that encoders reuse from request to request. Encoders of any number of loops can share the
 * buffers of one thread. After a large request they shrink again. Not thread safe.
 */
public final class EncoderBuffers {

    final NamespaceRuns context = new NamespaceRuns();
    final NamespaceRuns actions = new NamespaceRuns();

    /** By namespace of the actions. */
    final Map<String, Partners> partners = new HashMap<>();

    /** Number of features of a context and of actions for which there is room. */
    int capacity() {
        return context.capacity() + actions.capacity();
    }

    void shrink() {
        context.shrink();
        actions.shrink();
        partners.clear();
    }
}
