/** Decision problems whose truth is known, for tests here and in other modules. */
@NullMarked
package io.counterflow.core.simulation;

import org.jspecify.annotations.NullMarked;
