/**
 * Frozen policies as they are published: parameters, lineage, how they are served, what the data
 * says.
 */
@NullMarked
package io.counterflow.core.snapshot;

import org.jspecify.annotations.NullMarked;
