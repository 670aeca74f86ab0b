// Line charts over time with bands, as SVG, so that styles, themes and screen readers can use them.

import {el, shortClock} from "./format.js";

const SVG = "http://www.w3.org/2000/svg";
const PAD = {top: 10, right: 12, bottom: 24, left: 46};
const LABEL_WIDTH = 96;
const NARROW = 520;
const PAUSE = 4; // times the usual step

function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

/** Ticks at multiples of 1, 2 or 5 times a power of ten. */
function ticks(low, high, wanted) {
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(it => it * power).find(it => it >= rough);
  const values = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-9; v += step) values.push(v);
  return {values, step};
}

function timeTicks(low, high, wanted) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400].map(it => it * 1000);
  const step = steps.find(it => (high - low) / it <= wanted) ?? 21_600_000;
  const values = [];
  for (let t = Math.ceil(low / step) * step; t <= high; t += step) values.push(t);
  return {values, step};
}

function domain(options) {
  let low = Infinity;
  let high = -Infinity;
  const widen = value => {
    if (Number.isFinite(value)) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  };
  const allFaint = options.series.every(series => series.points.every(point => point.faint));
  for (const series of options.series) {
    for (const point of series.points) {
      widen(point.y);
      if (!point.faint || allFaint && !options.tight) {
        widen(point.low);
        widen(point.high);
      }
    }
  }
  options.lines?.forEach(line => widen(line.y));
  options.marks?.forEach(mark => widen(mark.y));
  if (low > high) return [0, 1];
  const pad = Math.max((high - low) * 0.08, options.leastSpan ? (options.leastSpan - (high - low)) / 2 : 0, 1e-6);
  const bottom = low - pad;
  return [options.floor !== undefined ? Math.max(bottom, options.floor) : bottom, options.ceiling !== undefined ? Math.min(high + pad, options.ceiling) : high + pad];
}

/** Points without long pauses between them: nothing is known about the time of a pause. */
function pieces(points) {
  const steps = points.slice(1).map((p, i) => p.x - points[i].x).sort((a, b) => a - b);
  const longest = steps.length < 3 ? Infinity : PAUSE * steps[Math.floor(steps.length / 2)];
  const found = [[]];
  points.forEach((p, i) => {
    if (i && p.x - points[i - 1].x > longest) found.push([]);
    found.at(-1).push(p);
  });
  return found;
}

function line(points, x, y) {
  return pieces(points).map(piece => piece.map((p, i) => `${i ? "L" : "M"}${x(p.x).toFixed(1)} ${y(p.y).toFixed(1)}`).join("")).join("");
}

function band(points, x, y) {
  const there = points.filter(p => Number.isFinite(p.low) && Number.isFinite(p.high));
  if (there.length < 2) return null;
  return pieces(there).map(piece => {
    const up = piece.map((p, i) => `${i ? "L" : "M"}${x(p.x).toFixed(1)} ${y(p.high).toFixed(1)}`).join("");
    const back = [...piece].reverse().map(p => `L${x(p.x).toFixed(1)} ${y(p.low).toFixed(1)}`).join("");
    return `${up}${back}Z`;
  }).join("");
}

/** Moves overlapping labels apart. If there are more than fit, lines and the newest ones stay. */
function spread(all, top, bottom) {
  const gap = 14;
  const room = Math.floor((bottom - top) / gap) + 1;
  const rules = all.filter(label => label.rule).slice(0, room);
  const others = all.filter(label => !label.rule);
  const labels = [...rules, ...others.slice(Math.max(0, others.length - (room - rules.length)))];
  labels.sort((a, b) => a.at - b.at);
  for (let i = 1; i < labels.length; i++) labels[i].at = Math.max(labels[i].at, labels[i - 1].at + gap);
  const over = labels.length ? labels[labels.length - 1].at - bottom : 0;
  if (over > 0) labels[labels.length - 1].at -= over;
  for (let i = labels.length - 2; i >= 0; i--) labels[i].at = Math.min(labels[i].at, labels[i + 1].at - gap);
  labels.forEach(label => label.at = Math.max(label.at, top));
  return labels;
}

let clips = 0;

/** A chart in a figure of fixed height. */
export class Chart {
  constructor(figure) {
    this.figure = figure;
    this.clip = `clip-${++clips}`;
    this.options = null;
    this.tip = el("div", {class: "tip", hidden: true, "aria-hidden": "true"});
    this.empty = el("p", {class: "chart-empty"});
    figure.replaceChildren(this.empty, this.tip);
    new ResizeObserver(() => this.options && this.render()).observe(figure);
    figure.addEventListener("pointermove", event => this.point(event));
    figure.addEventListener("pointerleave", () => this.unpoint());
  }

  /**
   * series: {name, style, points: [{x, y, low, high, faint}], label, thin, dash}
   * lines: {y, label, style}; marks: {x, y, style, title}; changes: {x}
   */
  draw(options) {
    this.options = options;
    this.render();
  }

