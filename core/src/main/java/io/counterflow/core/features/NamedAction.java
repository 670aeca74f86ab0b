package io.counterflow.core.features;

/**
 * An action as a request names it.
 *
 * @param id its name, unique within the request
 * @param features what is known about it; may be empty
 */
public record NamedAction(String id, NamedFeatures features) {}
