package io.counterflow.benchmarks.serving;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * A persistent connection with one request at a time, which does not block. It does as little work
 * as possible, because the benchmark measures the server.
 */
final class Connection implements AutoCloseable {

    private static final byte[] LENGTH = "content-length:".getBytes(StandardCharsets.US_ASCII);
    private static final int STATUS = "HTTP/1.1 ".length();
    private static final int UNKNOWN = -1;

    private final SocketChannel channel;
    private final ByteBuffer in = ByteBuffer.allocate(64 << 10);
    private int scanned; // bytes of the head that have been read
    private int lineStart;
    private int contentLength;
    private int end = UNKNOWN; // of the response, when its head is complete
    private long dueNanos;

    private Connection(SocketChannel channel) {
        this.channel = channel;
    }

    /** Connects to a port of this machine. The selection key has the connection. */
    static Connection open(int port, Selector selector) throws IOException {
        SocketChannel channel =
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(false);
        Connection connection = new Connection(channel);
        channel.register(selector, SelectionKey.OP_READ, connection);
        return connection;
    }

    /**
     * Sends a request.
     *
     * @param dueNanos when it should have been sent
     */
    void send(ByteBuffer request, long dueNanos) throws IOException {
        this.dueNanos = dueNanos;
        request.rewind();
        channel.write(request);
        if (request.hasRemaining()) {
            throw new IOException("the request does not fit into the buffer of the socket");
        }
    }

    long dueNanos() {
        return dueNanos;
    }

    /**
     * Reads what has arrived.
     *
     * @return whether the response is complete
     */
    boolean read() throws IOException {
        if (channel.read(in) < 0) {
            throw new EOFException("the server closed the connection");
        }
        if (end == UNKNOWN) {
            readHead();
        }
        if (end == UNKNOWN || in.position() < end) {
            return false;
        }
        in.clear();
        scanned = 0;
        lineStart = 0;
        contentLength = 0;
        end = UNKNOWN;
        return true;
    }

    private void readHead() throws IOException {
        byte[] bytes = in.array();
        for (; scanned < in.position(); scanned++) {
            if (bytes[scanned] != '\n') {
                continue;
            }
            if (lineStart == 0) {
                requireSuccess(bytes);
            } else if (scanned == lineStart + 1) { // an empty line
                end = scanned + 1 + contentLength;
                return;
            } else if (startsWithLength(bytes)) {
                contentLength = number(bytes, lineStart + LENGTH.length, scanned);
            }
            lineStart = scanned + 1;
        }
    }

    private void requireSuccess(byte[] bytes) throws IOException {
        if (bytes[STATUS] != '2') {
            throw new IOException(
                    "the server answered "
                            + new String(bytes, 0, in.position(), StandardCharsets.UTF_8));
        }
    }

    private boolean startsWithLength(byte[] bytes) {
        for (int i = 0; i < LENGTH.length; i++) {
            int lowerCase = bytes[lineStart + i] | 0x20; // also leaves '-' and ':' as they are
            if (lowerCase != LENGTH[i]) {
                return false;
            }
        }
        return true;
    }

    private static int number(byte[] bytes, int from, int to) {
        int number = 0;
        for (int i = from; i < to; i++) {
            if (bytes[i] >= '0' && bytes[i] <= '9') {
                number = 10 * number + bytes[i] - '0';
            }
        }
        return number;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