  render() {
    const {options, figure} = this;
    const width = figure.clientWidth;
    const height = figure.clientHeight;
    figure.querySelector("svg")?.remove();
    const series = options.series.filter(it => it.points.length);
    this.empty.hidden = series.length > 0;
    this.empty.textContent = options.empty ?? "No data yet";
    if (!series.length || width < 50) return;

    const labelled = width >= NARROW && !options.unlabelled;
    const right = labelled ? LABEL_WIDTH : PAD.right;
    const xs = series.flatMap(it => it.points.map(p => p.x));
    let [from, to] = [Math.min(...xs), Math.max(...xs)];
    if (to - from < 1000) [from, to] = [from - 30_000, to + 30_000];
    const [low, high] = domain({...options, series});
    const x = t => PAD.left + (t - from) / (to - from) * (width - PAD.left - right);
    const y = v => height - PAD.bottom - (v - low) / (high - low) * (height - PAD.top - PAD.bottom);
    this.scale = {x, y, from, to, width, right, height, series};

    const root = svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true", focusable: "false"});
    root.append(svg("defs", {}, svg("clipPath", {id: this.clip}, svg("rect", {x: PAD.left, y: PAD.top - 4, width: Math.max(0, width - PAD.left - right + 3), height: height - PAD.top - PAD.bottom + 8}))));
    const grid = svg("g", {class: "axis"});
    const {values, step} = ticks(low, high, height < 170 ? 4 : 5);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    for (const value of values) {
      grid.append(svg("line", {x1: PAD.left, x2: width - right, y1: y(value), y2: y(value)}));
      const label = svg("text", {x: PAD.left - 8, y: y(value) + 4, "text-anchor": "end"});
      label.textContent = options.tick ? options.tick(value) : value.toFixed(digits).replace("-", "−");
      grid.append(label);
    }
    const times = timeTicks(from, to, Math.max(2, (width - PAD.left - right) / 90));
    for (const time of times.values) {
      const label = svg("text", {x: x(time), y: height - 6, "text-anchor": "middle"});
      label.textContent = shortClock(time, times.step < 60_000);
      grid.append(label);
    }
    root.append(grid);

    const plot = svg("g", {"clip-path": `url(#${this.clip})`});
    const labels = [];
    for (const it of options.lines ?? []) {
      plot.append(svg("line", {class: `rule ${it.style}`, x1: PAD.left, x2: width - right, y1: y(it.y), y2: y(it.y)}));
      if (it.label) labels.push({at: y(it.y), text: it.label, style: it.style, rule: true});
    }
    for (const it of series) {
      const area = band(it.points, x, y);
      if (area) plot.append(svg("path", {class: `band ${it.style}`, d: area}));
    }
    for (const it of series) {
      if (it.points.length > 1) plot.append(svg("path", {class: `line ${it.style}${it.thin ? " thin" : ""}${it.dash ? " dash" : ""}`, d: line(it.points, x, y)}));
      const last = it.points[it.points.length - 1];
      if (!it.thin || it.points.length === 1) plot.append(svg("circle", {class: `dot ${it.style}`, cx: x(last.x), cy: y(last.y), r: it.points.length === 1 ? 3.5 : 3}));
      if (it.label && last.x > to - (to - from) * 0.25) labels.push({at: y(last.y), text: it.label, style: it.style});
    }
    for (const it of options.changes ?? []) {
      if (it.x >= from && it.x <= to) plot.append(svg("line", {class: "change", x1: x(it.x), x2: x(it.x), y1: PAD.top, y2: height - PAD.bottom}));
    }
    for (const mark of options.marks ?? []) {
      if (mark.x < from || mark.x > to) continue;
      plot.append(svg("path", {class: `mark ${mark.style}`, d: `M${x(mark.x)} ${y(mark.y) - 6}l5 6l-5 6l-5-6z`}));
    }
    root.append(plot);
    if (labelled) {
      for (const label of spread(labels, PAD.top + 4, height - PAD.bottom)) {
        const node = svg("text", {class: `end ${label.style}`, x: width - right + 10, y: label.at + 4});
        node.textContent = label.text;
        root.append(node);
      }
    }
    this.cross = svg("line", {class: "cross", y1: PAD.top, y2: height - PAD.bottom, x1: -9, x2: -9});
    root.append(this.cross);
    figure.prepend(root);
  }

  point(event) {
    const s = this.scale;
    if (!s || !this.figure.querySelector("svg")) return;
    const at = event.clientX - this.figure.getBoundingClientRect().left;
    const time = s.from + (at - PAD.left) / (s.width - PAD.left - s.right) * (s.to - s.from);
    let nearest = null;
    for (const it of s.series) for (const p of it.points) if (nearest === null || Math.abs(p.x - time) < Math.abs(nearest - time)) nearest = p.x;
    const px = s.x(nearest);
    this.cross.setAttribute("x1", px);
    this.cross.setAttribute("x2", px);
    const rows = [];
    for (const it of s.series) {
      const p = it.points.find(point => point.x === nearest);
      if (p && !it.silent) rows.push(el("li", {}, el("i", {class: `key ${it.style}`}), `${it.name} `, el("b", {}, this.options.value(p.y)), p.low !== undefined && Number.isFinite(p.low) ? ` [${this.options.value(p.low)}, ${this.options.value(p.high)}]` : "", p.note ? ` ${p.note}` : ""));
    }
    this.tip.replaceChildren(el("strong", {}, shortClock(nearest, true)), el("ul", {}, ...rows));
    this.tip.hidden = false;
    const left = px + 14 + this.tip.offsetWidth > s.width ? px - 14 - this.tip.offsetWidth : px + 14;
    this.tip.style.transform = `translate(${Math.max(0, left)}px, ${PAD.top}px)`;
  }

  unpoint() {
    this.tip.hidden = true;
    this.cross?.setAttribute("x1", -9);
    this.cross?.setAttribute("x2", -9);
  }
}

export function legend(list, entries) {
  const key = entries.map(it => it.join("|")).join(";");
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  list.replaceChildren(...entries.map(([style, name]) => el("li", {}, el("i", {class: `key ${style}`, "aria-hidden": "true"}), name)));
}
