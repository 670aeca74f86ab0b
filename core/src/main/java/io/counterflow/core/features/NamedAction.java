package io.counterflow.core.features;

/**
 * An action in a request, with its features.
 *
 * @param id its name, unique within the request
 * @param features its features; may be empty
 */
public record NamedAction(String id, NamedFeatures features) {}
