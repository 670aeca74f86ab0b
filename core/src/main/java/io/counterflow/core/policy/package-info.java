/** Policies: from features to a distribution over actions, and draws from it. */
@NullMarked
package io.counterflow.core.policy;

import org.jspecify.annotations.NullMarked;
