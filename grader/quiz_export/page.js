"use strict";

// ── the bank ────────────────────────────────────────────────────────────────────────────────────────

const bank = JSON.parse(document.getElementById("bank").textContent);
const topics = [...new Set(bank.questions.map((question) => question.topic))];
const LETTERS = "abcdefgh";

// ── days, as YYYY-MM-DD by the learner's own calendar ───────────────────────────────────────────────

function today() {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

function later(day, days) {
  return new Date(Date.parse(day) + days * 86400000).toISOString().slice(0, 10);
}

function inWords(due, day) {
  const days = Math.round((Date.parse(due) - Date.parse(day)) / 86400000);
  return days <= 0 ? "today" : days === 1 ? "tomorrow" : `in ${days} days`;
}

// ── cards: one a question, in one of five boxes (Leitner) ───────────────────────────────────────────

const DAYS = [0, 1, 3, 7, 21]; // how long a card rests in the first box, the second, ...

// Missed: back to the first box. Right: one box on, but only when it was due, so that cramming moves nothing.
function moved(card, right, day, instance) {
  const early = card !== undefined && card.due > day;
  const next = card === undefined ? 2 : Math.min(card.box + (early ? 0 : 1), DAYS.length);
  const box = right ? next : 1;
  return {
    box,
    due: right && early ? card.due : later(day, DAYS[box - 1]),
    tries: (card?.tries ?? 0) + 1,
    right,
    instance,
  };
}

// ── what is remembered: read before and written after every answer, so that two open pages lose nothing ─────

const KEY = `grade-quiz:${bank.course}:1`; // 1 is the version of what stands there
const LOST = "This browser keeps nothing for this page: your progress lasts until you close it.";
let memory = null; // the text stored; all there is where storage is blocked
let blocked = false;

function block() {
  blocked = true;
  notice(LOST);
}

function read() {
  if (!blocked) {
    try {
      memory = localStorage.getItem(KEY);
    } catch {
      block();
    }
  }
  const state = memory === null ? null : understood(memory);
  if (memory !== null && state === null) setAside(memory);
  return state ?? { cards: new Map(), off: [] };
}

function write(state) {
  memory = JSON.stringify({ version: 1, cards: Object.fromEntries(state.cards), off: state.off });
  if (blocked) return;
  try {
    localStorage.setItem(KEY, memory);
  } catch {
    block();
  }
}

// The state that `text` holds, or null: all of it is as this page writes it, or none of it is believed.
function understood(text) {
  try {
    const { version, cards, off } = JSON.parse(text);
    const sound = version === 1 && isRecord(cards) && Object.values(cards).every(isCard);
    const fits = Array.isArray(off) && off.every((topic) => typeof topic === "string");
    return sound && fits ? { cards: new Map(Object.entries(cards)), off } : null;
  } catch {
    return null;
  }
}

function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCard(value) {
  return (
    isRecord(value) &&
    Number.isInteger(value.box) &&
    value.box >= 1 &&
    value.box <= DAYS.length &&
    /^\d{4}-\d\d-\d\d$/.test(value.due) &&
    !Number.isNaN(Date.parse(value.due)) &&
    Number.isInteger(value.tries) &&
    value.tries >= 1 &&
    typeof value.right === "boolean"
  );
}

// Damaged content is moved, never overwritten: where it cannot be moved, it stays, and this visit is not stored.
function setAside(text) {
  memory = null;
  if (blocked) return;
  try {
    let place = `${KEY}:damaged`;
    for (let count = 2; ![null, text].includes(localStorage.getItem(place)); count++) place = `${KEY}:damaged-${count}`;
    localStorage.setItem(place, text);
    localStorage.removeItem(KEY);
    notice(
      `The progress stored here could not be read. It was set aside under the name ${place}, and you start afresh.`,
    );
  } catch {
    block();
  }
}

// ── which question is next ──────────────────────────────────────────────────────────────────────────

const GAP = 3; // so many others come before a missed question returns

let visit = newVisit();

function newVisit(ahead = false) {
  return { ahead, turn: 0, right: 0, answered: 0, shown: new Map(), skips: new Map(), done: new Set() };
}

function chosen(state) {
  return bank.questions.filter((question) => !state.off.includes(question.topic));
}

// Due ones first, the longest overdue of them first, then new ones in the bank's order; what was just shown waits.
function nextQuestion(state) {
  const day = today();
  const card = (question) => state.cards.get(question.id);
  const pool = chosen(state).filter((question) => (visit.skips.get(question.id) ?? 0) < 2);
  const met = pool.filter(card).sort((a, b) => compare(card(a).due, card(b).due) || card(a).box - card(b).box);
  const line = [...met.filter((each) => card(each).due <= day), ...pool.filter((each) => !card(each))];
  if (visit.ahead) line.push(...met.filter((each) => card(each).due > day && !visit.done.has(each.id)));
  const waits = ({ id }) => (visit.skips.has(id) ? Infinity : visit.turn - (visit.shown.get(id) ?? -Infinity) < GAP);
  const others = line.filter((each) => !waits(each));
  const last = line.filter(waits).sort((a, b) => seenOrder(a) - seenOrder(b));
  return others[0] ?? last[0] ?? null;
}

function seenOrder({ id }) {
  return (visit.skips.has(id) ? 1e6 : 0) + (visit.shown.get(id) ?? 0);
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

// ── posing and judging ──────────────────────────────────────────────────────────────────────────────

class Malformed extends Error {}

function pose(question, card) {
  const places = question.instances.map((_, place) => place).filter((place) => place !== card?.instance);
  const place = places[Math.floor(Math.random() * places.length)] ?? 0;
  const posed = { question, place, ...question.instances[place] };
  if (question.choices) posed.choices = shuffled(question.choices);
  if (question.steps) posed.steps = disordered(question.steps.map((text, right) => ({ text, right })));
  return posed;
}

function shuffled(list) {
  const result = [...list];
  for (let end = result.length - 1; end > 0; end--) {
    const place = Math.floor(Math.random() * (end + 1));
    [result[end], result[place]] = [result[place], result[end]];
  }
  return result;
}

function disordered(steps) {
  const result = shuffled(steps);
  return inOrder(result) ? disordered(steps) : result;
}

function inOrder(steps) {
  return steps.every((step, place) => step.right === place);
}

// What a typed number is worth, as grader/question.py reads it: also 1/4, 2e3, and a comma for the point.
function readNumber(typed) {
  if (/^[-+]?[1-9]\d{0,2}(,\d{3})+$/.test(typed.trim())) return null; // 16,000: a decimal comma to some, not to others
  const text = typed.trim().toLowerCase().replaceAll(",", ".").replaceAll("−", "-");
  const match = /^([-+]?[\d.]+(?:e[-+]?\d+)?)(?:\s*\/\s*([\d.]+))?$/.exec(text);
  const value = match ? Number(match[1]) / Number(match[2] ?? 1) : NaN;
  return Number.isFinite(value) ? value : null;
}

function readShape(typed) {
  const text = typed.trim().toLowerCase();
  const numbers = text.match(/\d+/g);
  const fits = /^[\s()[\],x×\d]*$/.test(text) && (numbers !== null || text.replaceAll(" ", "") === "()");
  return fits ? (numbers ?? []).map(Number) : null;
}

function same(given, expected, tolerance = 0) {
  if (typeof expected === "number") return Math.abs(given - expected) <= tolerance + 1e-9 * Math.abs(expected);
  return JSON.stringify(given) === JSON.stringify(expected);
}

// A verdict: right or not, and what there is to say to this answer, each note perhaps about one of the choices.
function judgeChosen(posed, taken) {
  const wrongly = posed.choices.filter((choice) => taken.includes(choice) !== Boolean(choice.right));
  if (!wrongly.length) return { right: true, notes: aboutEach(posed.choices.filter((choice) => choice.right)) };
  const missed = posed.question.kind === "several" ? wrongly.filter((choice) => choice.right) : [];
  const notes = aboutEach(
    wrongly.filter((choice) => !choice.right),
    "Does not belong there: ",
  );
  return {
    right: false,
    notes: [...notes, ...aboutEach(missed, "Is missing: ").map((note) => ({ ...note, mistake: "" }))],
  };
}

function aboutEach(choices, label = "") {
  return choices.map((choice) => ({ label, about: choice.text, why: choice.why, mistake: choice.mistake }));
}

function judgeFree(posed, answer) {
  const tolerance = posed.question.tolerance;
  if (same(answer, posed.answer, tolerance)) return { right: true, notes: [] };
  const known = posed.wrong.find((wrong) => same(answer, wrong.answer, tolerance));
  return { right: false, notes: known ? [{ why: known.why, mistake: known.mistake }] : [] };
}

// ── building the page: text is only ever text ───────────────────────────────────────────────────────

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null));
  return element;
}

