/**
 * The broker and the cluster that test classes share, and the check that they leave nothing open.
 */
@NullMarked
package io.counterflow.e2e.shared;

import org.jspecify.annotations.NullMarked;
