// Shows all loops, or one loop: loads everything about it once, then follows the event stream.

import {age, decimal, el, isNumber, signed, text} from "./format.js";
import {loopHash, Overview, processWords} from "./overview.js";
import {Pipeline} from "./pipeline.js";
import {get, loopPath, readEvents, Refusal, token} from "./server.js";
import {Versions} from "./versions.js";
import {Views} from "./views.js";

const by = id => document.getElementById(id);
const MAX_WINDOWS = 240;
const PROCESS_MS = 10_000;
const TRUTH_MS = 10_000;
const MAX_BACKOFF_MS = 15_000;
const UNKNOWN_MS = 3_000;

const state = {loop: null, windows: new Map(), policies: [], startingVersion: 0, history: [], rollout: null, truth: null, actions: [], spec: {}, activeVersion: 0, pipeline: null};
const views = new Views();
const pipeline = new Pipeline();
const versions = new Versions(state, askToken);
const overview = new Overview(takeOverview);
let following = null;
let drawing = false;

function connection(kind, words) {
  by("connection").dataset.state = kind;
  text(by("connection-text"), words);
}

function askToken(refusal) {
  const dialog = by("token-dialog");
  if (dialog.open) return;
  if (refusal) text(by("token-why"), refusal.status === 403 ? `${refusal.message}.` : `This server requires a token: ${refusal.message}. The scope read shows the page; commands need the scope admin.`);
  by("token-input").value = "";
  dialog.showModal();
}

by("token-open").addEventListener("click", () => askToken());
by("token-forget").addEventListener("click", () => {
  token.set("");
  by("token-dialog").close();
  start();
});
by("token-form").addEventListener("submit", event => {
  if (event.submitter?.value !== "use") return;
  token.set(by("token-input").value.trim());
  by("token-input").value = "";
  start();
});
addEventListener("hashchange", start);

function wanted() {
  return new URLSearchParams(location.hash.slice(1)).get("loop");
}

/** Shows what the address says. */
function start() {
  overview.stop();
  following?.abort();
  following = null;
  if (document.hidden) return;
  const loop = wanted();
  by("trail").hidden = !loop;
  if (loop) {
    show(loop);
  } else {
    document.title = "Counterflow";
    by("loop-view").hidden = true;
    by("unknown").hidden = true;
    overview.start();
  }
}

function takeOverview(answer, failure, total) {
  if (isRefused(failure)) {
    overview.stop();
    refused(failure);
    return;
  }
  if (failure) {
    connection("stalled", "connection lost, retrying");
    return;
  }
  connection("ok", "live");
  const empty = total === 0 && !overview.filtered;
  by("empty").hidden = !empty;
  if (empty) showEmpty();
  if (total === 1 && !overview.filtered) {
    location.replace(loopHash(answer.loops[0].loop));
    return;
  }
  by("overview").hidden = empty;
}

const isRefused = failure => failure instanceof Refusal && (failure.status === 401 || failure.status === 403);

function refused(failure) {
  connection("stalled", "a token is needed");
  askToken(failure);
}

function showEmpty() {
  const auth = token.get() ? ` -H 'authorization: Bearer …'` : "";
  text(by("empty-command").firstElementChild, `curl -X PUT ${location.origin}/v1/loops/home${auth} \\\n  -H 'content-type: application/json' \\\n  -d '{"actions":["a","b","c"],"features":4}'`);
}

function show(loop) {
  following = new AbortController();
  by("loop-view").hidden = state.loop !== null && loop !== state.loop; // until it is loaded
  if (loop !== state.loop) Object.assign(state, {loop, windows: new Map(), policies: [], history: [], rollout: null, truth: null, actions: [], spec: {}, pipeline: null});
  text(by("loop"), loop);
  document.title = `${loop} – Counterflow`;
  for (const id of ["empty", "overview", "unknown"]) by(id).hidden = true;
  follow(loop, following.signal);
}

/** Follows a loop until another one is selected, and reconnects after failures. */
async function follow(loop, signal) {
  let backoff = 500;
  while (!signal.aborted) {
    try {
      await loadAll(loop, signal);
      if (signal.aborted) return;
      by("unknown").hidden = true;
      by("loop-view").hidden = false;
      const truth = setInterval(() => refreshStats(loop, signal), TRUTH_MS);
      const process = setInterval(() => refreshProcess(signal), PROCESS_MS);
      try {
        await readEvents(loopPath(loop, "/stream"), signal, (name, data) => {
          backoff = 500;
          connection("ok", "live");
          take(name, data, signal);
        });
      } finally {
        clearInterval(truth);
        clearInterval(process);
      }
    } catch (failure) {
      if (signal.aborted) return;
      if (isRefused(failure)) {
        following = null;
        refused(failure);
        return;
      }
      if (failure instanceof Refusal && failure.status === 404) {
        text(by("unknown-name"), loop);
        by("unknown").hidden = false;
        by("loop-view").hidden = true;
        connection("stalled", "no such loop, retrying");
        await new Promise(done => setTimeout(done, UNKNOWN_MS));
        continue;
      }
    }
    if (signal.aborted) return;
    connection("stalled", "connection lost, retrying");
    await new Promise(done => setTimeout(done, backoff));
    backoff = Math.min(2 * backoff, MAX_BACKOFF_MS);
  }
}