// `code` and *emphasis*; a mark that is never closed is itself.
function marked(text) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) parts.push(parts.splice(-2).join("`"));
  return parts.flatMap((part, place) => (place % 2 ? inlineCode(part) : emphasised(part)));
}

function inlineCode(code) {
  return make("code", code.length <= 8 ? { class: "short" } : {}, code); // -inf is not to be torn apart
}

function emphasised(text) {
  const found = [];
  const mark = /(^|[^\w*])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\w*])/g;
  let end = 0;
  for (const match of text.matchAll(mark)) {
    found.push(text.slice(end, match.index) + match[1], make("em", {}, match[2]));
    end = match.index + match[0].length;
  }
  return [...found, text.slice(end)];
}

function paragraphs(text, attributes = {}) {
  return text
    .split(/\n+/)
    .filter(Boolean)
    .map((part) => make("p", attributes, marked(part)));
}

function codeBlock(code) {
  const named = { tabindex: "0", role: "region", "aria-label": "Code" }; // it scrolls, so keys must reach it
  return make("pre", named, make("code", {}, code.replace(/\n+$/, "")));
}

function button(text, press, attributes = {}) {
  return make("button", { type: "button", onclick: press, ...attributes }, text);
}

function counted(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function show(...content) {
  document.getElementById("view").replaceChildren(...content.flat());
}

function announce(text) {
  document.getElementById("live").textContent = text;
}

function notice(text) {
  const close = () => {
    box.remove();
    document.querySelector("article, .overview h2").focus();
  };
  const box = make("div", { class: "notice" }, make("p", {}, text), button("Close", close));
  document.getElementById("notices").append(box);
}

function moveTo(element, block = "start") {
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block });
}

