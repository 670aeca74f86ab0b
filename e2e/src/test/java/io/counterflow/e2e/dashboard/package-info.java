/** The dashboard in a browser, and exported metrics. */
@NullMarked
package io.counterflow.e2e.dashboard;

import org.jspecify.annotations.NullMarked;
