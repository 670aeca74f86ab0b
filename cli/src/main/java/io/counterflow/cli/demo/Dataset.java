package io.counterflow.cli.demo;

import java.util.Locale;

/** The simulated traffic of the demo: readers of a news page, or images of clothes. */
enum Dataset {
    SYNTHETIC,
    FASHION_MNIST;

    /** The name on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