// ── the kinds: each shows its controls, reads an answer from them, and shows the right one ──────────

const KINDS = {
  one: (posed) => offered(posed, "radio", "Choose one answer"),
  spot: (posed) => offered(posed, "radio", "Choose one answer"),
  several: (posed) => offered(posed, "checkbox", "Choose all that apply"),
  number: (posed) => typed(posed, readNumber, formatNumber(posed)),
  shape: (posed) => typed(posed, readShape, formatShape),
  mask: grid,
  order: arranged,
};

function offered(posed, type, legend) {
  const inputs = posed.choices.map((_, place) => make("input", { type, name: "choice", value: String(place) }));
  const labels = posed.choices.map((choice, place) => {
    const key = make("kbd", { "aria-hidden": "true" }, LETTERS[place]);
    return make("label", { class: "choice" }, inputs[place], key, make("span", {}, marked(choice.text)));
  });
  return {
    legend,
    help: "",
    controls: labels,
    read() {
      const taken = posed.choices.filter((_, place) => inputs[place].checked);
      if (!taken.length)
        throw new Malformed(type === "radio" ? "choose one of the answers" : "choose at least one answer");
      return taken;
    },
    judge: (taken) => judgeChosen(posed, taken),
    press({ key }) {
      const place = placeOf(key);
      if (inputs[place] === undefined) return false;
      inputs[place].focus();
      inputs[place].click();
      return true;
    },
    mark() {
      posed.choices.forEach((choice, place) => {
        const said = [inputs[place].checked ? "your answer" : "", choice.right ? "right" : ""]
          .filter(Boolean)
          .join(", ");
        if (choice.right) labels[place].classList.add("right");
        else if (inputs[place].checked) labels[place].classList.add("wrong");
        if (said) labels[place].append(make("span", { class: "tag" }, said));
      });
    },
    rightAnswer() {
      const right = posed.choices.filter((choice) => choice.right);
      if (type === "checkbox")
        return [
          make(
            "ul",
            {},
            right.map((choice) => make("li", {}, marked(choice.text))),
          ),
        ];
      return right.flatMap((choice) => [make("p", {}, marked(choice.text)), ...paragraphs(choice.why ?? "")]);
    },
  };
}

