package io.counterflow.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.schemas.json.NamedFeaturesJson;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
        Retries retries = new Retries(100, Duration.ofMillis(100));
        assertThat(retries.pauseAfter(1)).isEqualTo(Duration.ofMillis(100));
        assertThat(retries.pauseAfter(3)).isEqualTo(Duration.ofMillis(400));
        assertThat(retries.pauseAfter(99)).isEqualTo(Duration.ofMillis(6_400));
    }
}
