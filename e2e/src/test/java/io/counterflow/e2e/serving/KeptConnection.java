package io.counterflow.e2e.serving;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A connection that stays open, for tests that send requests faster than the JDK's client. */
final class KeptConnection implements AutoCloseable {

    private static final String LENGTH = "content-length:";

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    KeptConnection(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    /** The body of the response, whose status must be 200. */
    byte[] post(String path, String body) throws IOException {
        byte[] content = body.getBytes(StandardCharsets.UTF_8);
        String request =
                "POST %s HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s"
                        .formatted(path, content.length, body);
        out.write(request.getBytes(StandardCharsets.UTF_8));
        String status = line();
        int length = 0;
        for (String header = line(); !header.isEmpty(); header = line()) {
            if (header.toLowerCase(Locale.ROOT).startsWith(LENGTH)) {
                length = Integer.parseInt(header.substring(LENGTH.length()).strip());
            }
        }
        byte[] answer = in.readNBytes(length);
        if (!status.startsWith("HTTP/1.1 200")) {
            throw new IOException(status + ": " + new String(answer, StandardCharsets.UTF_8));
        }
        return answer;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("the server closed the connection");
            }
            if (b != '\r') {
                line.append((char) b);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