// 1 to 8 and a to h name the places 0 to 7.
function placeOf(key) {
  return /^[1-8]$/.test(key) ? Number(key) - 1 : key.length === 1 ? LETTERS.indexOf(key.toLowerCase()) : -1;
}

function typed(posed, readText, format) {
  const traits = { autocomplete: "off", autocapitalize: "off", spellcheck: "false", enterkeyhint: "done" };
  const input = make("input", { type: "text", id: "typed", "aria-describedby": "help problem", ...traits });
  const form = posed.question.form;
  return {
    legend: posed.question.kind === "number" ? "Work out the number" : "Work out the shape",
    help: `${form[0].toUpperCase()}${form.slice(1)}.`,
    controls: [make("p", { class: "typed" }, make("label", { for: "typed" }, "Your answer"), input)],
    read() {
      const answer = readText(input.value);
      input.toggleAttribute("aria-invalid", false);
      if (answer !== null) return answer;
      input.setAttribute("aria-invalid", "true");
      input.focus();
      throw new Malformed(form);
    },
    judge: (answer) => judgeFree(posed, answer),
    press({ key }) {
      // typing needs no click first
      if (!/^[\d.,()[\]+−-]$/.test(key) || document.activeElement === input) return false;
      input.focus();
      input.value += key;
      return true;
    },
    mark() {},
    rightAnswer: () => [make("p", { class: "answer" }, format(posed.answer))],
  };
}

// As many decimals as the tolerance tells apart.
function formatNumber({ question }) {
  const decimals = Math.min(20, Math.max(0, Math.ceil(-Math.log10(question.tolerance))));
  return (value) => String(Number(value.toFixed(decimals)));
}

function formatShape(shape) {
  return shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
}

function grid(posed) {
  const rows = posed.answer.map((row, r) => [...row].map((_, c) => cell(r, c)));
  const inputs = rows.flat();
  const width = rows[0].length;
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -width, ArrowDown: width };

  function fill(place, value) {
    inputs[place].checked = value;
    (inputs[place + 1] ?? inputs[place]).focus();
    return true;
  }

  return {
    legend: "Fill in the mask",
    help: "A cell goes from 0 to 1 and back when you press it. Arrow keys move between cells, the keys 0 and 1 fill in a cell.",
    controls: [maskTable(rows.map((row) => row.map((input) => make("label", { class: "cell" }, input, make("span")))))],
    read: () => rows.map((row) => row.map((input) => Number(input.checked)).join("")),
    judge: (answer) => judgeFree(posed, answer),
    press({ key }) {
      const place = inputs.indexOf(document.activeElement);
      if (key === "0" || key === "1") return fill(Math.max(0, place), key === "1");
      if (place < 0 || steps[key] === undefined) return false;
      const sideways = key === "ArrowLeft" || key === "ArrowRight";
      const leaves = sideways && Math.floor((place + steps[key]) / width) !== Math.floor(place / width);
      if (!leaves) inputs[place + steps[key]]?.focus();
      return true;
    },
    mark() {
      const right = posed.answer.join("");
      const wrong = inputs.filter((input, place) => Number(input.checked) !== Number(right[place]));
      for (const input of wrong) input.parentElement.classList.add("wrong");
      const words = `${counted(wrong.length, "cell")} with a dashed border ${wrong.length === 1 ? "is" : "are"} wrong.`;
      if (wrong.length) inputs[0].closest("fieldset").append(make("p", { class: "small" }, words));
    },
    rightAnswer: () => [maskTable(posed.answer.map((row) => [...row]))],
  };
}

