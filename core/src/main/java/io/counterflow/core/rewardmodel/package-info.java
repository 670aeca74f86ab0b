/**
 * Reward models: ridge regression by normal equations or conjugate gradients, with cross-fitting.
 */
@NullMarked
package io.counterflow.core.rewardmodel;

import org.jspecify.annotations.NullMarked;
