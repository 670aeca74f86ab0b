package io.counterflow.serving.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.buffer.Buffer;
import org.junit.jupiter.api.Test;

final class CertificateChainTest {

    private static final String TEN_YEARS =
            """
            -----BEGIN CERTIFICATE-----
            MIIBfDCCASOgAwIBAgIUXgh/8jIqofPTK+t7/FKPAojryK8wCgYIKoZIzj0EAwIw
            FDESMBAGA1UEAwwJbG9jYWxob3N0MB4XDTI2MTExODE2MDE0NFoXDTM2MTExNTE2
            MDE0NFowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0D
            AQcDQgAESmZbFpcQLFRzD56s2JmWYLAEQ6Os63evQ02PMgIUwfUO5loKLAUsuoK6
            fFGo6usuHCPVSepEfQUgi6vPPs/cVqNTMFEwHQYDVR0OBBYEFO7xUjK+BOuE5b2G
            +Jc+x5wQFNe5MB8GA1UdIwQYMBaAFO7xUjK+BOuE5b2G+Jc+x5wQFNe5MA8GA1Ud
            EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgPPxM+dKdH49BPDZ4hxJn5Xnk
            E2Kaifft6G0ZI+ZI/jICIA9y4RjJJDUCN0gEB2BhE8dIUGNKNoYKNBQNc5BUUPgE
            -----END CERTIFICATE-----
            """;
    private static final String ONE_YEAR =
            """
            -----BEGIN CERTIFICATE-----
            MIIBfjCCASOgAwIBAgIUUbbBLQUK/9btVrlMA/0CdyW8pjowCgYIKoZIzj0EAwIw
            FDESMBAGA1UEAwwJbG9jYWxob3N0MB4XDTI2MTExODE2MDE0NFoXDTI3MTExODE2
            MDE0NFowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0D
            AQcDQgAEvqF0HTAo2dVJgCh/E6WI5/UfMvTx+M68CNEFtRNGZupeOrk5BFLdVxke
            6kb8B3aVM5kGc1AmRCnd2sNnCJXQaqNTMFEwHQYDVR0OBBYEFI9dZjdI09Xoa7JT
            kznUIIYArkUdMB8GA1UdIwQYMBaAFI9dZjdI09Xoa7JTkznUIIYArkUdMA8GA1Ud
            EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAJBXFIVvh/T3KjhHJKpS7iOV
            BPga9H4V0UmWcpARX5V3AiEA7Sl304JTNNY59gdBUHgpGPgDBjBXa/FsdceUvCVB
            94M=
            -----END CERTIFICATE-----
            """;

    @Test
    void theExpiryIsTheOneOfTheCertificate() {
        assertThat(CertificateChain.expiry(Buffer.buffer(TEN_YEARS)))
                .isEqualTo("2036-11-15T16:01:44Z");
    }

    @Test
    void theExpiryOfAChainIsTheFirstOfItsCertificates() {
        assertThat(CertificateChain.expiry(Buffer.buffer(TEN_YEARS + ONE_YEAR)))
                .isEqualTo("2027-11-18T16:01:44Z");
        assertThat(CertificateChain.expiry(Buffer.buffer(ONE_YEAR + TEN_YEARS)))
                .isEqualTo("2027-11-18T16:01:44Z");
    }

    @Test
    void anEmptyChainIsRefused() {
        assertThatThrownBy(() -> CertificateChain.expiry(Buffer.buffer()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the chain must have a certificate, got none");
    }
}
