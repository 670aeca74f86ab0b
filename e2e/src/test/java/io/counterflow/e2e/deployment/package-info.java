/** Images and the compose file compared with the code. */
@NullMarked
package io.counterflow.e2e.deployment;

import org.jspecify.annotations.NullMarked;
