package io.counterflow.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.counterflow.serving.ServingProcess;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How the page draws given data, without a deployment. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class DashboardChartsIT {

    private static final Duration SOON = Duration.ofSeconds(30);

    /** Windows of a minute, and a loop with them. */
    private static final String LOOP =
            """
            const time = minute => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();
            const window = (minute, policyVersion, mean = 0.5) => ({end: time(minute), policyVersion, n: 100, onPolicyMean: mean, onPolicyStandardError: 0.01});
            const loop = (windows, more) => ({windows: new Map(windows.map((it, i) => [i, it])), policies: [], history: [], actions: [], spec: {}, rollout: null, truth: null, activeVersion: 0, startingVersion: -1, ...more});
            document.querySelector('#loop-view').hidden = false;
            """;

    @TempDir private static Path directory;
    private static Chromium chromium;
    private static HttpServer files;

    @BeforeAll
    static void start() throws Exception {
        chromium = Chromium.start(directory);
        files = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        files.createContext("/", DashboardChartsIT::answer);
        files.start();
    }

    @AfterAll
    static void stop() {
        if (chromium != null) { // null without a browser, and then nothing else was started
            chromium.close();
            files.stop(0);
        }
    }

    private static void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String file = path.equals("/") ? "index.html" : path.replaceFirst("^/dashboard/", "");
        try (exchange;
                InputStream content =
                        ServingProcess.class.getResourceAsStream("dashboard/" + file)) {
            if (content == null) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            String type =
                    file.endsWith(".js")
                            ? "text/javascript"
                            : file.endsWith(".css") ? "text/css" : "text/html";
            exchange.getResponseHeaders().add("content-type", type);
            exchange.sendResponseHeaders(200, 0);
            content.transferTo(exchange.getResponseBody());
        }
    }

    /** The text that a script returns on the page at this width. */
    private static String draw(int width, String script) throws Exception {
        try (BrowserPage page = chromium.open()) {
            page.size(width, 1_000, false);
            page.go("http://127.0.0.1:%d/#loop=none".formatted(files.getAddress().getPort()));
            page.await("the page", "document.querySelector('.stage-late')", SOON);
            return page.evaluate("(async () => {" + LOOP + script + "})()").asText();
        }
    }

    /** Overlapping pairs of labels, and the labels from the top. */
    private static final String LABELS =
            """
            const labels = chart => {
              const boxes = [...document.querySelectorAll(`#${chart} text.end`)].map(it => ({text: it.textContent, top: it.getBoundingClientRect().top})).sort((a, b) => a.top - b.top);
              const close = boxes.filter((it, i) => i && it.top - boxes[i - 1].top < 13).length;
              return `${close} ${boxes.map(it => it.text).join(' ')}`;
            };
            """;

    @Test
    void labelsOnAPlateauDoNotOverlap() throws Exception {
        String shown =
                draw(
                        1_400,
                        LABELS
                                + """
                                const {Chart} = await import('/dashboard/charts.js');
                                const points = [0, 1, 2, 3].map(i => ({x: 1e12 + i * 60_000, y: 0.5}));
                                const series = Array.from({length: 60}, (_, i) => ({name: `version ${i}`, label: `v${i}`, style: 'c0', points}));
                                new Chart(document.querySelector('#weight-chart')).draw({series, lines: [{y: 0.5, label: 'rule', style: 'gate'}], value: String});
                                return labels('weight-chart');
                                """);
        assertThat(shown).startsWith("0 ").contains("rule", "v59").doesNotContain("v1 ");
        assertThat(shown.split(" ")).hasSizeBetween(6, 12);
    }

    @Test
    void ofManyVersionsOnlyThoseInUseAreNamed() throws Exception {
        String shown =
                draw(
                        1_400,
                        LABELS
                                + """
                                const {Views} = await import('/dashboard/views.js');
                                const windows = [];
                                for (let minute = 0; minute < 30; minute++) for (const version of [0, minute - 1, minute]) if (version >= 0) windows.push(window(minute, version));
                                const policies = Array.from({length: 30}, (_, i) => ({version: i, role: i === 0 ? 'active' : i === 29 ? 'candidate' : 'none', share: i === 29 ? 0.1 : 0}));
                                const views = new Views();
                                views.draw(loop(windows, {policies, rollout: {mode: 'gated', activeVersion: 0}}));
                                const many = labels('reward-chart') + ' ' + document.querySelectorAll('#reward-chart path.band').length;
                                views.draw(loop(windows.filter(it => it.policyVersion < 8), {policies: policies.slice(0, 8), rollout: {mode: 'gated', activeVersion: 0}}));
                                return many + '|' + document.querySelectorAll('#reward-chart path.band').length;
                                """);
        assertThat(shown).matches("0 (v0 v29|v29 v0) 1\\|8");
    }

    @Test
    void aPauseIsNotBridged() throws Exception {
        String shown =
                draw(
                        1_400,
                        """
                        const {Views} = await import('/dashboard/views.js');
                        const pieces = minutes => {
                          new Views().draw(loop(minutes.map(it => window(it, 0))));
                          return ['line', 'band'].map(it => document.querySelector(`#reward-chart path.${it}`).getAttribute('d').split('M').length - 1).join(' ');
                        };
                        return [pieces([0, 1, 2, 3, 8, 9, 10]), pieces([0, 1, 2, 3, 7, 8]), pieces([0, 30])].join('|');
                        """);
        assertThat(shown).isEqualTo("2 2|1 1|1 1");
    }

    @Test
    void theLegendNamesTheFirstPolicyOnlyIfItsRewardIsKnown() throws Exception {
        String shown =
                draw(
                        1_400,
                        """
                        const {Views} = await import('/dashboard/views.js');
                        const named = startingVersion => {
                          new Views().draw(loop([window(0, 3), window(1, 3)], {startingVersion}));
                          return document.querySelector('#reward-legend').textContent.includes('first policy');
                        };
                        return `${named(3)} ${named(0)}`;
                        """);
        assertThat(shown).isEqualTo("true false");
    }

    @Test
    void decisionsOfOtherProcessesAreShown() throws Exception {
        String shown =
                draw(
                        1_400,
                        """
                        const {Pipeline} = await import('/dashboard/pipeline.js');
                        const pipeline = new Pipeline();
                        const draw = (count, arrived) => {
                          pipeline.draw({state: 'ok', headline: '', learning: {}, stages: [{name: 'decisions', state: 'ok', reason: '', count, perSecond: 0, unlogged: 0, arrived}]}, {policies: []});
                          return document.querySelector('.stage-decisions .stage-main').textContent;
                        };
                        return [draw(0, 1234), draw(5, 1234), draw(0, 0)].join('|');
                        """);
        assertThat(shown)
                .isEqualTo(
                        "1,234of other processes|5logged by this process|0logged by this process");
    }
}
