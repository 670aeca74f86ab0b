package io.counterflow.serving.http;

import io.vertx.core.net.SocketAddress;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;

/** The address by which a client is counted. */
final class ClientAddress {

    /** Providers give this part of an IPv6 address to a customer. */
    private static final int CUSTOMER_BYTES = 8;

    private ClientAddress() {}

    /** The address; of an IPv6 address the first 64 bits only. */
    static String of(SocketAddress remote) {
        String literal = String.valueOf(remote.hostAddress());
        if (literal.indexOf(':') < 0) {
            return literal;
        }
        try {
            InetAddress address = InetAddress.getByName(literal); // a literal is not looked up
            return address instanceof Inet6Address && !address.isLoopbackAddress()
                    ? HexFormat.of().formatHex(address.getAddress(), 0, CUSTOMER_BYTES) + "::/64"
                    : address.getHostAddress();
        } catch (UnknownHostException e) {
            return literal; // with the name of an interface that is gone
        }
    }
}
