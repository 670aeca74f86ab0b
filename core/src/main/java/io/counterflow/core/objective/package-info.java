/** The objectives of the paper and others: losses, regularisers and their gradients. */
@NullMarked
package io.counterflow.core.objective;

import org.jspecify.annotations.NullMarked;
