// All loops, the worst first, a page at a time. The server sorts and filters.

import {age, decimal, el, integer, isNumber, percent, rate, signed, span, text} from "./format.js";
import {get} from "./server.js";

const by = id => document.getElementById(id);
const PAGE = 50;
const POLL_MS = 5_000;
const EMPTY_POLL_MS = 2_000;
const TYPING_MS = 200;
const COLUMNS = ["State", "Loop", "Active", "Age", "Decisions", "Reward", "Gain over baseline", "Not logged"];
const TITLES = {
  Age: "Since the active version was frozen",
  Decisions: "Decisions of all processes, counted when the loop learns from them",
  Reward: "Mean reward of the decisions of the newest window",
  "Gain over baseline": "Measured with a holdout",
  "Not logged": "Share of the decisions of this process within the last 5 minutes that were not logged",
};
const STATES = ["stalled", "warning", "waiting", "ok"];
const STAGES = {decisions: "decisions", rewards: "rewards", joined: "join", learned: "learning", snapshot: "snapshot", served: "serving", late: "late records", deadLetters: "dead letters"};

export const loopHash = loop => `#loop=${encodeURIComponent(loop)}`;

/** What concerns this process, in words. */
export function processWords(process) {
  if (!isNumber(process.rankSeconds50)) return "";
  return `This process: half of its decisions take less than ${span(process.rankSeconds50)}, 99 % less than ${span(process.rankSeconds99)}.`;
}

function gainWords(row) {
  return isNumber(row.gain) ? `${signed(row.gain, 3)} (${signed(row.gainLower, 3)} to ${signed(row.gainUpper, 3)})` : "–";
}

export class Overview {
  /**
   * @param onAnswer called with each answer, and with the failure instead
   */
  constructor(onAnswer) {
    this.onAnswer = onAnswer;
    this.offset = 0;
    this.state = "";
    this.round = 0; // only the most recent of several requests continues
    by("overview-table").tHead.replaceChildren(el("tr", {}, ...COLUMNS.map(it => el("th", {scope: "col", title: TITLES[it]}, it))));
    by("overview-states").replaceChildren(...STATES.map(it => el("button", {type: "button", class: "chip", "data-state": it, "aria-pressed": "false"}, el("b", {}), ` ${it}`)));
    by("overview-states").addEventListener("click", event => {
      const chip = event.target.closest("button");
      if (chip) this.select(this.state === chip.dataset.state ? "" : chip.dataset.state, 0);
    });
    by("overview-search").addEventListener("input", () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.select(this.state, 0), TYPING_MS);
    });
    by("overview-before").addEventListener("click", () => this.select(this.state, Math.max(0, this.offset - PAGE)));
    by("overview-after").addEventListener("click", () => this.select(this.state, this.offset + PAGE));
  }

  select(state, offset) {
    this.state = state;
    this.offset = offset;
    if (this.running) this.start();
  }

  get filtered() {
    return this.state !== "" || by("overview-search").value.trim() !== "";
  }

  /** Asks now, and again until {@link stop}. */
  async start() {
    this.stop();
    this.running = true;
    const own = ++this.round;
    const query = new URLSearchParams({search: by("overview-search").value.trim(), offset: this.offset, limit: PAGE});
    if (this.state) query.set("state", this.state);
    let failure = null;
    let answer = null;
    try {
      answer = await get(`/v1/overview?${query}`);
    } catch (refused) {
      failure = refused;
    }
    if (own !== this.round) return;
    const total = answer ? STATES.reduce((sum, it) => sum + answer.states[it], 0) : 0;
    if (answer) this.draw(answer);
    if (own !== this.round) return; // it asks for another page
    this.timer = setTimeout(() => this.start(), total > 0 ? POLL_MS : EMPTY_POLL_MS);
    this.onAnswer(answer, failure, total);
  }

  stop() {
    clearTimeout(this.timer);
    this.round++;
    this.running = false;
  }

  draw(answer) {
    for (const chip of by("overview-states").children) {
      text(chip.firstElementChild, integer(answer.states[chip.dataset.state]));
      chip.setAttribute("aria-pressed", String(chip.dataset.state === this.state));
    }
    const {matches, offset, loops} = answer;
    if (loops.length === 0 && matches > 0) return this.select(this.state, 0); // the page is past the end
    text(by("overview-range"), matches === 0 ? "No loop matches." : `${integer(offset + 1)} to ${integer(offset + loops.length)} of ${integer(matches)}`);
    by("overview-before").disabled = offset === 0;
    by("overview-after").disabled = offset + loops.length >= matches;
    by("overview-pager").hidden = matches > 0 && matches <= PAGE && offset === 0;
    text(by("overview-process"), processWords(answer.process));
    const letters = answer.noLoop?.deadLetters ?? 0;
    by("overview-letters").hidden = letters === 0;
    text(by("overview-letters"), letters ? `${integer(letters)} records of no known loop could not be used within the last 5 minutes: ${answer.noLoop.reasons.map(it => `${integer(it.count)} ${it.rule}`).join(", ")}. The newest: ${answer.noLoop.reasons[0].newest}.` : "");
    const body = by("overview-table").tBodies[0];
    while (body.rows.length > loops.length) body.lastElementChild.remove();
    while (body.rows.length < loops.length) body.append(newRow());
    loops.forEach((row, i) => fill(body.rows[i], row));
  }
}

/** Rows stay and their text changes, so that the focus and the layout stay as well. */
function newRow() {
  const cell = (cls = null) => el("td", {class: cls});
  return el("tr", {class: "loop-row"},
    el("td", {}, el("span", {class: "badge"}), el("span", {class: "overview-stage"})),
    el("th", {scope: "row"}, el("a"), el("p", {class: "overview-reason quiet"})),
    cell(), cell(), cell(), cell("loop-reward"), cell(), cell());
}

function fill(node, row) {
  const [state, name, active, since, decisions, reward, gain, unlogged] = node.cells;
  node.dataset.state = row.state;
  node.dataset.loop = row.loop;
  text(state.firstElementChild, row.state === "ok" ? "learning" : row.state);
  text(state.lastElementChild, row.stage ? STAGES[row.stage] : "");
  text(name.firstElementChild, row.loop);
  name.firstElementChild.href = loopHash(row.loop);
  text(name.lastElementChild, row.state === "ok" ? "" : row.reason);
  name.lastElementChild.title = row.reason;
  text(active, row.activeVersion === undefined ? "–" : `v${row.activeVersion}`);
  text(since, row.activeFrozenAt ? age(row.activeFrozenAt).replace(" ago", "") : "–");
  text(decisions, rate(row.decisionsPerSecond));
  text(reward, decimal(row.reward));
  text(gain, gainWords(row));
  text(unlogged, isNumber(row.unloggedShare) ? percent(row.unloggedShare, row.unloggedShare > 0 ? 2 : 0) : "–");
  unlogged.classList.toggle("is-bad", row.unloggedShare > 0);
}
