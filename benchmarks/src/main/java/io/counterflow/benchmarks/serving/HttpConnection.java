package io.counterflow.benchmarks.serving;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A persistent connection with one request at a time. It does as little work as possible, because
 * the benchmark measures the server.
 */
final class HttpConnection implements AutoCloseable {

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final byte[] line = new byte[8 << 10];

    HttpConnection(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream(), 64 << 10);
        out = socket.getOutputStream();
    }

    /** A complete request, which can be sent many times. */
    static byte[] request(String method, String path, String body) {
        byte[] content = body.getBytes(StandardCharsets.UTF_8);
        String head =
                "%s %s HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
                        .formatted(method, path, content.length);
        byte[] bytes = head.getBytes(StandardCharsets.US_ASCII);
        byte[] request = java.util.Arrays.copyOf(bytes, bytes.length + content.length);
        System.arraycopy(content, 0, request, bytes.length, content.length);
        return request;
    }

    /**
     * Sends a request and reads the response.
     *
     * @return length of the response body
     */
    int call(byte[] request) throws IOException {
        out.write(request);
        String status = readLine();
        int length = 0;
        for (String header = readLine(); !header.isEmpty(); header = readLine()) {
            if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(header.substring("content-length:".length()).trim());
            }
        }
        in.skipNBytes(length);
        if (!status.startsWith("HTTP/1.1 2")) {
            throw new IOException("the server answered " + status);
        }
        return length;
    }

    private String readLine() throws IOException {
        int length = 0;
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("the server closed the connection");
            }
            line[length++] = (byte) b;
        }
        return new String(line, 0, Math.max(0, length - 1), StandardCharsets.US_ASCII);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
