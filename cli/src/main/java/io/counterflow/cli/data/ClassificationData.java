package io.counterflow.cli.data;

import io.counterflow.cli.BadInputException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Locale;
import java.util.zip.CRC32;

/**
 * A data set of the paper's experiments: contexts with the class that is the right action.
 *
 * @param kind which of the paper's
 * @param train to learn from
 * @param test to judge by
 * @param classes how many classes there are: the actions
 */
public record ClassificationData(Kind kind, LabelledSet train, LabelledSet test, int classes) {

    /** The data sets of the paper, told apart by the files in their directory. */
    public enum Kind {
        /** Images of 28 x 28 pixels, as in MNIST and Fashion-MNIST. */
        FASHION_MNIST("fashion-mnist"),
        /** CIFAR-100 as features of a deep network. */
        CIFAR_100("cifar-100");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        @Override
        public String toString() {
            return label;
        }
    }

    public ClassificationData {
        if (train.dimension() != test.dimension()) {
            throw new BadInputException(
                    "train and test must have as many features, got %,d and %,d"
                            .formatted(train.dimension(), test.dimension()));
        }
    }

    /**
     * Reads what a directory holds: the files of {@link ImageSet}, or those of {@link
     * FeatureFiles}.
     *
     * @throws BadInputException if it holds neither, or files that are damaged or do not fit
     *     together
     */
    public static ClassificationData read(Path directory) throws IOException {
        if (ImageSet.isIn(directory)) {
            return new ClassificationData(
                    Kind.FASHION_MNIST,
                    ImageSet.read(directory, ImageSet.Part.TRAIN).toLabelledSet(),
                    ImageSet.read(directory, ImageSet.Part.TEST).toLabelledSet(),
                    ImageSet.CLASSES);
        }
        if (FeatureFiles.areIn(directory)) {
            FeatureFiles files = new FeatureFiles(directory);
            return new ClassificationData(
                    Kind.CIFAR_100, files.train(), files.test(), FeatureFiles.CLASSES);
        }
        throw new BadInputException(
                "%s must hold images (train-images-idx3-ubyte.gz and so on) or features"
                                .formatted(directory)
                        + " (train-features-0-idx2-ubyte.gz and so on), got neither");
    }

    /** Eight hexadecimal digits that differ where shape or labels do. */
    public String fingerprint() {
        CRC32 crc = new CRC32();
        crc.update(
                ByteBuffer.allocate(16)
                        .putInt(train.size())
                        .putInt(test.size())
                        .putInt(train.dimension())
                        .putInt(classes)
                        .flip());
        for (LabelledSet set : new LabelledSet[] {train, test}) {
            for (int i = 0; i < set.size(); i++) {
                crc.update(set.label(i));
            }
        }
        return String.format(Locale.ROOT, "%08x", crc.getValue());
    }
}
