// The stages from decision to served policy, as reported by the server.

import {age, el, integer, rate, short, text} from "./format.js";

const by = id => document.getElementById(id);
const NAMES = {
  decisions: ["Decisions", "logged by this process"],
  rewards: ["Rewards", "received by this process"],
  joined: ["Joined", "examples from the job"],
  learned: ["Learned", "since the last snapshot"],
  snapshot: ["Snapshot", "newest version"],
  served: ["Served", "active version"],
  late: ["Late", "of this loop"],
  deadLetters: ["Dead letters", "of this loop"],
};
const WORDS = {ok: "ok", waiting: "waiting", warning: "warning", stalled: "stalled"};

function box(name) {
  const part = (type, cls) => el(type, {class: cls});
  const parts = {figure: part("b", "stage-figure"), unit: part("span", "stage-unit"), rate: part("span", "stage-rate"), last: part("span", "stage-last"), reason: part("p", "stage-reason"), state: part("span", "stage-state")};
  const node = el("li", {class: `stage stage-${name}`, "data-state": "waiting", "data-stage": name},
    el("div", {class: "stage-head"}, el("h3", {}, NAMES[name][0]), parts.state),
    el("p", {class: "stage-main"}, parts.figure, parts.unit),
    el("p", {class: "stage-sub"}, parts.rate, parts.last),
    parts.reason);
  text(parts.unit, NAMES[name][1]);
  return {node, ...parts};
}

export class Pipeline {
  constructor() {
    this.boxes = {};
    const list = by("pipeline");
    list.replaceChildren();
    for (const name of Object.keys(NAMES)) {
      this.boxes[name] = box(name);
      list.append(this.boxes[name].node);
    }
  }

  draw(pipeline, state) {
    for (const stage of pipeline.stages) {
      const it = this.boxes[stage.name];
      if (!it) continue;
      it.node.dataset.state = stage.state;
      text(it.state, WORDS[stage.state]);
      text(it.reason, stage.reason);
      this.figures(it, stage, pipeline, state);
    }
    const verdict = by("verdict");
    verdict.dataset.state = pipeline.state;
    text(by("verdict-state"), pipeline.state === "ok" ? "learning" : WORDS[pipeline.state]);
    text(by("verdict-text"), pipeline.headline);
  }

  figures(it, stage, pipeline, state) {
    const learning = pipeline.learning;
    const newest = state.policies.find(policy => policy.snapshot);
    switch (stage.name) {
      case "learned":
        text(it.figure, short(learning.examplesSinceSnapshot));
        text(it.rate, learning.snapshotExamples ? `of ${integer(learning.snapshotExamples)}` : `every ${learning.snapshotInterval}`);
        text(it.last, "");
        break;
      case "snapshot":
        text(it.figure, learning.newestVersion === undefined ? "none" : `v${learning.newestVersion}`);
        text(it.rate, newest ? `${short(newest.snapshot.examples)} examples` : "");
        text(it.last, newest ? age(newest.snapshot.createdAt) : "");
        break;
      case "served":
        text(it.figure, `v${pipeline.activeVersion}`);
        text(it.rate, state.rollout?.share ? `${Math.round(100 * state.rollout.share)} % canary` : "all events");
        text(it.last, state.rollout ? age(state.rollout.time) : "");
        break;
      default:
        if (!stage.count && stage.arrived) {
          text(it.figure, short(stage.arrived));
          text(it.unit, "of other processes");
          text(it.rate, "");
          text(it.last, "");
          break;
        }
        text(it.figure, short(stage.count ?? 0));
        text(it.unit, NAMES[stage.name][1]);
        text(it.rate, rate(stage.perSecond));
        text(it.last, stage.unlogged ? `${short(stage.unlogged)} not logged` : stage.last ? age(stage.last) : "none yet");
    }
  }
}
