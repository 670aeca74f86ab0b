// The charts of a loop, computed from its windows of estimates.

import {Chart, legend} from "./charts.js";
import {clock, decimal, el, fromUnit, integer, isNumber, moment, percent, signed, text} from "./format.js";

const Z = 1.96;
const FEW = 30; // bands of windows with fewer examples do not extend the axis
const TOO_FEW = 0.2; // share of the usual number of examples: windows in which a version started or ended
const MAX_ACTIONS = 12;
const MANY_VERSIONS = 8; // more of them, each deciding for a short time, are one line
const CLEAN_EXAMPLES = 1000; // correct propensities in a row that open a closed gate
const by = id => document.getElementById(id);

export const colour = version => `c${Number(version) % 8}`;

function windowsOf(state) {
  return [...state.windows.values()].sort((a, b) => Date.parse(a.end) - Date.parse(b.end) || a.policyVersion - b.policyVersion);
}

/** For each window, the estimate of a policy with the most examples. */
function estimates(windows, policy) {
  const best = new Map();
  for (const window of windows) {
    for (const estimate of window.estimates ?? []) {
      if (estimate.policy !== policy || !estimate.n) continue;
      const known = best.get(window.end);
      if (!known || known.n < estimate.n) best.set(window.end, {...estimate, x: Date.parse(window.end), loggedBy: window.policyVersion});
    }
  }
  return [...best.values()].sort((a, b) => a.x - b.x);
}

/** Without points that have so few examples that they only show noise. */
function telling(points) {
  const sizes = points.map(it => it.n).sort((a, b) => a - b);
  const least = TOO_FEW * sizes[Math.floor(sizes.length / 2)];
  return points.filter(it => it.n >= least);
}

/** Points by version; a policy without versions counts as one version. */
function byVersion(points) {
  const versions = new Map();
  for (const point of points) {
    if (!versions.has(point.version)) versions.set(point.version, []);
    versions.get(point.version).push(point);
  }
  return [...versions].map(([version, own]) => [version, telling(own)]);
}

function meanPoint(window) {
  const half = isNumber(window.onPolicyStandardError) ? Z * window.onPolicyStandardError : NaN;
  return {x: Date.parse(window.end), y: window.onPolicyMean, low: window.onPolicyMean - half, high: window.onPolicyMean + half, faint: window.n < FEW, n: window.n, note: `n ${integer(window.n)}`};
}

function versionsSeen(windows) {
  const versions = new Map();
  for (const window of windows) {
    if (!isNumber(window.onPolicyMean) || !window.n) continue;
    if (!versions.has(window.policyVersion)) versions.set(window.policyVersion, []);
    versions.get(window.policyVersion).push(meanPoint(window));
  }
  return new Map([...versions].sort((a, b) => a[0] - b[0]).map(([version, points]) => [version, telling(points)]));
}

/** The reward of all decisions of each window, and its true value where it is known. */
function allDecisions(windows, truth) {
  const sums = new Map();
  for (const window of windows) {
    if (!isNumber(window.onPolicyMean) || !window.n) continue;
    if (!sums.has(window.end)) sums.set(window.end, {n: 0, reward: 0, square: 0, truth: 0});
    const sum = sums.get(window.end);
    sum.n += window.n;
    sum.reward += window.n * window.onPolicyMean;
    sum.square += (window.n * (window.onPolicyStandardError ?? NaN)) ** 2;
    sum.truth += window.n * (truth?.versions[window.policyVersion] ?? NaN);
  }
  return telling([...sums].map(([end, it]) => ({...meanPoint({end, n: it.n, onPolicyMean: it.reward / it.n, onPolicyStandardError: Math.sqrt(it.square) / it.n}), truth: it.truth / it.n})));
}

/** The mean reward of the starting policy: from the certificates of versions learned from it, or from its own windows. */
export function baseline(state, versions) {
  const version = state.startingVersion;
  const learned = state.policies.filter(it => it.snapshot?.parentVersion === version && isNumber(it.snapshot.certificate?.onPolicyMean)).map(it => it.snapshot.certificate);
  if (learned.length) {
    const most = learned.reduce((most, it) => it.n > most.n ? it : most);
    return {version, value: fromUnit(most.onPolicyMean, state.spec)};
  }
  const own = versions.get(version) ?? [];
  const n = own.reduce((sum, p) => sum + p.n, 0);
  return n ? {version, value: own.reduce((sum, p) => sum + p.y * p.n, 0) / n} : null;
}

