/** Takes a decision with one policy and one spec. */
@NullMarked
package io.counterflow.client.rank;

import org.jspecify.annotations.NullMarked;
