/** Turns logs, and the decisions on topics, into files of other formats. */
@NullMarked
package io.counterflow.cli.exports;

import org.jspecify.annotations.NullMarked;