/** A version in the chart of rewards. Of many versions, those that no longer matter are thin lines. */
function ofVersion(state, facts, version, points) {
  const name = `version ${version}`;
  const style = colour(version);
  const policy = state.policies.find(it => it.version === version);
  const matters = facts.versions.size <= MANY_VERSIONS || version === facts.active || version === state.startingVersion || policy !== undefined && (policy.role !== "none" || policy.share > 0);
  return matters ? {name, style, label: `v${version}`, points} : {name, style, thin: true, points: points.map(it => ({...it, low: NaN, high: NaN}))};
}

/** How often the reward model has found that the world has changed, and the windows in which it did. */
function changesFound(windows) {
  const marks = [];
  let before = null;
  for (const window of windows) {
    const count = window.changesFound ?? 0;
    if (before !== null && count > before) marks.push({x: Date.parse(window.end), version: window.policyVersion});
    before = count;
  }
  return {count: before ?? 0, marks};
}

function changeWords({count, marks}) {
  if (count === 0) return "";
  const last = marks.at(-1);
  return `The world changed ${count === 1 ? "once" : `${integer(count)} times`}${last ? `, ${count === 1 ? "" : "last "}at version ${last.version} (${moment(last.x)})` : ""}. The reward model now learns from what came after.`;
}

export class Views {
  constructor() {
    this.reward = new Chart(by("reward-chart"));
    this.gate = new Chart(by("gate-chart"));
    this.weight = new Chart(by("weight-chart"));
    this.ess = new Chart(by("ess-chart"));
  }

  draw(state) {
    const windows = windowsOf(state);
    const versions = versionsSeen(windows);
    const facts = {first: baseline(state, versions), versions, uniform: estimates(windows, "uniform"), active: state.rollout?.activeVersion ?? state.activeVersion};
    facts.all = ["immediate", "apprentice"].includes(state.rollout?.mode) && versions.size > MANY_VERSIONS ? allDecisions(windows, state.truth) : null;
    this.drawReward(state, windows, facts);
    this.drawGate(state, windows);
    this.drawWeights(windows);
    drawActions(state, windows);
    return facts;
  }

  drawReward(state, windows, facts) {
    const series = [];
    if (facts.all) series.push({name: "all decisions", label: `to v${facts.active}`, style: "c0", points: facts.all});
    else for (const [version, points] of facts.versions) series.push(ofVersion(state, facts, version, points));
    if (facts.uniform.length) {
      series.push({name: "uniform, estimated", label: "uniform", style: "muted", thin: true, dash: true, points: facts.uniform.map(it => ({x: it.x, y: it.selfNormalized})).filter(p => isNumber(p.y))});
    }
    const lines = [];
    if (state.truth) {
      lines.push({y: state.truth.best, label: "true best", style: "truth"}, {y: state.truth.uniform, style: "truth"});
      if (facts.all) series.push({name: "true value", style: "truth", thin: true, silent: true, points: facts.all.filter(it => isNumber(it.truth)).map(it => ({x: it.x, y: it.truth}))});
      else for (const [version, points] of facts.versions) {
        const value = state.truth.versions[version];
        if (isNumber(value) && points.length > 1) series.push({name: `true value of version ${version}`, style: "truth", thin: true, silent: true, points: [points[0], points[points.length - 1]].map(p => ({x: p.x, y: value}))});
      }
    }
    if (facts.first) lines.push({y: facts.first.value, label: `first policy`, style: "first"});
    const changes = changesFound(windows);
    this.reward.draw({series, lines, changes: changes.marks, floor: fromUnit(0, state.spec), leastSpan: fromUnit(0.05, state.spec) - fromUnit(0, state.spec), value: v => decimal(v), empty: "No windows yet. The job publishes a window when event time has passed its end."});
    legend(by("reward-legend"), [["line-key", "mean reward, 95 % band"], ["muted dash-key", "uniform"], ...(facts.first ? [["first dash-key", "first policy"]] : []), ...(state.truth ? [["truth", "true value (simulation)"]] : []), ...(changes.marks.length ? [["change-key", "the world changed"]] : [])]);
    text(by("reward-summary"), [rewardWords(state, facts), changeWords(changes)].join(" ").trim());
    const gain = apprenticeWords(windows.at(-1)?.apprentice) || holdoutWords(windows.findLast(it => it.holdout)?.holdout);
    by("holdout-summary").hidden = !gain;
    text(by("holdout-summary"), gain);
    rewardTable(windows);
  }

