package io.counterflow.cli.demo;

/** What the demo plays. */
public enum Dataset {
    /** A news page whose readers are simulated. */
    SYNTHETIC("synthetic"),
    /** Images of clothes, to be put into one of ten classes. */
    FASHION_MNIST("fashion-mnist");

    private final String label;

    Dataset(String label) {
        this.label = label;
    }

    /** The word on the command line. */
    @Override
    public String toString() {
        return label;
    }
}
