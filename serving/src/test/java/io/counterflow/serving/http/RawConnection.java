package io.counterflow.serving.http;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A connection on which a test sends any bytes. */
final class RawConnection implements AutoCloseable {

    private static final int TIMEOUT_MS = 30_000;

    private final Socket socket = new Socket();
    private final InputStream in;
    private final OutputStream out;

    RawConnection(int port) {
        try {
            socket.setReceiveBufferSize(16 << 10);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            in = new BufferedInputStream(socket.getInputStream());
            out = socket.getOutputStream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends lines of a head, without the empty line that ends it. */
    RawConnection head(String... lines) {
        return send(String.join("\r\n", lines) + "\r\nHost: localhost\r\n");
    }

    RawConnection end() {
        return send("\r\n");
    }

    RawConnection send(String text) {
        if (!trySend(text.getBytes(StandardCharsets.ISO_8859_1))) {
            throw new AssertionError("the connection is closed");
        }
        return this;
    }

    /** Sends bytes; false if the server has closed the connection. */
    boolean trySend(byte[] bytes) {
        try {
            out.write(bytes);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** The status and the headers of the next answer. Skips its body. */
    String answer() {
        try {
            socket.setSoTimeout(TIMEOUT_MS);
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int next = in.read();
                if (next < 0) {
                    throw new AssertionError("the connection is closed after: " + head);
                }
                head.append((char) next);
            }
            String lower = head.toString().toLowerCase(Locale.ROOT);
            int at = lower.indexOf("content-length: ");
            if (at >= 0) {
                int length = Integer.parseInt(lower.substring(at + 16, lower.indexOf('\r', at)));
                in.readNBytes(length);
            }
            return head.toString();
        } catch (IOException e) {
            throw new AssertionError("the connection is closed", e);
        }
    }

    int status() {
        return Integer.parseInt(answer().substring(9, 12));
    }

    /** Waits until the server has closed the connection, and skips what it has sent. */
    void awaitClosed() {
        try {
            socket.setSoTimeout(TIMEOUT_MS);
            in.transferTo(OutputStream.nullOutputStream());
        } catch (SocketTimeoutException e) {
            throw new AssertionError("the connection is still open", e);
        } catch (IOException e) { // reset
            return;
        }
    }

    /** Whether the server has closed the connection by now. */
    boolean isClosed() {
        try {
            socket.setSoTimeout(1);
            return in.read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) { // reset
            return true;
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
