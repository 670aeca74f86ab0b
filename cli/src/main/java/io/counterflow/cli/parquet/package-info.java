/** Writes Parquet files, without the libraries of Hadoop. */
@NullMarked
package io.counterflow.cli.parquet;

import org.jspecify.annotations.NullMarked;
