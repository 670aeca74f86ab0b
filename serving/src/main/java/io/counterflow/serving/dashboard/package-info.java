/** The page that shows loops at work: files inside the program, served as they are. */
@NullMarked
package io.counterflow.serving.dashboard;

import org.jspecify.annotations.NullMarked;
