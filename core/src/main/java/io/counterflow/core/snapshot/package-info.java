/** Published snapshots of policies: parameters, lineage, decision rule and certificate. */
@NullMarked
package io.counterflow.core.snapshot;

import org.jspecify.annotations.NullMarked;
