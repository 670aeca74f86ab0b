// Versions with their lineage and certificates, and the commands for the rollout.

import {age, decimal, el, fromUnit, integer, isNumber, moment, percent, text} from "./format.js";
import {loopPath, post, Refusal} from "./server.js";
import {colour} from "./views.js";

const by = id => document.getElementById(id);
const COLUMNS = ["Version", "From", "Learner", "Role", "Traffic", "Examples", "Estimated value", "At least", "Sample size", "Frozen", ""];
const MAX_ROWS = 40;
const ANSWER_MS = 60_000;

const ASKS = {
  promote: {title: v => `Promote version ${v}`, text: v => `Version ${v} will decide all events and start the next generation.`, send: "Promote"},
  canary: {title: v => `Canary of version ${v}`, text: v => `Version ${v} will decide a share of the events.`, send: "Start canary"},
  rollback: {title: () => "Roll back", text: (v, state) => state.rollout?.stage === "canary" ? "The canary ends, and the active version decides all events." : `The previous version${isNumber(state.rollout?.previousVersion) ? `, ${state.rollout.previousVersion},` : ""} will decide all events.`, send: "Roll back"},
  withdraw: {title: v => `Withdraw version ${v}`, text: v => `Version ${v} is no longer compared with the active version.`, send: "Withdraw"},
  pause: {title: () => "Pause automatic changes", text: () => "The gate does not promote or roll back any version until automatic changes are resumed.", send: "Pause"},
  resume: {title: () => "Resume automatic changes", text: () => "The gate can promote and roll back versions again.", send: "Resume"},
};

/** What has learned a version: the reward model, or LPR with its objective. */
function learner(snapshot) {
  if (!snapshot?.objective) return el("span", {class: "quiet"}, "–");
  return snapshot.objective === "reward-model" ? "reward model" : snapshot.objective;
}

export class Versions {
  constructor(state, onRefused) {
    this.state = state;
    this.onRefused = onRefused;
    this.pending = null;
    by("versions-table").tHead.replaceChildren(el("tr", {}, ...COLUMNS.map(it => it ? el("th", {scope: "col"}, it) : el("th", {scope: "col"}, el("span", {class: "visually-hidden"}, "Commands")))));
    document.addEventListener("click", event => {
      const button = event.target.closest("button[data-action]");
      if (button) this.ask(button.dataset.action, button.dataset.version);
    });
    by("command-form").addEventListener("submit", event => {
      if (event.submitter?.value !== "send") return;
      const {action, version} = this.asked;
      this.send(action, version, by("command-reason").value, Number(by("command-share").value) / 100);
    });
  }

  draw() {
    const {state} = this;
    const key = JSON.stringify([state.policies.length, state.policies[0]?.version, state.rollout?.sequence, state.loop, Math.floor(Date.now() / 20_000)]);
    if (key !== this.key) {
      this.key = key;
      this.drawTable();
      this.drawHistory();
    }
    for (const button of document.querySelectorAll(".commands button")) {
      const paused = state.rollout?.paused === true;
      button.hidden = button.dataset.action === "pause" ? paused : button.dataset.action === "resume" ? !paused : false;
      button.disabled = !state.rollout || button.dataset.action === "rollback" && state.rollout.stage !== "canary" && !isNumber(state.rollout.previousVersion);
    }
    this.answer();
  }

  drawTable() {
    const focused = document.activeElement?.closest?.("#versions-table button");
    const keep = focused ? [focused.dataset.action, focused.dataset.version] : null;
    const {policies, startingVersion} = this.state;
    const shown = policies.filter((it, i) => i < MAX_ROWS || it.role !== "none" || it.share > 0 || it.version === startingVersion);
    by("versions-table").tBodies[0].replaceChildren(...shown.map(it => this.row(it)));
    if (keep) document.querySelector(`#versions-table button[data-action="${keep[0]}"][data-version="${keep[1]}"]`)?.focus();
  }

