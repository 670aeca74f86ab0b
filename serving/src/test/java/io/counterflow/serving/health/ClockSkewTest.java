package io.counterflow.serving.health;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ClockSkewTest {

    private final ClockSkew skew = new ClockSkew();

    @Test
    void theSkewIsUnknownBeforeTheFirstRecord() {
        assertThat(skew.seconds()).isNaN();
    }

    @Test
    void aStampBetweenSendingAndAcknowledgementShowsNoSkew() {
        skew.add(1_000, 1_000, 1_200);
        assertThat(skew.seconds()).isZero();
        skew.add(1_000, 1_200, 1_200);
        assertThat(skew.seconds()).isZero();
    }

    @Test
    void aStampAfterTheAcknowledgementShowsABrokerThatIsAhead() {
        skew.add(1_000, 3_700, 1_200);
        assertThat(skew.seconds()).isEqualTo(2.5);
    }

    @Test
    void aStampBeforeSendingShowsABrokerThatIsBehind() {
        skew.add(10_000, 8_000, 10_200);
        assertThat(skew.seconds()).isEqualTo(-2.0);
    }

    @Test
    void theNewestRecordCounts() {
        skew.add(1_000, 3_700, 1_200);
        skew.add(2_000, 2_100, 2_200);
        assertThat(skew.seconds()).isZero();
    }
}