function cell(row, column) {
  return make("input", { type: "checkbox", "aria-label": `row ${row + 1}, column ${column + 1}` });
}

function maskTable(rows) {
  const head = make(
    "tr",
    {},
    make("td"),
    rows[0].map((_, c) => make("th", { scope: "col" }, String(c + 1))),
  );
  const body = rows.map((row, r) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, String(r + 1)),
      row.map((each) => make("td", {}, each)),
    ),
  );
  return make("div", { class: "mask" }, make("table", {}, make("thead", {}, head), make("tbody", {}, body)));
}

function arranged(posed) {
  const steps = [...posed.steps];
  const list = make("ol", { class: "steps", role: "list" });
  const items = new Map(steps.map((step) => [step, item(step)]));

  function item(step) {
    const text = make("span", { class: "step" }, marked(step.text));
    const name = text.textContent;
    const move = (by, arrow, word) => button(arrow, () => shift(step, by), { "aria-label": `Move ${word}: ${name}` });
    return make(
      "li",
      { tabindex: "-1" },
      make("span", { class: "place", "aria-hidden": "true" }),
      text,
      make("span", { class: "moves" }, move(-1, "↑", "up"), move(1, "↓", "down")),
    );
  }

  function shift(step, by) {
    const place = steps.indexOf(step);
    const other = steps[place + by];
    if (other === undefined) return;
    const held = document.activeElement; // it loses the focus as its item is moved
    [steps[place], steps[place + by]] = [other, step];
    draw();
    held.focus();
    announce(`Now step ${place + by + 1} of ${steps.length}.`);
  }

  function draw() {
    list.replaceChildren(...steps.map((step) => items.get(step)));
    steps.forEach((step, place) => {
      const [number, , moves] = items.get(step).children;
      number.textContent = String(place + 1);
      moves.children[0].setAttribute("aria-disabled", String(place === 0));
      moves.children[1].setAttribute("aria-disabled", String(place === steps.length - 1));
    });
  }

  draw();
  return {
    legend: "Put the steps into order",
    help: `The keys 1 to ${steps.length} choose a step, the arrow keys move it.`,
    controls: [list],
    read: () => [...steps],
    judge: (answer) => ({ right: inOrder(answer), notes: [] }),
    press({ key }) {
      const chosenStep = steps[placeOf(key)];
      const held = steps.find((step) => items.get(step).contains(document.activeElement));
      if (chosenStep) items.get(chosenStep).focus();
      else if (held && key === "ArrowUp") shift(held, -1);
      else if (held && key === "ArrowDown") shift(held, 1);
      else return false;
      return true;
    },
    mark: () => steps.forEach((step, place) => items.get(step).classList.add(step.right === place ? "right" : "wrong")),
    rightAnswer: () => [
      make(
        "ol",
        {},
        posed.question.steps.map((text) => make("li", {}, marked(text))),
      ),
    ],
  };
}

// ── the overview: topics, how they stand, and the way to start ──────────────────────────────────────

function overview(ended = false) {
  const state = read();
  const form = make("form", { class: "overview", novalidate: true });
  form.append(
    ...standing(state, ended),
    topicChoice(state),
    make("p", { class: "buttons" }, button("Start over", startOver, { class: "quiet" })),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    begin(ended);
  });
  show(form);
  return form.querySelector("h2");
}

