package io.counterflow.cli.demo;

/** The simulated traffic of the demo. */
enum Dataset {
    /** Simulated readers of a news page. */
    SYNTHETIC("synthetic"),
    /** Images of clothes in ten classes. */
    FASHION_MNIST("fashion-mnist");

    private final String label;

    Dataset(String label) {
        this.label = label;
    }

    /** The name on the command line. */
    @Override
    public String toString() {
        return label;
    }
}
