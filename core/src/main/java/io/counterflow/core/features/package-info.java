/** Features of decisions: context vectors, and hashed features of actions. */
@NullMarked
package io.counterflow.core.features;

import org.jspecify.annotations.NullMarked;