  row(policy) {
    const snapshot = policy.snapshot;
    const certificate = snapshot?.certificate;
    const active = policy.role === "active";
    const value = certificate ? fromUnit(certificate.selfNormalized, this.state.spec) : undefined;
    return el("tr", {class: active ? "is-active" : null},
      el("th", {scope: "row"}, el("i", {class: `key box ${colour(policy.version)}`, "aria-hidden": "true"}), `v${policy.version}`),
      el("td", {}, isNumber(snapshot?.parentVersion) ? `v${snapshot.parentVersion}` : "start"),
      el("td", {}, learner(snapshot)),
      el("td", {}, policy.role === "none" ? el("span", {class: "quiet"}, "–") : el("span", {class: `role role-${policy.role}`}, policy.role)),
      el("td", {class: "number"}, policy.share ? percent(policy.share) : "–"),
      el("td", {class: "number"}, integer(snapshot?.examples)),
      el("td", {class: "number"}, decimal(value, 4)),
      el("td", {class: "number", title: "Lower bound from the examples that it was learned from"}, decimal(fromUnit(certificate?.learnedFrom?.valueLowerBound, this.state.spec), 4)),
      el("td", {class: "number"}, certificate ? `${integer(certificate.effectiveSampleSize)} of ${integer(certificate.n)}` : "–"),
      el("td", {}, snapshot ? age(snapshot.createdAt) : "–"),
      el("td", {class: "row-commands"}, ...(active || !this.state.rollout ? [] : [
        el("button", {type: "button", "data-action": "promote", "data-version": policy.version, "aria-label": `Promote version ${policy.version}`}, "Promote"),
        el("button", {type: "button", "data-action": "canary", "data-version": policy.version, "aria-label": `Canary of version ${policy.version}`}, "Canary"),
        ...(policy.role === "registered" ? [el("button", {type: "button", "data-action": "withdraw", "data-version": policy.version, "aria-label": `Withdraw version ${policy.version}`}, "Withdraw")] : []),
      ])));
  }

  drawHistory() {
    const rows = [...this.state.history].reverse().slice(0, 12);
    by("history").hidden = rows.length === 0;
    by("history-list").replaceChildren(...rows.map(it => el("li", {}, el("time", {datetime: it.time, title: it.time}, moment(it.time)), el("span", {class: `happened happened-${it.kind}`}, it.kind.replace(/[A-Z]/g, c => ` ${c.toLowerCase()}`)), el("span", {}, it.reason, it.requestedBy ? el("span", {class: "quiet"}, ` (asked by ${it.requestedBy})`) : null))));
  }

  ask(action, version) {
    const ask = ASKS[action];
    this.asked = {action, version: version === undefined ? undefined : Number(version)};
    text(by("command-title"), ask.title(version));
    text(by("command-text"), ask.text(version, this.state));
    text(by("command-send"), ask.send);
    by("command-share-row").hidden = action !== "canary";
    by("command-share").disabled = action !== "canary";
    by("command-reason").value = "";
    by("command-dialog").showModal();
    (action === "canary" ? by("command-share") : by("command-reason")).focus();
  }

  async send(action, version, reason, share) {
    const body = {action, reason};
    if (version !== undefined) body.version = version;
    if (action === "canary") body.share = share;
    const words = ASKS[action].title(version);
    this.say("waiting", `${words}: sending.`);
    try {
      const {commandId} = await post(loopPath(this.state.loop, "/rollout"), body);
      this.pending = {commandId, words, since: Date.now()};
      this.say("waiting", `${words}: recorded. Waiting for the job.`);
      this.answer();
    } catch (failure) {
      this.say("stalled", `${words}: not sent. ${failure.message}`);
      if (failure instanceof Refusal && (failure.status === 401 || failure.status === 403)) this.onRefused(failure);
    }
  }

  /** The result of the last command. */
  answer() {
    if (!this.pending) return;
    const {commandId, words, since} = this.pending;
    const told = this.state.history.find(it => it.commandId === commandId) ?? (this.state.rollout?.commandId === commandId ? this.state.rollout : null);
    if (told) {
      this.pending = null;
      if (told.kind === "refused") this.say("stalled", `${words}: refused. ${told.reason}`);
      else this.say("ok", `${words}: done (${told.kind}). Version ${told.activeVersion} is active.`);
    } else if (Date.now() - since > ANSWER_MS) {
      this.say("warning", `${words}: recorded, but the job has not responded for a minute. The command is not lost. See the pipeline above.`);
    }
  }

  say(state, words) {
    const answer = by("command-answer");
    answer.dataset.state = state;
    text(answer, words);
  }
}