  drawGate(state, windows) {
    const candidates = new Map();
    for (const window of windows) {
      const own = (window.estimates ?? []).find(it => it.policy === "candidate");
      if (!own || !isNumber(own.version) || !isNumber(own.selfNormalized) || !own.n || own.version === window.policyVersion) continue;
      if (!isNumber(window.onPolicyMean)) continue;
      const half = Z * Math.hypot(own.selfNormalizedStandardError ?? NaN, window.onPolicyStandardError ?? NaN);
      const y = own.selfNormalized - window.onPolicyMean;
      if (!candidates.has(own.version)) candidates.set(own.version, []);
      candidates.get(own.version).push({x: Date.parse(window.end), y, low: y - half, high: y + half, faint: own.n < 2 * FEW, n: own.n, note: `n ${integer(own.n)}`});
    }
    const series = [...candidates].sort((a, b) => a[0] - b[0]).map(([version, points]) => ({name: `version ${version}`, label: `v${version}`, style: colour(version), points: telling(points)}));
    const marks = state.history.filter(it => isNumber(it.differenceLowerBound)).map(it => ({x: Date.parse(it.time), y: it.differenceLowerBound, style: it.differenceLowerBound > 0 ? "good" : "bad"}));
    this.gate.draw({series, marks, lines: [{y: 0, label: "no gain", style: "gate"}], leastSpan: 0.02, value: v => signed(v, 3), empty: "No candidate has been evaluated yet."});
    legend(by("gate-legend"), [["line-key", "estimated gain"], ["diamond", "gate's lower bound"]]);
    text(by("gate-summary"), gateWords(state));
    const closed = state.rollout?.closedReason;
    by("gate-closed").hidden = closed === undefined;
    text(by("gate-closed"), closed === undefined ? "" : `The gate is closed: ${closed}. Bounds are withheld until ${integer(CLEAN_EXAMPLES)} decisions in a row have correct propensities.`);
  }

  drawWeights(windows) {
    const weight = [];
    const ess = [];
    for (const policy of ["uniform", "candidate"]) {
      for (const [version, found] of byVersion(estimates(windows, policy))) {
        const name = policy === "uniform" ? "uniform" : `v${version}`;
        const style = policy === "uniform" ? "muted" : colour(version);
        weight.push({name, label: name, style, thin: policy === "uniform", points: found.filter(it => isNumber(it.meanWeight)).map(it => ({x: it.x, y: it.meanWeight, low: policy === "uniform" ? NaN : it.meanWeightLower ?? NaN, high: it.meanWeightUpper ?? NaN, faint: true}))});
        ess.push({name: `${name}, effective share`, label: name, style, thin: policy === "uniform", points: found.map(it => ({x: it.x, y: it.effectiveSampleSize / it.n, note: `${integer(it.effectiveSampleSize)} of ${integer(it.n)}`})).filter(p => isNumber(p.y))});
        ess.push({name: `${name}, clipped`, style, thin: true, dash: true, points: found.filter(it => isNumber(it.clipRate)).map(it => ({x: it.x, y: it.clipRate}))});
      }
    }
    this.weight.draw({series: weight, lines: [{y: 1, label: "should be 1", style: "gate"}], leastSpan: 0.2, floor: 0, tight: true, value: v => decimal(v, 2), empty: "No estimates yet"});
    this.ess.draw({series: ess, floor: 0, ceiling: 1.02, leastSpan: 0.5, lines: [], tick: v => percent(v), value: v => percent(v, 1), empty: "No estimates yet"});
    legend(by("weight-legend"), [["line-key", "candidate, with its bounds"], ["muted", "uniform"]]);
    legend(by("ess-legend"), [["line-key", "effective share"], ["dash-key", "clipped"]]);
    const last = telling(estimates(windows, "candidate")).at(-1) ?? telling(estimates(windows, "uniform")).at(-1);
    text(by("weight-summary"), weightWords(last));
    text(by("ess-summary"), essWords(last));
  }
}

