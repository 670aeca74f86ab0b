/** All loops by health, for the start of the dashboard. */
@NullMarked
package io.counterflow.serving.overview;

import org.jspecify.annotations.NullMarked;
