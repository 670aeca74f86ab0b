/** The paper's first table: all methods, with cross-validated settings. */
@NullMarked
package io.counterflow.experiments.table1;

import org.jspecify.annotations.NullMarked;