function rewardWords(state, facts) {
  const own = facts.all?.at(-1) ?? facts.versions.get(facts.active)?.at(-1);
  if (!own) return facts.versions.size ? `Version ${facts.active} is active and has no window yet.` : "";
  const parts = [`${facts.all ? `The loop, now with version ${facts.active},` : `Version ${facts.active}`} earns ${decimal(own.y)} per decision`];
  if (isNumber(own.low)) parts[0] += `, between ${decimal(own.low)} and ${decimal(own.high)}`;
  if (facts.first) parts.push(`the first policy earned ${decimal(facts.first.value)}`);
  const uniform = facts.uniform.at(-1);
  if (uniform) parts.push(`a uniform policy would earn about ${decimal(uniform.selfNormalized)}`);
  if (state.truth) parts.push(`the best possible is ${decimal(state.truth.best)}`);
  return `${parts.join("; ")}.`;
}

/** What is known of the active version of a loop that is an apprentice, in words; empty for other loops. */
export function apprenticeWords(known) {
  if (!known) return "";
  return `Apprentice: the first action of each request is shown, and the chart has its reward. Version ${known.version} would have chosen it in ${percent(known.agreement, 1)} of the newest window, and would have earned between ${decimal(known.lowestValue, 4)} and ${decimal(known.highestValue, 4)}.`;
}

/** The measured gain over the baseline version, in words; empty without a holdout. */
export function holdoutWords(holdout) {
  if (!holdout) return "";
  const sure = holdout.gainLower > 0 ? "the loop is better" : holdout.gainUpper < 0 ? "the loop is worse" : "not certain yet";
  return `Holdout: version ${holdout.version} decides ${percent(holdout.share, 1)} of the events. The gain of the loop over it is ${signed(holdout.gain)} per decision, between ${signed(holdout.gainLower)} and ${signed(holdout.gainUpper)}: ${sure}. Since ${holdout.since.slice(0, 10)}: ${decimal(holdout.holdout.mean)} in ${integer(holdout.holdout.n)} events of the holdout, ${decimal(holdout.rest.mean)} in ${integer(holdout.rest.n)} others.`;
}

function gateWords(state) {
  const rollout = state.rollout;
  if (!rollout) return "The job has not started this loop yet.";
  const bounds = [...state.history].reverse().find(it => isNumber(it.differenceLowerBound));
  const words = [];
  if (rollout.candidateVersion !== undefined) words.push(`Version ${rollout.candidateVersion} is compared with version ${rollout.activeVersion} (${rollout.mode}).`);
  else words.push(`The loop has no candidate of its own (${rollout.mode}).`);
  const registered = rollout.registeredVersions ?? [];
  if (registered.length) words.push(`${registered.length > 1 ? "Registered versions" : "Registered version"} ${registered.join(", ")} ${registered.length > 1 ? "are" : "is"} compared as well.`);
  if (bounds) words.push(`Last report, after ${integer(bounds.comparedExamples)} examples: the gain is at least ${signed(bounds.differenceLowerBound)}` + (isNumber(bounds.candidateLowerBound) ? `; candidate ≥ ${decimal(bounds.candidateLowerBound)}, active ≤ ${decimal(bounds.activeUpperBound)}` : "") + (isNumber(bounds.guardrailLowerBound) ? `; guardrail difference ≥ ${signed(bounds.guardrailLowerBound)}` : "") + `. ${promotionWords(bounds, state.spec)}`);
  return words.join(" ");
}

function promotionWords(bounds, spec) {
  const gain = spec.minimumGain ?? 0;
  const margin = spec.guardrailMargin;
  const rule = `The gate promotes a candidate when its gain is surely at least ${signed(gain)}`;
  if (!isNumber(margin)) return `${rule}.`;
  const waits = bounds.kind === "compared" && bounds.differenceLowerBound >= gain && !(bounds.guardrailLowerBound >= -margin);
  return `${rule} and its guardrail difference at least ${signed(-margin)}.` + (waits ? " It waits for the guardrail." : "");
}

