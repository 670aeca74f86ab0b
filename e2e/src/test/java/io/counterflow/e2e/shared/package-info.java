/**
 * The broker and the cluster that test classes share, the check that they leave nothing open, and
 * programs that may be missing.
 */
@NullMarked
package io.counterflow.e2e.shared;

import org.jspecify.annotations.NullMarked;
