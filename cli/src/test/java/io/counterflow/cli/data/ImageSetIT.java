package io.counterflow.cli.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.counterflow.cli.console.BadInputException;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ImageSetIT {

    private static final Path FASHION_MNIST = Path.of("../../shared/data/fashion-mnist");
    private static final int IMAGES = 0x0803;
    private static final int LABELS = 0x0801;

    @TempDir private Path dir;

    private static byte[] idx(int magic, int[] sizes, int... values) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(magic);
        for (int size : sizes) {
            out.writeInt(size);
        }
        for (int value : values) {
            out.writeByte(value);
        }
        return bytes.toByteArray();
    }

    private void packed(String name, byte[] content) throws IOException {
        try (OutputStream out =
                new GZIPOutputStream(Files.newOutputStream(dir.resolve(name + ".gz")))) {
            out.write(content);
        }
    }

    private void images(byte[] content) throws IOException {
        packed("train-images-idx3-ubyte", content);
    }

    private void labels(byte[] content) throws IOException {
        packed("train-labels-idx1-ubyte", content);
    }

    private ImageSet read() throws IOException {
        return ImageSet.read(dir, ImageSet.Part.TRAIN);
    }

    private static byte[] twoImages() throws IOException {
        return idx(IMAGES, new int[] {2, 1, 2}, 0, 255, 51, 102);
    }

    @Test
    void imagesHaveTheirLabels() throws IOException {
        images(twoImages());
        labels(idx(LABELS, new int[] {2}, 3, 9));
        ImageSet set = read();
        assertThat(set.size()).isEqualTo(2);
        assertThat(set.pixels()).isEqualTo(2);
        assertThat(set.image(0)).containsExactly(0.0f, 1.0f);
        assertThat(set.image(1)).containsExactly(0.2f, 0.4f);
        assertThat(set.label(1)).isEqualTo(9);
    }

    @Test
    void uncompressedFilesAreReadToo() throws IOException {
        Files.write(dir.resolve("t10k-images-idx3-ubyte"), twoImages());
        Files.write(dir.resolve("t10k-labels-idx1-ubyte"), idx(LABELS, new int[] {2}, 1, 2));
        assertThat(ImageSet.read(dir, ImageSet.Part.TEST).label(0)).isEqualTo(1);
    }

    @Test
    void aMissingFileIsNamed() {
        assertThatThrownBy(this::read)
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("train-images-idx3-ubyte.gz");
    }

    @Test
    void aTruncatedFileIsRefused() throws IOException {
        labels(idx(LABELS, new int[] {2}, 3, 9));
        images(Arrays.copyOf(twoImages(), twoImages().length - 1));
        assertThatThrownBy(this::read)
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("is it truncated?");
        byte[] whole = Files.readAllBytes(dir.resolve("train-images-idx3-ubyte.gz"));
        Files.write(
                dir.resolve("train-images-idx3-ubyte.gz"), Arrays.copyOf(whole, whole.length / 2));
        assertThatThrownBy(this::read).isInstanceOf(BadInputException.class);
    }

    @Test
    void aFileWithExtraBytesIsRefused() throws IOException {
        labels(idx(LABELS, new int[] {2}, 3, 9));
        images(Arrays.copyOf(twoImages(), twoImages().length + 1));
        assertThatThrownBy(this::read)
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("but has more");
    }

    @Test
    void labelsInsteadOfImagesAreRefused() throws IOException {
        images(idx(LABELS, new int[] {2}, 3, 9));
        labels(idx(LABELS, new int[] {2}, 3, 9));
        assertThatThrownBy(this::read)
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("must begin with 0x00000803")
                .hasMessageContaining("got 0x00000801");
    }

    @Test
    void aHeaderWithTooManyValuesIsRefused() throws IOException {
        labels(idx(LABELS, new int[] {1}, 3));
        images(idx(IMAGES, new int[] {Integer.MAX_VALUE, Integer.MAX_VALUE, 2}));
        assertThatThrownBy(this::read)
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("must have at most");
        images(idx(IMAGES, new int[] {-1, 28, 28}));
        assertThatThrownBy(this::read)
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("sizes of at least 1, got -1");
    }

    @Test
    void imagesAndLabelsMustHaveTheSameNumber() throws IOException {
        images(twoImages());
        labels(idx(LABELS, new int[] {3}, 3, 9, 1));
        assertThatThrownBy(this::read)
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("2 images")
                .hasMessageContaining("3 labels");
    }

    @Test
    void aLabelOutOfRangeIsRefused() throws IOException {
        images(twoImages());
        labels(idx(LABELS, new int[] {2}, 3, 10));
        assertThatThrownBy(this::read)
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("labels below 10, got 10 at image 1");
    }

    @Test
    void anUncompressedFileWithTheSuffixGzIsRefused() throws IOException {
        labels(idx(LABELS, new int[] {2}, 3, 9));
        Files.write(dir.resolve("train-images-idx3-ubyte.gz"), twoImages());
        assertThatThrownBy(this::read)
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("must be compressed with gzip");
    }

    @Test
    void fashionMnistCanBeRead() throws IOException {
        assumeThat(FASHION_MNIST).as("skipped: Fashion-MNIST is not on this machine").exists();
        ImageSet train = ImageSet.read(FASHION_MNIST, ImageSet.Part.TRAIN);
        assertThat(train.size()).isEqualTo(60_000);
        assertThat(train.pixels()).isEqualTo(784);
        int[] perClass = new int[ImageSet.CLASSES];
        for (int i = 0; i < train.size(); i++) {
            perClass[train.label(i)]++;
        }
        assertThat(perClass).containsOnly(6_000);
        assertThat(ImageSet.read(FASHION_MNIST, ImageSet.Part.TEST).size()).isEqualTo(10_000);
    }
}
