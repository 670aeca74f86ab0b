package io.counterflow.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.schemas.json.NamedFeaturesJson;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the client is given. */
final class ClientValuesTest {

    @Test
    void mapsBecomeTheFeaturesThatTheirJsonWouldBe() {
        Map<String, Object> map =
                Map.of(
                        "user", Map.of("country", "de", "age", 0.5, "new", true),
                        "tags", List.of("a", 2));
        assertThat(NamedFeaturesJson.write(MapFeatures.of(map)))
                .isEqualTo(
                        "{\"tags\":[\"a\",2.0],\"user\":{\"age\":0.5,\"country\":\"de\",\"new\":true}}");
    }

    @Test
    void otherValuesAreRefusedWithoutQuotingThem() {
        Map<String, Object> odd = new HashMap<>();
        odd.put("secret-name", java.util.Locale.ROOT);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MapFeatures.of(odd))
                .withMessage(
                        "features must be strings, numbers, booleans, lists and maps, got"
                                + " Locale");
        odd.put("secret-name", odd);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MapFeatures.of(odd))
                .withMessageContaining("deeper than 16");
        odd.put("secret-name", Double.NaN);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MapFeatures.of(odd))
                .withMessageContaining("finite");
    }

    @Test
    void settingsAreCheckedAndDoNotShowTheToken() {
        ClientSettings settings = ClientSettings.of(URI.create("https://example.org"));
        assertThat(settings.withToken("secret").toString()).doesNotContain("secret");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClientSettings.of(URI.create("example.org")))
                .withMessage("server must be like http://host:port, got example.org");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings.withTimeouts(Duration.ZERO, Duration.ofSeconds(1)))
                .withMessageContaining("connectTimeout must be above zero");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Retries(0, Duration.ZERO))
                .withMessage("attempts must be at least 1, got 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Reward.of(Double.NaN))
                .withMessage("value must be finite, got NaN");
    }

    @Test
    void pausesDoubleAndStayBounded() {
        Retries retries = new Retries(100, Duration.ofMillis(100), Duration.ofSeconds(5));
        IOException broken = new IOException("broken");
        assertThat(retries.pauseAfter(1, broken, true)).contains(Duration.ofMillis(100));
        assertThat(retries.pauseAfter(3, broken, true)).contains(Duration.ofMillis(400));
        assertThat(retries.pauseAfter(7, broken, true)).contains(Duration.ofSeconds(5));
        assertThat(retries.pauseAfter(99, broken, true)).contains(Duration.ofSeconds(5));
        assertThat(retries.pauseAfter(100, broken, true)).isEmpty();
        assertThat(new Retries(100, Duration.ofMillis(100)).pauseAfter(99, broken, true))
                .contains(Duration.ofMillis(6_400));
    }

    @Test
    void theServerSaysHowLongToWait() {
        Retries retries = new Retries(5, Duration.ofMillis(100), Duration.ofSeconds(5));
        assertThat(retries.pauseAfter(1, problem(503, 3), true)).contains(Duration.ofSeconds(3));
        assertThat(retries.pauseAfter(1, problem(429, 0), true)).contains(Duration.ofMillis(100));
        assertThat(retries.pauseAfter(1, problem(503, 6), true)).isEmpty();
        assertThat(retries.pauseAfter(1, problem(400, 1), true)).isEmpty();
    }

    private static ProblemResponseException problem(int status, int retryAfterSeconds) {
        return new ProblemResponseException(
                status, "t", "d", "i", Optional.of(Duration.ofSeconds(retryAfterSeconds)));
    }

    @Test
    void anAnswerThatIsLateIsNotWaitedForAgainIfSomebodyWaits() {
        Retries retries = Retries.ofDecisions();
        HttpTimeoutException late = new HttpTimeoutException("late");
        assertThat(retries.pauseAfter(1, late, true)).isPresent();
        assertThat(retries.pauseAfter(1, late, false)).isEmpty();
        assertThat(retries.pauseAfter(1, new HttpConnectTimeoutException("away"), false))
                .isPresent();
        assertThat(retries.pauseAfter(1, new IllegalStateException("a defect"), true)).isEmpty();
    }
}
