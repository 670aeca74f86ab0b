/** The dashboard in a real browser, and what other dashboards are fed with. */
@NullMarked
package io.counterflow.cli.dashboard;

import org.jspecify.annotations.NullMarked;
