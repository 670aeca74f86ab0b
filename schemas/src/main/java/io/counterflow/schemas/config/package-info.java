/** The configuration file: the table of all options, and how their values are read. */
@NullMarked
package io.counterflow.schemas.config;

import org.jspecify.annotations.NullMarked;
