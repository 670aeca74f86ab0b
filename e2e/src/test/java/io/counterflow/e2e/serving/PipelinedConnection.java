package io.counterflow.e2e.serving;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A connection that sends any bytes, also before earlier requests are answered. */
final class PipelinedConnection implements AutoCloseable {

    private final Socket socket;
    private final InputStream in;

    PipelinedConnection(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(30_000);
        in = new BufferedInputStream(socket.getInputStream(), 1 << 14);
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** Tells the server that nothing follows. */
    void end() throws IOException {
        socket.shutdownOutput();
    }

    /** An answer without its body. */
    record Answer(int status, String head) {

        boolean closes() {
            return head.contains("\nconnection: close");
        }

        @Override
        public String toString() {
            return head;
        }
    }

    /**
     * Reads the next answer.
     *
     * @param withoutBody whether it is the answer to a HEAD request
     * @throws EOFException if the server has closed the connection
     */
    Answer answer(boolean withoutBody) throws IOException {
        StringBuilder head = new StringBuilder(512);
        while (head.length() < 4
                || head.charAt(head.length() - 1) != '\n'
                || head.charAt(head.length() - 3) != '\n') {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("closed after: " + head);
            }
            head.append((char) next);
        }
        String lower = head.toString().toLowerCase(Locale.ROOT);
        int status = Integer.parseInt(lower.substring(9, 12));
        int at = lower.indexOf("\ncontent-length: ");
        if (status == 100) {
            return answer(withoutBody);
        }
        if (at >= 0 && !withoutBody && status != 304) {
            in.skipNBytes(Long.parseLong(lower.substring(at + 17, lower.indexOf('\r', at))));
        }
        return new Answer(status, lower);
    }

    /** The first bytes that arrive before the server closes the connection. */
    String start() throws IOException {
        try {
            return new String(in.readNBytes(1 << 12), StandardCharsets.ISO_8859_1);
        } catch (SocketException e) { // reset, because not all was read
            return "";
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
