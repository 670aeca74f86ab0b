package io.counterflow.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
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

/** A whole deployment in a browser. The last tests stop its parts one by one. */
@Timeout(value = 6, unit = TimeUnit.MINUTES)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class DashboardIT {

    private static final Duration SOON = Duration.ofSeconds(90);
    private static final Path PICTURES = Path.of("target", "dashboard");

    private static final String LIVE =
            "document.querySelector('#connection-text').textContent === 'live'";

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
        if (chromium != null) { // null without a browser, and then nothing else was started
            chromium.close(); // first, because it is another process
            if (deployment != null) {
                deployment.close();
            }
        }
    }

    private static BrowserPage page(String loop, int width, int height) throws Exception {
        BrowserPage page = chromium.open();
        page.size(width, height, width < 600);
        page.go(deployment.address() + "#loop=" + loop);
        page.await(
                "the page",
                "document.querySelector('#loop')?.textContent === '" + loop + "'",
                SOON);
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
    @Order(0)
    void theFirstRequestDoesNotReportAHealthyLoopAsStalled() throws Exception {
        deployment.awaitTrafficOf("articles", Duration.ofSeconds(8), SOON);
        JsonNode pipeline = deployment.get("v1/loops/articles/pipeline");
        assertThat(pipeline.get("counted").asBoolean()).as(pipeline.toString()).isTrue();
        JsonNode joined = pipeline.get("stages").get(2);
        assertThat(joined.get("name").asText()).isEqualTo("joined");
        assertThat(joined.get("state").asText()).as(pipeline.toString()).isEqualTo("ok");
        assertThat(joined.get("count").asLong()).isPositive();
        assertThat(pipeline.get("state").asText()).as(pipeline.toString()).isNotEqualTo("stalled");
    }

    @Test
    @Order(1)
    void chartsShowTheRecordsOfTheJob() throws Exception {
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
                    "its reward in words", // the version must log decisions first
                    "document.querySelector('#reward-summary').textContent.includes('the best"
                            + " possible is 0.800')",
                    SOON);
            assertThat(page.count("#reward-table tbody tr")).isPositive();
            assertThat(page.text("#connection-text")).isEqualTo("live");
            assertThat(page.text("#history-list")).contains("is compared with the active version");
            assertThat(page.text("#versions-table")).contains("reward model");
            page.screenshot(PICTURES.resolve("light.png"));
            assertThat(page.errors()).isEmpty();
        }
    }

    @Test
    @Order(2)
    void numbersChangeAndTheLayoutDoesNot() throws Exception {
        try (BrowserPage page = page("articles", 1400, 1000)) {
            page.await("the reward", drawn("reward-chart"), SOON);
            page.await("the gate", drawn("gate-chart"), SOON);
            String places =
                    "JSON.stringify([...document.querySelectorAll('h2, h3, figure')].filter(it =>"
                            + " !it.closest('dialog')).map(it => [it.id,"
                            + " it.getBoundingClientRect().top, it.getBoundingClientRect().left]))";
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
    void thePageSendsNoRequestsToOtherHosts() throws Exception {
        try (BrowserPage page = page("articles", 1400, 1000)) {
            page.await("the stream", LIVE, SOON);
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
    void thePageFitsOnAPhone() throws Exception {
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
    void darkAndLightModeHaveTheirColours() throws Exception {
        try (BrowserPage page = page("articles", 1400, 1000)) {
            page.await("the reward", drawn("reward-chart"), SOON);
            String brightness =
                    "getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).slice(0,"
                            + " 3).map(Number).reduce((a, b) => a + b) / 3";
            page.colours("light");
            assertThat(page.evaluate(brightness).asDouble()).isGreaterThan(200);
            page.colours("dark");
            assertThat(page.evaluate(brightness).asDouble()).isLessThan(60);
            page.screenshot(PICTURES.resolve("dark.png"));
        }
    }

    @Test
    @Order(6)
    void aHiddenPageAsksForNothingAndGoesOnWhenItIsShown() throws Exception {
        try (BrowserPage page = page("articles", 1400, 1000)) {
            page.await("the stream", LIVE, SOON);
            page.evaluate(
                    """
                    window.hides = false;
                    Object.defineProperty(document, 'hidden', {get: () => window.hides});
                    window.turn = hides => {
                      window.hides = hides;
                      document.dispatchEvent(new Event('visibilitychange'));
                    };
                    window.calls = [];
                    window.pending = 0;
                    const real = fetch;
                    window.fetch = (...call) => {
                      window.calls.push(String(call[0]));
                      window.pending++;
                      return real(...call).finally(() => window.pending--);
                    };
                    window.asked = part => window.calls.filter(it => it.includes(part)).length;
                    0\
                    """);
            page.evaluate("for (let i = 0; i < 5; i++) { turn(true); turn(false); }");
            page.evaluate("turn(true)");
            page.await("that nothing is loaded any more", "pending === 0", SOON);
            assertThat(page.evaluate("asked('/stats')").asInt()).isPositive();
            assertThat(page.evaluate("asked('/stream')").asInt()).isZero();
            page.evaluate("turn(false)");
            page.await("that it goes on", "asked('/stream') === 1 && " + LIVE, SOON);

            page.evaluate("location.hash = ''");
            page.await("all loops", "!document.querySelector('#overview').hidden", SOON);
            int asked = page.evaluate("asked('/v1/overview')").asInt();
            page.await("that it asks again", "asked('/v1/overview') > " + asked, SOON);
            page.evaluate(
                    """
                    window.timers = 0;
                    window.later = setTimeout;
                    window.setTimeout = (work, ms) => {
                      window.timers++;
                      return later(work, ms);
                    };
                    0\
                    """);
            String answered =
                    "fetch('/v1/overview?limit=0').then(it => it.text()).then(() =>"
                            + " fetch('/openapi.yaml')).then(it => it.text()).then(() => timers)";
            assertThat(page.evaluate("turn(false); turn(true); " + answered).asInt()).isZero();
        }
    }

    @Test
    @Order(7)
    void versionsInUseAreShownHoweverOldTheyAre() throws Exception {
        try (BrowserPage page = page("articles", 1400, 1000)) {
            page.await("the stream", LIVE, SOON);
            String shown =
                    page.evaluate(
                                    """
                                    import('/dashboard/versions.js').then(({Versions}) => {
                                      const roles = {12: 'candidate', 10: 'active', 8: 'previous'};
                                      const policies = Array.from({length: 61}, (_, i) => ({version: 60 - i, role: roles[60 - i] ?? 'none', share: 0}));
                                      new Versions({policies, startingVersion: 0, rollout: {}, spec: {}}, () => {}).drawTable();
                                      return [...document.querySelectorAll('#versions-table tbody th')].map(it => it.textContent).join(' ');
                                    })\
                                    """)
                            .asText();
            assertThat(shown).startsWith("v60 v59 ").endsWith(" v22 v21 v12 v10 v8 v0");
            String first =
                    page.evaluate(
                                    """
                                    import('/dashboard/views.js').then(({baseline}) => {
                                      const learned = (version, parentVersion, n, onPolicyMean) => ({version, snapshot: {parentVersion, certificate: {n, onPolicyMean}}});
                                      const own = new Map([[3, [{y: 0.9, n: 10}]], [0, [{y: 0.3, n: 10}, {y: 0.1, n: 30}]]]);
                                      const policies = [learned(90, 80, 900, 0.7), learned(80, 3, 700, 0.6)];
                                      const value = more => baseline({startingVersion: 0, spec: {}, policies: [...policies, ...more]}, own).value.toFixed(2);
                                      return [value([]), value([learned(2, 0, 500, 0.22), learned(1, 0, 200, 0.25)]), baseline({startingVersion: 1, spec: {}, policies}, own)].join(' ');
                                    })\
                                    """)
                            .asText();
            assertThat(first).isEqualTo("0.15 0.22 ");
        }
    }

    @Test
    @Order(7)
    void changesOfTheWorldAreMarkedAndSaidInWords() throws Exception {
        try (BrowserPage page = page("articles", 1400, 1000)) {
            page.await("the stream", LIVE, SOON);
            assertThat(page.text("#reward-summary")).doesNotContain("The world changed");
            String shown =
                    page.evaluate(
                                    """
                                    import('/dashboard/views.js').then(({Views}) => {
                                      const window = (second, policyVersion, changesFound) => ({end: `2026-01-01T00:00:${second}Z`, policyVersion, changesFound, n: 100, onPolicyMean: 0.1, onPolicyStandardError: 0.01});
                                      const views = new Views();
                                      const draw = (...windows) => {
                                        views.draw({windows: new Map(windows.map((it, i) => [i, it])), policies: [], history: [], actions: [], spec: {}, rollout: null, truth: null, activeVersion: 41, startingVersion: 0});
                                        return document.querySelectorAll('#reward-chart line.change').length + document.querySelector('#reward-summary').textContent.split('.').filter(it => it.includes('world')).join();
                                      };
                                      return [
                                        draw(window(10, 39, 0), window(20, 40, 1), window(20, 41, 1), window(30, 41, 2)),
                                        draw(window(10, 39, 3), window(20, 40, 3)),
                                        draw(window(10, 39, 0), window(20, 40, 1)),
                                      ].join('|').replace(/ \\(1 Jan( 2026)? [0-9:]+\\)/g, '');
                                    })\
                                    """)
                            .asText();
            assertThat(shown)
                    .isEqualTo(
                            "2 The world changed 2 times, last at version 41"
                                    + "|0 The world changed 3 times"
                                    + "|1 The world changed once, at version 40");
        }
    }

    @Test
    @Order(7)
    void theGainOverTheHoldoutIsSaidInWords() throws Exception {
        try (BrowserPage page = page("articles", 1400, 1000)) {
            page.await("the stream", LIVE, SOON);
            String shown =
                    page.evaluate(
                                    """
                                    import('/dashboard/views.js').then(({Views}) => {
                                      const window = (second, holdout) => ({end: `2026-01-01T00:00:${second}Z`, policyVersion: 3, n: 100, onPolicyMean: 0.1, onPolicyStandardError: 0.01, holdout});
                                      const gain = {version: 0, share: 0.05, since: '2026-01-01T00:00:00Z', holdout: {n: 1234, mean: 0.1, lower: 0.08, upper: 0.12}, rest: {n: 23456, mean: 0.15, lower: 0.14, upper: 0.16}, gain: 0.05, gainLower: 0.02, gainUpper: 0.08};
                                      const views = new Views();
                                      const draw = (...windows) => {
                                        views.draw({windows: new Map(windows.map((it, i) => [i, it])), policies: [], history: [], actions: [], spec: {}, rollout: null, truth: null, activeVersion: 3, startingVersion: 0});
                                        const summary = document.querySelector('#holdout-summary');
                                        return summary.hidden ? 'hidden' : summary.textContent;
                                      };
                                      const known = {...window(30), apprentice: {version: 3, n: 100, agreement: 0.625, lowestValue: 0.0625, highestValue: 0.4375}};
                                      return [draw(window(10)), draw(window(10), window(20, gain)), draw(window(10), known)].join('|');
                                    })\
                                    """)
                            .asText();
            assertThat(shown)
                    .startsWith("hidden|Holdout: version 0 decides 5.0 % of the events.")
                    .contains("per decision, between", ": the loop is better.")
                    .contains("1,234 events of the holdout", "23,456 others")
                    .contains("|Apprentice: the first action of each request is shown")
                    .endsWith(
                            "Version 3 would have chosen it in 62.5 % of the newest window, and"
                                    + " would have earned between 0.0625 and 0.4375.");
        }
    }

    @Test
    @Order(7)
    void manyVersionsOfALoopWithoutAGateAreOneLine() throws Exception {
        try (BrowserPage page = page("articles", 1400, 1000)) {
            page.await("the stream", LIVE, SOON);
            String shown =
                    page.evaluate(
                                    """
                                    import('/dashboard/views.js').then(({Views}) => {
                                      const views = new Views();
                                      const draw = (versions, mode) => {
                                        const windows = Array.from({length: versions}, (_, i) => ({end: `2026-01-01T00:00:${10 + (i - i % 2)}Z`, policyVersion: i, n: i % 2 ? 100 : 300, onPolicyMean: i % 2 ? 0.1 : 0.06, onPolicyStandardError: 0.01}));
                                        const facts = views.draw({windows: new Map(windows.map((it, i) => [i, it])), policies: [], history: [], actions: [], spec: {}, rollout: {mode, activeVersion: versions - 1}, truth: {best: 0.1, uniform: 0.03, versions: {}}, activeVersion: 0, startingVersion: 0});
                                        return document.querySelectorAll('#reward-chart .dot').length + ' ' + document.querySelector('#reward-summary').textContent.split(',')[0] + ' ' + (facts.all?.at(-1).y.toFixed(3) ?? '');
                                      };
                                      return [draw(12, 'immediate'), draw(12, 'gated'), draw(6, 'immediate')].join('|');
                                    })\
                                    """)
                            .asText();
            assertThat(shown)
                    .isEqualTo(
                            "1 The loop 0.070"
                                    + "|12 Version 11 earns 0.100 per decision "
                                    + "|6 Version 5 earns 0.100 per decision ");
        }
    }

    @Test
    @Order(8)
    void aPromotionByButtonIsShown() throws Exception {
        try (BrowserPage page = page("front-page", 1400, 1000)) {
            page.await(
                    "a version that waits for a person",
                    "document.querySelector('.stage-snapshot').textContent.includes('waits for a"
                            + " person') && document.querySelector('button[data-action=promote]')",
                    SOON);
            // The newest, because the job keeps only a few versions.
            int version =
                    page.evaluate(
                                    "Number(document.querySelector('button[data-action=promote]').dataset.version)")
                            .asInt();
            page.click("button[data-action=promote][data-version=\"%d\"]".formatted(version));
            page.await("the question", "document.querySelector('#command-dialog').open", SOON);
            page.fill("#command-reason", "it looks good");
            page.click("#command-send");
            page.await(
                    "the job's answer",
                    "['ok', 'stalled',"
                            + " 'warning'].includes(document.querySelector('#command-answer').dataset.state)",
                    SOON);
            assertThat(page.text("#command-answer"))
                    .isEqualTo(
                            "Promote version %1$d: done (promoted). Version %1$d is active."
                                    .formatted(version));
            page.await(
                    "the table",
                    "document.querySelector('tr.is-active th').textContent === 'v%d'"
                            .formatted(version),
                    SOON);
            page.await(
                    "the history",
                    "document.querySelector('#history-list').textContent.includes('it looks good"
                            + " (asked by anyone)')",
                    SOON);
            assertThat(page.text("#history-list time"))
                    .matches("\\d{1,2} [A-Z][a-z]{2,3} \\d\\d:\\d\\d:\\d\\d");

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
    @Order(9)
    void aStoppedJobIsShownAsStalledWithTheReason() throws Exception {
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
    @Order(10)
    void aStoppedBrokerIsShownAsStalledWithTheReason() throws Exception {
        try (BrowserPage page = page("articles", 1400, 1000)) {
            deployment.stopBroker();
            page.await("the stall", stage("decisions", "stalled"), SOON);
            assertThat(page.text("#verdict-text")).contains("Kafka has not answered for");
        }
    }

    @Test
    @Order(11)
    void aLostConnectionIsShown() throws Exception {
        try (BrowserPage page = page("articles", 1400, 1000)) {
            deployment.stopServing();
            page.await(
                    "the loss",
                    "document.querySelector('#connection-text').textContent.startsWith('connection"
                            + " lost')",
                    SOON);
        }
    }
}
