package io.counterflow.serving.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class KafkaLinkTest {

    private long seconds;
    private final KafkaLink link =
            new KafkaLink(Duration.ofSeconds(5), () -> TimeUnit.SECONDS.toNanos(seconds));

    @Test
    void kafkaIsAwayAfterSomeSecondsWithoutAnAnswer() {
        assertThat(link.state()).isEqualTo(KafkaLink.State.CONNECTING);
        seconds = 100;
        link.answered();
        assertThat(link.state()).isEqualTo(KafkaLink.State.CONNECTED);
        seconds = 105;
        assertThat(link.state()).isEqualTo(KafkaLink.State.CONNECTED);
        seconds = 106;
        assertThat(link.state()).isEqualTo(KafkaLink.State.AWAY);
        link.answered();
        assertThat(link.state()).isEqualTo(KafkaLink.State.CONNECTED);
    }
}
