package io.counterflow.serving.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.http.HttpMethod;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RoutesTest {

    private static final Endpoint LIST = endpoint("/v1/loops");
    private static final Endpoint ONE = endpoint("/v1/loops/{loop}");
    private static final Endpoint EVENT = endpoint("/v1/loops/{loop}/events/{eventId}/reward");
    private static final Endpoint ROOT = endpoint("/");

    private final Routes routes = new Routes(List.of(LIST, ONE, EVENT, ROOT));

    private static Endpoint endpoint(String template) {
        return Endpoint.get(template, call -> Reply.empty(200));
    }

    private Routes.Match match(String path) {
        return routes.match(HttpMethod.GET, path);
    }

    @Test
    void aPathFindsItsTemplate() {
        assertThat(match("/").endpoint()).isSameAs(ROOT);
        assertThat(match("/v1/loops").endpoint()).isSameAs(LIST);
        assertThat(match("/v1/loops/home").endpoint()).isSameAs(ONE);
        assertThat(match("/v1/loops/home").path()).containsEntry("loop", "home");
        assertThat(match("/v1/loops/home/events/e-1/reward").path())
                .containsEntry("loop", "home")
                .containsEntry("eventId", "e-1");
    }

    @Test
    void namesAreDecodedOnce() {
        assertThat(match("/v1/loops/a%2Fb").path()).containsEntry("loop", "a/b");
        assertThat(match("/v1/loops/a%252Fb").path()).containsEntry("loop", "a%2Fb");
        assertThat(match("/v1/loops/a+b").path()).containsEntry("loop", "a+b");
        assertThat(match("/v1/loops/%C3%A9").path()).containsEntry("loop", "\u00e9");
    }

    @Test
    void aNameMustBeTextThatIsNotEmpty() {
        assertThatThrownBy(() -> match("/v1/loops/%zz"))
                .hasMessage("loop must be percent-encoded as URLs are");
        assertThatThrownBy(() -> match("/v1/loops/")).hasMessage("loop must not be empty");
        assertThatThrownBy(() -> match("/v1/loops/%ff")).hasMessage("loop must be valid UTF-8");
    }

    @Test
    void otherPathsAreNotFound() {
        for (String path : List.of("/v2/loops", "/v1/loops/home/x", "v1/loops", "*", "//")) {
            assertThatThrownBy(() -> match(path))
                    .as(path)
                    .isInstanceOfSatisfying(
                            ProblemException.class, e -> assertThat(e.status()).isEqualTo(404));
        }
    }

    @Test
    void anotherMethodNamesTheAllowedOnes() {
        assertThatThrownBy(() -> routes.match(HttpMethod.DELETE, "/v1/loops"))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> {
                            assertThat(e.status()).isEqualTo(405);
                            assertThat(e.extensions()).containsEntry("allow", "GET");
                        });
    }

    @Test
    void aTemplateMustStartWithASlash() {
        assertThatThrownBy(() -> endpoint("v1")).hasMessage("template must start with /, got v1");
    }
}
