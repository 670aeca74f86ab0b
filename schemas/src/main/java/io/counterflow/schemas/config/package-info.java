/** The form of every process's configuration: one YAML file, and variables that win over it. */
@NullMarked
package io.counterflow.schemas.config;

import org.jspecify.annotations.NullMarked;
