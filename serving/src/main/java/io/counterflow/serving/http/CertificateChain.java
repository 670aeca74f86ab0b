package io.counterflow.serving.http;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayInputStream;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;

/** A chain of certificates in PEM. */
public final class CertificateChain {

    private CertificateChain() {}

    /**
     * When the first certificate of the chain expires.
     *
     * @throws IllegalArgumentException if it is not a chain of X.509 certificates
     */
    public static Instant expiry(Buffer pem) {
        Instant first = Instant.MAX;
        try {
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(new ByteArrayInputStream(pem.getBytes()))) {
                Instant end = ((X509Certificate) certificate).getNotAfter().toInstant();
                first = end.isBefore(first) ? end : first;
            }
        } catch (CertificateException e) {
            throw new IllegalArgumentException("the chain must be X.509 certificates in PEM", e);
        }
        if (first.equals(Instant.MAX)) {
            throw new IllegalArgumentException("the chain must have a certificate, got none");
        }
        return first;
    }
}
