package io.counterflow.cli.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A whole deployment, looked at through a browser; at last it is taken apart, piece by piece. */
@Timeout(value = 6, unit = TimeUnit.MINUTES)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class DashboardIT {

    private static final Duration SOON = Duration.ofSeconds(90);
    private static final Path PICTURES = Path.of("target", "dashboard");

    @TempDir private static Path directory;
    private static Chromium chromium;
    private static LiveDeployment deployment;

    @BeforeAll
    static void start() throws Exception {
        chromium = Chromium.start(directory);
        deployment = LiveDeployment.start(directory);
        deployment.make("articles", "\"snapshotExamples\":250,\"rolloutMode\":\"gated\"");
        deployment.make("front-page", "\"snapshotExamples\":100,\"rolloutMode\":\"manual\"");
        deployment.letUsersCome(List.of("articles", "articles", "front-page"));
    }

    @AfterAll
    static void stop() {
        if (chromium != null) { // null where there is no browser, and then nothing else is
            chromium.close(); // a process of its own: first, whatever comes of the rest
            if (deployment != null) {
                deployment.close();
            }
        }
    }

    private static BrowserPage page(String loop, int width, int height) throws Exception {
        BrowserPage page = chromium.open();
        page.size(width, height, width < 600);
        page.go(deployment.address() + "#loop=" + loop);
        page.await("the page", "document.querySelector('#loop')?.value === '" + loop + "'", SOON);
        return page;
    }

    private static String drawn(String chart) {
        return "[...document.querySelectorAll('#%s svg path.line')].some(it => it.getAttribute('d').split('L').length > 2)"
                .formatted(chart);
    }

    private static String stage(String name, String state) {
        return "document.querySelector('.stage-%s').dataset.state === '%s'".formatted(name, state);
    }

    @Test
    @Order(1)
    void chartsAreDrawnFromWhatTheJobPublishes() throws Exception {
        try (BrowserPage page = page("articles", 1400, 1000)) {
            page.await("examples", stage("joined", "ok"), SOON);
            page.await("the reward", drawn("reward-chart"), SOON);
            page.await("its band", "document.querySelector('#reward-chart path.band')", SOON);
            page.await("the gate", drawn("gate-chart"), SOON);
            page.await("the weights", drawn("weight-chart"), SOON);
            page.await("the sample sizes", drawn("ess-chart"), SOON);
            page.await(
                    "a version that learned decides",
                    "document.querySelector('tr.is-active th')?.textContent.match(/^v[1-9]/)",
                    SOON);
            assertThat(page.count("#actions-bars li")).isEqualTo(4);
            assertThat(page.text("#actions-bars")).contains("sport", "films");
            page.await(
                    "its reward in words", // it has to log something first
                    "document.querySelector('#reward-summary').textContent.includes('the best possible is 0.800')",
                    SOON);
            assertThat(page.count("#reward-table tbody tr")).isPositive();
            assertThat(page.text("#connection-text")).isEqualTo("live");
            assertThat(page.text("#history-list")).contains("is judged from here on");
            page.screenshot(PICTURES.resolve("light.png"));
            assertThat(page.errors()).isEmpty();
        }
    }

    @Test
    @Order(2)
    void numbersMoveAndNothingElseDoes() throws Exception {
        try (BrowserPage page = page("articles", 1400, 1000)) {
            page.await("the reward", drawn("reward-chart"), SOON);
            page.await("the gate", drawn("gate-chart"), SOON);
            String places =
                    "JSON.stringify([...document.querySelectorAll('h2, h3, figure')].filter(it => !it.closest('dialog')).map(it => [it.id, it.getBoundingClientRect().top, it.getBoundingClientRect().left]))";
            String before = page.evaluate(places).asText();
            for (int change = 0; change < 3; change++) {
                String figure = page.text(".stage-decisions .stage-figure");
                page.await(
                        "another number",
                        "document.querySelector('.stage-decisions .stage-figure').textContent !== "
                                + BrowserPage.quoted(figure),
                        SOON);
            }
            assertThat(page.evaluate(places).asText()).isEqualTo(before);
        }
    }

    @Test
    @Order(3)
    void noRequestLeavesTheMachine() throws Exception {
        try (BrowserPage page = page("articles", 1400, 1000)) {
            page.await(
                    "the stream",
                    "document.querySelector('#connection-text').textContent === 'live'",
                    SOON);
            assertThat(page.requests())
                    .anyMatch(it -> it.endsWith("/stream"))
                    .allSatisfy(
                            it ->
                                    assertThat(URI.create(it).getAuthority())
                                            .isEqualTo(
                                                    URI.create(deployment.address())
                                                            .getAuthority()));
        }
    }

    @Test
    @Order(4)
    void aPhoneNeedsNoScrollingSideways() throws Exception {
        try (BrowserPage page = page("articles", 360, 740)) {
            page.await("the reward", drawn("reward-chart"), SOON);
            page.screenshot(PICTURES.resolve("phone.png"));
            assertThat(page.evaluate("document.documentElement.scrollWidth").asInt())
                    .isLessThanOrEqualTo(360);
            assertThat(page.evaluate("innerWidth").asInt()).isEqualTo(360);
        }
    }

    @Test
    @Order(5)
    void darkIsDarkAndLightIsLight() throws Exception {
        try (BrowserPage page = page("articles", 1400, 1000)) {
            page.await("the reward", drawn("reward-chart"), SOON);
            String brightness =
                    "getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number).reduce((a, b) => a + b) / 3";
            page.colours("light");
            assertThat(page.evaluate(brightness).asDouble()).isGreaterThan(200);
            page.colours("dark");
            assertThat(page.evaluate(brightness).asDouble()).isLessThan(60);
            page.screenshot(PICTURES.resolve("dark.png"));
        }
    }

    @Test
    @Order(6)
    void aPromotionByButtonShowsUp() throws Exception {
        try (BrowserPage page = page("front-page", 1400, 1000)) {
            page.await(
                    "a version that waits for a person",
                    "document.querySelector('.stage-snapshot').textContent.includes('waits for a person')"
                            + " && document.querySelector('button[data-action=promote][data-version=\"1\"]')",
                    SOON);
            page.click("button[data-action=promote][data-version=\"1\"]");
            page.await("the question", "document.querySelector('#command-dialog').open", SOON);
            page.fill("#command-reason", "it looks good");
            page.click("#command-send");
            page.await(
                    "the job's answer",
                    "document.querySelector('#command-answer').dataset.state === 'ok'",
                    SOON);
            assertThat(page.text("#command-answer"))
                    .isEqualTo("Promote version 1: done (promoted). Version 1 is active.");
            page.await(
                    "the table",
                    "document.querySelector('tr.is-active th').textContent === 'v1'",
                    SOON);
            page.await(
                    "the history",
                    "document.querySelector('#history-list').textContent.includes('it looks good')",
                    SOON);

            page.click("button[data-action=canary][data-version=\"0\"]");
            page.fill("#command-share", "25");
            page.fill("#command-reason", "compare");
            page.click("#command-send");
            page.await(
                    "the canary",
                    "document.querySelector('.stage-served').textContent.includes('25 % canary')",
                    SOON);
            assertThat(page.errors()).isEmpty();
        }
    }

    @Test
    @Order(7)
    void aJobThatIsGoneIsShownAsStalledWithTheReason() throws Exception {
        try (BrowserPage page = page("articles", 1400, 1000)) {
            page.await("examples", stage("joined", "ok"), SOON);
            deployment.stopJob();
            page.await("the stall", stage("joined", "stalled"), SOON);
            assertThat(page.text("#verdict-text")).contains("The job has not moved for");
            assertThat(page.text("#verdict-state")).isEqualTo("stalled");
            page.screenshot(PICTURES.resolve("stalled.png"));
        }
    }

    @Test
    @Order(8)
    void aBrokerThatIsGoneIsShownAsStalledWithTheReason() throws Exception {
        try (BrowserPage page = page("articles", 1400, 1000)) {
            deployment.stopBroker();
            page.await("the stall", stage("decisions", "stalled"), SOON);
            assertThat(page.text("#verdict-text")).contains("Kafka has not answered for");
        }
    }

    @Test
    @Order(9)
    void aLostConnectionIsSaid() throws Exception {
        try (BrowserPage page = page("articles", 1400, 1000)) {
            deployment.stopServing();
            page.await(
                    "the loss",
                    "document.querySelector('#connection-text').textContent.startsWith('connection lost')",
                    SOON);
        }
    }
}
