package io.counterflow.schemas.config;

import io.counterflow.core.numeric.Require;
import java.net.URI;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** The value of {@code storage.directory}, which the job writes to and serving reads from. */
public final class StorageDirectory {

    private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*");

    private StorageDirectory() {}

    /** The directory as a URI, without a slash at its end. A plain path is on this machine. */
    public static String uri(String directory) {
        Require.that(!directory.isBlank(), "storage.directory must be given, got none");
        String uri =
                SCHEME.matcher(directory).matches()
                        ? URI.create(directory).toString()
                        : Path.of(directory).toAbsolutePath().normalize().toUri().toString();
        return uri.endsWith("/") ? uri.substring(0, uri.length() - 1) : uri;
    }
}