function standing(state, ended) {
  const heading = make("h2", { tabindex: "-1" }, ended ? "That is all for now" : "Practise");
  const cards = chosen(state)
    .map((question) => state.cards.get(question.id))
    .filter(Boolean);
  const soonest = cards.map((card) => card.due).sort()[0];
  const words = ended
    ? `${whyEnded(soonest)} You may go on all the same.`
    : `${counted(bank.questions.length, "question")}, one at a time. What you miss returns after a few others, what you know after days, then weeks.`;
  const score = ended ? `This visit: ${visit.right} of ${visit.answered} right.` : "";
  return [
    heading,
    make("p", {}, score ? make("strong", {}, score) : null, score ? " " : null, words),
    make("p", { class: "malformed", id: "problem", role: "alert" }),
    make("p", { class: "buttons" }, make("button", { class: "main" }, ended ? "Practise ahead" : "Start")),
  ];
}

function whyEnded(soonest) {
  if (visit.skips.size)
    return `In these topics only what you skipped is left (${counted(visit.skips.size, "question")}).`;
  return `In these topics nothing more is due today. The next question is due ${inWords(soonest, today())}.`;
}

function topicChoice(state) {
  const boxes = topics.map((topic) => make("input", { type: "checkbox", name: "topic", value: topic }));
  boxes.forEach((box, place) => {
    box.checked = !state.off.includes(topics[place]);
    box.setAttribute("aria-describedby", `standing-${place}`);
  });
  const keep = () => write({ ...read(), off: topics.filter((_, place) => !boxes[place].checked) });
  const all = (value) => () => {
    for (const box of boxes) box.checked = value;
    keep();
  };
  const items = topics.map((topic, place) => make("li", {}, topicLabel(topic, place, boxes[place], state)));
  return make(
    "fieldset",
    { onchange: keep },
    make("legend", {}, "Topics"),
    make(
      "p",
      { class: "buttons" },
      button("All", all(true), { "aria-label": "All topics" }),
      button("None", all(false), { "aria-label": "No topics" }),
    ),
    make("ul", { class: "topics", role: "list" }, items),
  );
}

function topicLabel(topic, place, box, state) {
  const questions = bank.questions.filter((question) => question.topic === topic);
  const cards = questions.map((question) => state.cards.get(question.id)).filter(Boolean);
  const right = cards.filter((card) => card.right).length;
  const due = cards.filter((card) => card.due <= today()).length;
  const words = cards.length
    ? `${cards.length} of ${questions.length} tried, ${right} right last time, ${due} due`
    : counted(questions.length, "question");
  const bar = make(
    "span",
    { class: "bar", "aria-hidden": "true" },
    part("known", right),
    part("missed", cards.length - right),
  );
  function part(name, count) {
    const piece = make("span", { class: name });
    piece.style.width = `${(100 * count) / questions.length}%`;
    return piece;
  }
  const name = make("span", { id: `topic-${place}` }, topic);
  box.setAttribute("aria-labelledby", name.id);
  return make(
    "label",
    { class: "choice" },
    box,
    make("span", { class: "topic" }, name, make("span", { class: "small", id: `standing-${place}` }, words), bar),
  );
}

function begin(ahead) {
  const problem = document.getElementById("problem");
  problem.textContent = "";
  if (!chosen(read()).length) {
    problem.textContent = "Choose at least one topic.";
    return;
  }
  visit = newVisit(ahead);
  next();
}

function startOver() {
  const dialog = document.getElementById("confirm");
  dialog.returnValue = "";
  dialog.onclose = () => {
    if (dialog.returnValue !== "forget") return;
    write({ cards: new Map(), off: [] });
    visit = newVisit();
    overview().focus();
    announce("Your progress is forgotten.");
  };
  dialog.showModal();
}

// ── a question, and what is said to an answer ───────────────────────────────────────────────────────

let current = null; // {posed, kind, answered, ...the elements}

function next() {
  const state = read();
  const question = nextQuestion(state);
  announce("");
  if (question === null) moveTo(overview(true));
  else put(question, state.cards.get(question.id));
}

