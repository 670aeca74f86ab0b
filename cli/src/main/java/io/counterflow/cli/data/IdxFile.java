package io.counterflow.cli.data;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.Figures;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * An array of bytes in the IDX format of MNIST: two zero bytes, the type (8 for unsigned bytes),
 * the number of dimensions, their sizes as big-endian integers, and the values.
 *
 * <p>Refuses a file that ends early, has more bytes than its header says, or has another type.
 */
public final class IdxFile {

    private static final int UNSIGNED_BYTES = 0x08;

    /** More than any such data set has; an array can hold it. */
    private static final long MAX_VALUES = 1L << 30;

    private final int[] sizes;
    private final byte[] values;

    private IdxFile(int[] sizes, byte[] values) {
        this.sizes = sizes;
        this.values = values;
    }

    /** Finds a file in a directory, with or without the suffix {@code .gz}. */
    public static Optional<Path> find(Path directory, String name) {
        return Stream.of(name + ".gz", name)
                .map(directory::resolve)
                .filter(Files::isRegularFile)
                .findFirst();
    }

    public static Path require(Path directory, String name) {
        return find(directory, name)
                .orElseThrow(
                        () ->
                                new BadInputException(
                                        "%s must have a file %s.gz or %s, got neither"
                                                .formatted(directory, name, name)));
    }

    /**
     * Reads a file, and decompresses it if its name ends in {@code .gz}.
     *
     * @param dimensions the expected number: 3 for images, 2 for features, 1 for labels
     * @throws BadInputException if it is not a valid file
     */
    public static IdxFile read(Path file, int dimensions) throws IOException {
        try (InputStream raw = Files.newInputStream(file);
                InputStream unpacked =
                        file.toString().endsWith(".gz") ? new GZIPInputStream(raw, 1 << 16) : raw;
                DataInputStream in =
                        new DataInputStream(new BufferedInputStream(unpacked, 1 << 16))) {
            int[] sizes = sizes(in, dimensions, file);
            int count = count(sizes, file);
            byte[] values = in.readNBytes(count); // allocates as it reads, whatever the header says
            if (values.length < count) {
                throw new EOFException();
            }
            if (in.read() >= 0) {
                throw new BadInputException(
                        "%s must end after the %,d values that its header announces, but has more"
                                .formatted(file, values.length));
            }
            return new IdxFile(sizes, values);
        } catch (EOFException e) {
            throw new BadInputException(
                    file + " ends before the values that its header announces: is it truncated?",
                    e);
        } catch (ZipException e) {
            throw new BadInputException(
                    "%s must be compressed with gzip: %s".formatted(file, e.getMessage()), e);
        }
    }

    private static int[] sizes(DataInputStream in, int dimensions, Path file) throws IOException {
        int magic = in.readInt();
        int wanted = UNSIGNED_BYTES << 8 | dimensions;
        if (magic != wanted) {
            throw new BadInputException(
                    "%s must begin with 0x%08x, unsigned bytes in %s, got 0x%08x"
                            .formatted(
                                    file,
                                    wanted,
                                    Figures.count(dimensions, "dimension", "dimensions"),
                                    magic));
        }
        int[] sizes = new int[dimensions];
        for (int d = 0; d < dimensions; d++) {
            sizes[d] = in.readInt();
            if (sizes[d] < 1) {
                throw new BadInputException(
                        "%s must have sizes of at least 1, got %d".formatted(file, sizes[d]));
            }
        }
        return sizes;
    }

    private static int count(int[] sizes, Path file) {
        long count = 1;
        for (int size : sizes) {
            count *= size; // at most 2^30 times 2^31: no overflow
            if (count > MAX_VALUES) {
                throw new BadInputException(
                        "%s must have at most %,d values, got more".formatted(file, MAX_VALUES));
            }
        }
        return (int) count;
    }

    public int size(int dimension) {
        return sizes[dimension];
    }

    /** One value, from 0 to 255, counted over all dimensions. */
    public int value(int index) {
        return values[index] & 0xff;
    }
}