async function loadAll(loop, signal) {
  const [stats, policies, described] = await Promise.all([get(loopPath(loop, "/stats")), get(loopPath(loop, "/policies")), get(loopPath(loop))]);
  if (signal.aborted) return;
  takeStats(stats);
  takePolicies(policies);
  state.spec = described.spec;
  state.actions = (described.spec.actions ?? []).map(it => typeof it === "string" ? it : it.id);
  refreshProcess(signal);
  redraw(); // the first event of the stream is the pipeline
}

/** How long decisions take is no part of a loop. */
async function refreshProcess(signal) {
  const answer = await get("/v1/overview?limit=0").catch(() => null); // the stream reports a lost connection
  if (answer && !signal.aborted) text(by("process-note"), processWords(answer.process));
}

async function refreshStats(loop, signal) {
  if (!state.truth) return; // only the true values of a simulation change without an event
  const stats = await get(loopPath(loop, "/stats")).catch(() => null); // the stream reports a lost connection
  if (stats && !signal.aborted) takeStats(stats);
}

function takeStats(stats) {
  state.activeVersion = stats.policyVersion;
  state.truth = stats.truth ?? null;
  stats.windows.forEach(takeWindow);
}

function takeWindow(window) {
  state.windows.set(`${window.end} ${window.policyVersion}`, window);
  if (state.windows.size > MAX_WINDOWS) state.windows.delete(state.windows.keys().next().value);
}

function takePolicies(answer) {
  state.policies = answer.policies;
  state.startingVersion = answer.startingVersion;
  state.history = answer.history ?? [];
  state.rollout = answer.rollout ?? null;
}

let loadingPolicies = false;

async function reloadPolicies(signal) {
  if (loadingPolicies) return;
  loadingPolicies = true;
  try {
    const answer = await get(loopPath(state.loop, "/policies"));
    if (!signal.aborted) takePolicies(answer);
    redraw();
  } catch {
    // the stream reports a lost connection, and then everything is loaded again
  } finally {
    loadingPolicies = false;
  }
}

function take(name, data, signal) {
  if (name === "window") takeWindow(data);
  if (name === "rollout") {
    state.rollout = data;
    reloadPolicies(signal);
  }
  if (name === "pipeline") {
    const newest = state.policies.find(it => it.snapshot)?.version;
    state.pipeline = data;
    if (data.learning.newestVersion !== newest && data.learning.newestVersion !== undefined || data.rolloutSequence !== (state.rollout?.sequence ?? 0)) reloadPolicies(signal);
  }
  redraw();
}

function redraw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    const facts = views.draw(state);
    if (state.pipeline) pipeline.draw(state.pipeline, state);
    versions.draw();
    figures(facts);
  });
}

function figures(facts) {
  const own = facts.all?.at(-1) ?? facts.versions.get(facts.active)?.at(-1) ?? [...facts.versions.values()].at(-1)?.at(-1);
  const uniform = facts.uniform.at(-1)?.selfNormalized;
  const first = facts.first?.value;
  const joined = state.pipeline?.stages.find(it => it.name === "joined");
  const entries = [
    ["Active", `v${facts.active}`, state.rollout ? state.rollout.mode + (state.rollout.paused ? ", paused" : "") : "not started yet"],
    ["Reward now", decimal(own?.y), isNumber(own?.low) ? `± ${decimal(own.y - own.low)}` : " "],
    ["vs. uniform", own && isNumber(uniform) ? signed(own.y - uniform, 3) : "–", isNumber(uniform) ? `uniform ${decimal(uniform)}` : " "],
    ["vs. first policy", own && isNumber(first) ? signed(own.y - first, 3) : "–", isNumber(first) ? `first ${decimal(first)}` : " "],
    ["Examples", joined ? `${joined.perSecond.toFixed(joined.perSecond < 10 ? 1 : 0)}/s` : "–", joined?.last ? `last ${age(joined.last)}` : "nothing yet"],
  ];
  const list = by("figures");
  if (list.children.length !== entries.length) list.replaceChildren(...entries.map(() => el("div", {}, el("dt"), el("dd", {class: "figure"}), el("dd", {class: "quiet"}))));
  entries.forEach(([name, value, note], i) => [name, value, note].forEach((words, j) => text(list.children[i].children[j], words)));
}

// A hidden tab closes its connection: browsers allow only a few connections to one server.
document.addEventListener("visibilitychange", start);
setInterval(() => following && state.pipeline && redraw(), 5_000); // ages change without events
start();
