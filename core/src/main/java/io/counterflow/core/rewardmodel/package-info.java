/**
 * Reward models: ridge regression by normal equations or conjugate gradients, with cross-fitting;
 * and logistic regression that learns from a stream in one pass.
 */
@NullMarked
package io.counterflow.core.rewardmodel;

import org.jspecify.annotations.NullMarked;
