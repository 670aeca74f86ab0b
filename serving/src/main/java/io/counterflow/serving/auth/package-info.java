/** Who calls, and what they may do. */
@NullMarked
package io.counterflow.serving.auth;

import org.jspecify.annotations.NullMarked;
