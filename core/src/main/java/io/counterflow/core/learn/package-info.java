/** Learning the parameters of policies: AdaGrad, mini-batches and training. */
@NullMarked
package io.counterflow.core.learn;

import org.jspecify.annotations.NullMarked;
