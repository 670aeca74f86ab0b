/** Events of a loop: their order, their decoding, and the reasons for refusing them. */
@NullMarked
package io.counterflow.flink.event;

import org.jspecify.annotations.NullMarked;
