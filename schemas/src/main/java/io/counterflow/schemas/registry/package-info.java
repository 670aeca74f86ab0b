/** The encoding of Confluent's schema registry, for topics. */
@NullMarked
package io.counterflow.schemas.registry;

import org.jspecify.annotations.NullMarked;
