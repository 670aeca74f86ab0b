package io.counterflow.schemas.log;

/** Receives the progress of reading a file. */
@FunctionalInterface
public interface ReadProgress {

    /**
     * Called after each part of some tens of kilobytes.
     *
     * @param bytesRead bytes of the file read so far, before decompression
     * @param totalBytes the file's size
     */
    void read(long bytesRead, long totalBytes);

    static ReadProgress none() {
        return (bytesRead, totalBytes) -> {};
    }
}
