package io.counterflow.schemas.log;

/** Is told how far a file has been read. */
@FunctionalInterface
public interface ReadProgress {

    /**
     * Called after each portion of some tens of kilobytes.
     *
     * @param bytesRead bytes of the file read so far, as they lie on disk
     * @param totalBytes the file's size
     */
    void read(long bytesRead, long totalBytes);

    /** Nobody is told. */
    static ReadProgress none() {
        return (bytesRead, totalBytes) -> {};
    }
}
