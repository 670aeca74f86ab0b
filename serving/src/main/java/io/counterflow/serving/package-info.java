/** The process that users' programs talk to. */
@NullMarked
package io.counterflow.serving;

import org.jspecify.annotations.NullMarked;
