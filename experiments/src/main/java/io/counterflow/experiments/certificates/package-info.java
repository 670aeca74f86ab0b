/** Certificates of learned policies beside their true values. */
@NullMarked
package io.counterflow.experiments.certificates;

import org.jspecify.annotations.NullMarked;
