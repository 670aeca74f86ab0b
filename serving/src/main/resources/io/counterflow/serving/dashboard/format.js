// Formats numbers and times.

const NONE = "–";
const whole = new Intl.NumberFormat("en", {maximumFractionDigits: 0});
const compact = new Intl.NumberFormat("en", {notation: "compact", maximumFractionDigits: 1});

export const isNumber = value => typeof value === "number" && Number.isFinite(value);
export const integer = value => isNumber(value) ? whole.format(value) : NONE;
export const short = value => !isNumber(value) ? NONE : value < 10_000 ? whole.format(value) : compact.format(value);
export const decimal = (value, digits = 3) => isNumber(value) ? value.toFixed(digits).replace("-", "−") : NONE;
export const signed = (value, digits = 4) => !isNumber(value) ? NONE : (value >= 0 ? "+" : "−") + Math.abs(value).toFixed(digits);
export const percent = (value, digits = 0) => isNumber(value) ? `${(100 * value).toFixed(digits)} %` : NONE;

export function rate(perSecond) {
  if (!isNumber(perSecond) || perSecond === 0) return "0/s";
  return perSecond < 10 ? `${perSecond.toFixed(1)}/s` : `${short(Math.round(perSecond))}/s`;
}

/** A length of time in seconds. */
export function span(seconds) {
  if (!isNumber(seconds)) return NONE;
  return seconds < 1 ? `${decimal(1_000 * seconds, seconds < 0.01 ? 1 : 0)} ms` : `${decimal(seconds, 1)} s`;
}

export function age(instant, now = Date.now()) {
  if (!instant) return "never";
  const seconds = Math.max(0, Math.round((now - Date.parse(instant)) / 1000));
  if (seconds < 3) return "just now";
  if (seconds < 120) return `${seconds} s ago`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86_400)} days ago`;
}

export function clock(time) {
  return new Date(time).toLocaleTimeString("en-GB", {hour: "2-digit", minute: "2-digit", second: "2-digit"});
}

/** Date and time; the year only if it is another one. */
export function moment(time, now = new Date()) {
  const at = new Date(time);
  const year = at.getFullYear() === now.getFullYear() ? {} : {year: "numeric"};
  return `${at.toLocaleDateString("en-GB", {day: "numeric", month: "short", ...year})} ${clock(time)}`;
}

export function shortClock(time, withSeconds) {
  return new Date(time).toLocaleTimeString("en-GB", withSeconds ? {hour: "2-digit", minute: "2-digit", second: "2-digit"} : {hour: "2-digit", minute: "2-digit"});
}

/** Creates an element with attributes and children. Text is never interpreted as markup. */
export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "class") node.className = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}

/** Sets text only if it differs, to avoid needless layout and screen reader announcements. */
export function text(node, value) {
  if (node.textContent !== value) node.textContent = value;
}

/** A reward in the loop's own unit; certificates have rewards in [0, 1]. */
export function fromUnit(reward, spec) {
  const [low, high] = spec.rewardRange ?? [0, 1];
  return isNumber(reward) ? low + reward * (high - low) : reward;
}
