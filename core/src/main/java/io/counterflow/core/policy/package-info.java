/** Policies: distributions over actions, and draws from them. */
@NullMarked
package io.counterflow.core.policy;

import org.jspecify.annotations.NullMarked;