function put(question, card) {
  visit.turn += 1;
  visit.shown.set(question.id, visit.turn);
  const posed = pose(question, card);
  const kind = KINDS[question.kind](posed);
  const form = questionForm(kind);
  const article = make(
    "article",
    { tabindex: "-1", "aria-labelledby": "heading text", "data-id": question.id, onkeydown: pressed },
    make(
      "div",
      { class: "top" },
      make("h2", { id: "heading" }, `Question ${visit.turn}`, make("span", { class: "small" }, ` ${question.topic}`)),
      button("Overview", () => moveTo(overview()), { class: "quiet" }),
    ),
    make("div", { id: "text" }, paragraphs(posed.text, { class: "text" })),
    question.code ? codeBlock(question.code) : "",
    form,
  );
  current = { posed, kind, article, form, answered: false };
  show(article);
  moveTo(article);
}

function questionForm(kind) {
  const form = make(
    "form",
    { novalidate: true },
    make(
      "fieldset",
      { "aria-describedby": "text" },
      make("legend", {}, kind.legend),
      kind.controls,
      kind.help ? make("p", { class: "small", id: "help" }, kind.help) : null,
    ),
    make("p", { class: "malformed", id: "problem", role: "alert" }),
    make("p", { class: "buttons" }, make("button", { class: "main" }, "Answer"), button("Skip", skip)),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  return form;
}

function skip() {
  const { id } = current.posed.question;
  visit.skips.set(id, (visit.skips.get(id) ?? 0) + 1);
  next();
}

function submit() {
  if (current.answered) return;
  const problem = document.getElementById("problem");
  problem.textContent = "";
  try {
    settle(current.kind.judge(current.kind.read()));
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    problem.textContent = `This is no answer yet: ${error.message}. Nothing was counted.`;
  }
}

// The answer counts: it is stored before anything is said.
function settle(verdict) {
  const card = record(current.posed, verdict.right);
  current.answered = true;
  current.kind.mark();
  current.form.querySelector("fieldset").disabled = true;
  current.form.querySelector(".buttons").remove();
  document.getElementById("problem").remove();
  document.getElementById("help")?.remove();
  const feedback = feedbackOn(verdict, card);
  current.article.append(feedback);
  announce(verdict.right ? "Right." : "Not quite.");
  moveTo(feedback, "nearest");
}

function record(posed, right) {
  const { id } = posed.question;
  const state = read();
  const card = moved(state.cards.get(id), right, today(), posed.place);
  state.cards.set(id, card);
  write(state);
  visit.answered += 1;
  visit.right += Number(right);
  visit.skips.delete(id);
  if (right) visit.done.add(id);
  return card;
}

function feedbackOn(verdict, card) {
  const { question } = current.posed;
  const back =
    card.due <= today() ? "It comes back today, after a few others." : `It comes back ${inWords(card.due, today())}.`;
  return make(
    "section",
    { class: `feedback ${verdict.right ? "right" : "wrong"}`, tabindex: "-1", "aria-labelledby": "verdict" },
    make("h3", { id: "verdict" }, verdict.right ? "Right" : "Not quite"),
    verdict.notes.flatMap(noteOn),
    verdict.right ? [] : [make("h4", {}, "The right answer"), current.kind.rightAnswer()].flat(),
    make("h4", {}, "Explanation"),
    paragraphs(question.explanation),
    question.source ? make("p", { class: "small" }, "Source: ", question.source) : null,
    make("p", { class: "small" }, back),
    make("p", { class: "buttons" }, button("Next", next, { class: "main" })),
  );
}

function noteOn({ label, about, why, mistake }) {
  const named = mistake && Object.hasOwn(bank.mistakes, mistake) ? `${bank.mistakes[mistake]} (${mistake})` : mistake;
  return [
    label && current.posed.question.kind === "several"
      ? make("p", { class: "about" }, make("strong", {}, label), marked(about))
      : null,
    ...paragraphs(why ?? ""),
    named ? make("p", { class: "small" }, "Mistake: ", named) : null,
  ].filter(Boolean);
}

// Keys count while the question has the focus, wherever in it: Enter answers and goes on, others choose.
function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (event.key === "Enter") {
    if (event.target.closest("button")) return;
    event.preventDefault();
    if (!event.repeat) (current.answered ? next : submit)();
  } else if (!current.answered && current.kind.press(event)) {
    event.preventDefault();
  }
}

overview();