function weightWords(last) {
  if (!last || !isNumber(last.meanWeight)) return "";
  const known = isNumber(last.meanWeightLower) && isNumber(last.meanWeightUpper);
  const off = known && (last.meanWeightLower > 1 || last.meanWeightUpper < 1);
  const who = last.policy === "uniform" ? "Uniform" : `Version ${last.version}`;
  return `${who}: ${decimal(last.meanWeight, 2)}` + (known ? `, confidence bounds ${decimal(last.meanWeightLower, 2)} to ${decimal(last.meanWeightUpper, 2)}. ${off ? "1 is outside: the logged propensities are wrong, do not trust the estimates." : "1 is inside: no sign of wrong propensities."}` : ".");
}

function essWords(last) {
  if (!last) return "";
  const who = last.policy === "uniform" ? "the uniform policy" : `version ${last.version}`;
  return `For ${who}, ${integer(last.n)} examples count like ${integer(last.effectiveSampleSize)} of its own; ${percent(last.clipRate, 1)} of the propensities are below the floor, and the largest weight is ${decimal(last.maxWeight, 1)}.`;
}

function rewardTable(windows) {
  const rows = windows.slice(-60).reverse();
  by("reward-table").replaceChildren(
    el("thead", {}, el("tr", {}, ...["Window ends", "Version", "Decisions", "Mean reward", "± 95 %", "Uniform"].map(it => el("th", {scope: "col"}, it)))),
    el("tbody", {}, ...rows.map(it => el("tr", {}, el("td", {}, clock(it.end)), el("td", {}, `v${it.policyVersion}`), el("td", {}, integer(it.n)), el("td", {}, decimal(it.onPolicyMean, 4)), el("td", {}, decimal(Z * (it.onPolicyStandardError ?? NaN), 4)), el("td", {}, decimal((it.estimates ?? []).find(e => e.policy === "uniform")?.selfNormalized, 4))))));
}

/** The end of the newest window with the usual number of examples. */
function newestWhole(windows) {
  const sizes = new Map();
  for (const window of windows) sizes.set(window.end, {end: window.end, n: (sizes.get(window.end)?.n ?? 0) + window.n});
  return telling([...sizes.values()]).at(-1)?.end;
}

function drawActions(state, windows) {
  const box = by("actions-bars");
  const end = newestWhole(windows);
  const counts = [];
  for (const window of windows.filter(it => it.end === end)) {
    (window.actionCounts ?? []).forEach((n, i) => {
      counts[i] ??= {action: i, n: 0, expected: 0};
      counts[i].n += n;
      counts[i].expected += window.expectedActionCounts?.[i] ?? 0;
    });
  }
  const total = counts.reduce((sum, it) => sum + it.n, 0);
  legend(by("actions-legend"), [["c0 box", "chosen"], ["tick-key", "expected"]]);
  if (!total) {
    box.replaceChildren(el("p", {class: "chart-empty"}, "No actions counted yet"));
    text(by("actions-summary"), "");
    return;
  }
  const order = [...counts].sort((a, b) => b.n - a.n);
  const shown = order.slice(0, MAX_ACTIONS).sort((a, b) => a.action - b.action);
  const most = Math.max(...shown.map(it => Math.max(it.n, it.expected)));
  const nodes = shown.map(it => {
    const bar = el("span", {class: "bar-fill c0"});
    bar.style.width = `${100 * it.n / most}%`;
    const tick = el("span", {class: "bar-tick"});
    tick.style.left = `${100 * it.expected / most}%`;
    return el("li", {}, el("span", {class: "bar-name"}, state.actions[it.action] ?? `action ${it.action}`), el("span", {class: "bar-track", "aria-hidden": "true"}, bar, tick), el("span", {class: "bar-value"}, percent(it.n / total, 1)), el("span", {class: "visually-hidden"}, `, ${integer(it.n)} times, expected ${integer(it.expected)}`));
  });
  box.replaceChildren(el("ul", {}, ...nodes));
  const chi = counts.reduce((sum, it) => it.expected > 0 ? sum + (it.n - it.expected) ** 2 / it.expected : sum, 0);
  const freedom = Math.max(1, counts.filter(it => it.expected > 0).length - 1);
  const odd = chi > freedom + 4 * Math.sqrt(2 * freedom);
  const rest = order.length - shown.length;
  text(by("actions-summary"), `${integer(total)} decisions in the newest window. ${odd ? "The frequencies differ from the logged probabilities by more than chance." : "The frequencies agree with the logged probabilities."}${rest > 0 ? ` ${rest} less frequent actions are not shown.` : ""}`);
}
