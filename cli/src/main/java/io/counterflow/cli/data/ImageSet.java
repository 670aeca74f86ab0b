package io.counterflow.cli.data;

import io.counterflow.cli.console.BadInputException;
import java.io.IOException;
import java.nio.file.Path;

/** Labelled images, as in MNIST and Fashion-MNIST. Immutable. */
public final class ImageSet {

    public static final int CLASSES = 10;

    public enum Part {
        TRAIN("train"),
        TEST("t10k");

        private final String prefix;

        Part(String prefix) {
            this.prefix = prefix;
        }
    }

    private static final float BRIGHTEST = 255.0f;

    private final IdxFile images;
    private final IdxFile labels;

    private ImageSet(IdxFile images, IdxFile labels) {
        this.images = images;
        this.labels = labels;
    }

    /**
     * Reads the files {@code train-images-idx3-ubyte.gz} and {@code train-labels-idx1-ubyte.gz}, or
     * those of {@code t10k}; also without {@code .gz}.
     *
     * @throws BadInputException if a file is missing or damaged, or their sizes differ
     */
    public static ImageSet read(Path directory, Part part) throws IOException {
        Path imageFile = IdxFile.require(directory, part.prefix + "-images-idx3-ubyte");
        Path labelFile = IdxFile.require(directory, part.prefix + "-labels-idx1-ubyte");
        IdxFile images = IdxFile.read(imageFile, 3);
        IdxFile labels = IdxFile.read(labelFile, 1);
        if (images.size(0) != labels.size(0)) {
            throw new BadInputException(
                    "%s has %,d images, but %s has %,d labels"
                            .formatted(imageFile, images.size(0), labelFile, labels.size(0)));
        }
        for (int i = 0; i < labels.size(0); i++) {
            if (labels.value(i) >= CLASSES) {
                throw new BadInputException(
                        "%s must have labels below %d, got %d at image %,d"
                                .formatted(labelFile, CLASSES, labels.value(i), i));
            }
        }
        return new ImageSet(images, labels);
    }

    public int size() {
        return images.size(0);
    }

    public int pixels() {
        return images.size(1) * images.size(2);
    }

    public int label(int image) {
        return labels.value(image);
    }

    /** The pixels of an image, row by row, from 0 to 1. */
    public float[] image(int image) {
        int pixels = pixels();
        if (image < 0 || image >= size()) {
            throw new IllegalArgumentException(
                    "image must be in [0, %d), got %d".formatted(size(), image));
        }
        float[] values = new float[pixels];
        for (int p = 0; p < pixels; p++) {
            values[p] = images.value(image * pixels + p) / BRIGHTEST;
        }
        return values;
    }
}
