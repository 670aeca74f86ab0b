/** Off-policy estimates on the Open Bandit Dataset. */
@NullMarked
package io.counterflow.experiments.openbandit;

import org.jspecify.annotations.NullMarked;
