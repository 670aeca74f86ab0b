/** Rules of the whole project. */
@NullMarked
package io.counterflow.e2e;

import org.jspecify.annotations.NullMarked;
