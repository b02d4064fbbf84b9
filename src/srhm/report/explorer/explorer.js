// Draws the rows of the views that the choices leave, and writes them into tables.
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const { authors: AUTHORS, charts, colours, kinds, fields: FIRST, first_run: RUN, nets: NETS, grammars: GRAMMARS, heads, views } = read("views");
const tables = Object.fromEntries(Object.entries(read("rows")).map(([name, columns]) => {
  const names = Object.keys(columns), n = names.length ? columns[names[0]].length : 0;
  return [name, Array.from({ length: n }, (_, i) =>
    Object.fromEntries(names.map((column) => [column, columns[column][i]])))];
}));
const curves = tables.curves ?? [];
for (const curve of curves) curve.name = [curve.net,
  `L = ${curve.L}`, curve.s === 2 ? "" : `s = ${curve.s}`, `v = ${curve.v}`, `s₀ = ${curve.s0}`,
  curve.is_of_paper ? "" : `m = ${curve.m}, n_c = ${curve.n_c}`, curve.sparsity === "A" ? "" : `sparsity ${curve.sparsity}`,
  curve.width == null ? "" : `H = ${curve.width}`, curve.alpha_tilde == null ? "" : `α̃ = ${curve.alpha_tilde}`,
  curve.run === AUTHORS || FIRST.protocol.includes(curve.protocol) ? "" : curve.protocol,
  curve.run === RUN ? "" : curve.run].filter(Boolean).join(", ");
const alike = {};
for (const one of curves) (alike[one.name] ??= []).push(one);
for (const same of Object.values(alike)) if (same.length > 1) {
  const byRate = new Set(same.map((one) => one.rate)).size === same.length;
  for (const one of same) one.name += byRate ? `, rate = ${one.rate} H` : ` (${one.label})`;
}
for (const name of ["points", "complexities", "sensitivities"])
  tables[name] = (tables[name] ?? []).map((row) => ({
    ...curves[row.c], ...row,
    ...(row.P && curves[row.c].prediction ? { scaled: +(row.P / curves[row.c].prediction).toPrecision(4) } : {}),
  }));
const MOST_DRAWN = 4000, MOST_LISTED = 400, MOST_PINS = 5;
// As viridis, without what is faint on either ground.
const HEAT = {
  light: ["#440154", "#3b528b", "#21918c", "#4a9a3f", "#b08900"],
  dark: ["#8576dc", "#5b9bd5", "#35b7a0", "#8fd744", "#fde725"],
};
const LOOKS = ["(prefers-color-scheme: dark)", "(max-width: 40rem)"].map((query) => matchMedia(query));
const ERRORS = 1; // of the levels of Vega's log; where all P* are bounds, say, it would warn
const drawn = {}; // views of Vega by name
const listed = {}; // rows of the table of each view
let pins = []; // names of curves
const byValue = (a, b) => a.localeCompare(b, "en", { numeric: true });
const at = (id) => document.getElementById(id);
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
const choices = [...document.querySelectorAll("section select")]; // of one view each
const flags = Object.fromEntries([...document.querySelectorAll("[name][data-on]")].map((one) => [one.name, one]));
const colourBy = () => document.querySelector("[name=colour]").value || "net";
const divided = () => flags.divide.checked;

// Chips of a column: a value chosen or not; none chosen is all. Of the run the authors' points have
// a switch of their own; neither their protocol nor their width is that of our rows.
const OURS = ["run", "protocol", "width", "rate"];
const chips = Object.fromEntries([...document.querySelectorAll(".chips")].map((place) => {
  const { field } = place.dataset;
  const values = new Set(curves.filter((row) => row.run !== AUTHORS || !OURS.includes(field))
    .map((row) => row[field]).filter((value) => value != null).map(String));
  const order = field === "net" ? (a, b) => NETS.indexOf(a) - NETS.indexOf(b) : byValue;
  const boxes = [...values].sort(order).map((value) => {
    const box = element("input", { type: "checkbox", value });
    place.append(element("label", {}, box, value));
    return box;
  });
  place.hidden = boxes.length < 2;
  return [field, boxes];
}));
const chosenOf = (field) => chips[field].filter((box) => box.checked).map((box) => box.value);

// A test of curves by the state {field: values, flag: on}; without: a field that does not count.
function passing(state, without) {
  const counting = Object.keys(chips).filter((field) => field !== without && state[field].length);
  return (row) => {
    const theirs = row.run === AUTHORS;
    if (theirs && flags.authors && !state.authors) return false;
    return (row.is_of_paper || !state[GRAMMARS])
      && counting.every((field) => (theirs && OURS.includes(field)) || state[field].includes(String(row[field])));
  };
}
const state = () => ({
  ...Object.fromEntries(Object.keys(chips).map((field) => [field, chosenOf(field)])),
  ...Object.fromEntries(Object.entries(flags).map(([name, box]) => [name, box.checked])),
});

// Rows of a view that its choices and those of curves leave, with those of pinned curves; without: a choice that does not
// count.
function left(view, without) {
  const counting = choices.filter((one) => one !== without && one.value !== "" && one.dataset.view === view.name);
  const passes = passing(state());
  const isPinned = (row) => pins.includes(row.name);
  return (tables[view.table] ?? []).filter((row) =>
    (view.needs ?? []).every((name) => row[name] != null) && (isPinned(row) || passes(row))
    && counting.every(({ value, dataset: { field } }) => String(row[field]) === value || (isPinned(row) && field in curves[0])));
}

// Each choice of a view offers what the others leave, and keeps its own value.
function offer(choice, wanted) {
  const { field, view } = choice.dataset;
  const rows = left(views.find((one) => one.name === view), choice);
  const values = new Set(rows.map((row) => row[field]).filter((value) => value != null).map(String));
  if (wanted === undefined ? choice.value : values.has(wanted)) values.add(wanted ?? choice.value);
  const kept = wanted !== undefined && !values.has(wanted) ? "" : wanted ?? choice.value;
  choice.replaceChildren(new Option("all", ""), ...[...values].sort(byValue).map((v) => new Option(v, v)));
  choice.value = kept;
}

// What would leave no curve cannot be chosen.
function disable() {
  const now = state(), every = curves.filter(passing(now));
  for (const [field, boxes] of Object.entries(chips)) {
    const passes = passing(now, field);
    const there = new Set(curves.filter((row) => passes(row) && (row.run !== AUTHORS || !OURS.includes(field)))
      .map((row) => String(row[field])));
    for (const box of boxes) {
      box.disabled = !box.checked && !there.has(box.value);
      box.parentElement.title = box.disabled ? "no curve with the other choices" : "";
    }
  }
  at("count").textContent = `${every.length} of ${curves.length}`;
  at("more").firstElementChild.textContent = `More: ${[...at("more").querySelectorAll(".chips:not([hidden])")].map((place) => {
    const { field } = place.dataset, chosen = chosenOf(field);
    return (heads[field] ?? field) + (chosen.length ? ` = ${chosen.join(", ")}` : "");
  }).join("; ")}`;
  const names = [...new Set(every.map((row) => row.name))].filter((name) => !pins.includes(name)).sort(byValue);
  at("pin").replaceChildren(new Option("choose", ""), ...names.map((name) => new Option(name, name)));
}

function text(value) {
  if (value == null || (typeof value === "number" && Number.isNaN(value))) return "";
  return typeof value === "number" && !Number.isInteger(value) ? String(+value.toPrecision(4)) : String(value);
}
const digits = (value) => Number(value.toPrecision(3)).toLocaleString("en", { maximumSignificantDigits: 3 }).replaceAll(",", "\u2009");
const between = (low, high) => (low > 0 && high > 0 ? `[${digits(low)}, ${digits(high)}]` : "");

// A table of these heads and lines of texts.
const rowOf = (cells) => element("tr", {}, ...cells);
const tableOf = (head, lines) => element("table", {},
  element("thead", {}, rowOf(head.map((name) => element("th", { scope: "col" }, name)))),
  element("tbody", {}, ...lines.map((line) => rowOf(line.map((one) => element("td", {}, one))))));

function list(view, rows, place) {
  const columns = ["name", ...view.columns];
  listed[view.name] = { columns, rows };
  const table = tableOf(columns.map((name) => heads[name] ?? name), rows.slice(0, MOST_LISTED).map((row) => columns.map((name) => text(row[name]))));
  for (const cell of table.querySelectorAll("td")) if (cell.textContent.length > 40) cell.className = "words";
  place.replaceChildren(table);
  if (rows.length > MOST_LISTED) place.append(`The first ${MOST_LISTED} of ${rows.length} rows.`);
}

function show(view) {
  const section = at(view.name), found = left(view);
  const hasPinned = found.some((row) => pins.includes(row.name));
  const rows = found.map((row) => {
    const by = divided() && row.prediction ? row.prediction : 1;
    const over = (value) => (value == null ? null : value / by);
    return { ...row, chosen: !hasPinned || pins.includes(row.name), own: row.run === RUN,
      ...(view.table === "complexities" ? { y: over(row.P_star), from: over(row.low), to: over(row.high) } : {}) };
  });
  const some = rows.length > MOST_DRAWN ? rows.filter((row) => row.chosen).slice(0, MOST_DRAWN) : rows;
  const shown = rows.filter((row) => row.chosen);
  const none = pins.length && !hasPinned ? ", none of the pinned curves" : "";
  const cut = some.length < rows.length ? `; ${some.length} are drawn` : "";
  const few = rows.length ? "" : " here of these choices";
  section.querySelector("[role=status]").textContent =
    `${rows.length} ${rows.length === 1 ? "row" : "rows"}${cut}${shown.length < rows.length ? `, ${shown.length} of the pinned curves` : ""}${none}${few}`;
  list(view, shown, section.querySelector("details .table"));
  for (const button of section.querySelectorAll("[data-export]")) button.disabled = !rows.length;
  const sets = { rows: some };
  if (view.name === "sample-complexity") sets.equality = equality(rows);
  if (view.table === "sensitivities") {
    const chosen = new Map(some.map((row) => [row.c, row.chosen]));
    sets.errors = tables.points.filter((row) => chosen.has(row.c)).map((row) => ({ ...row, chosen: chosen.get(row.c) }));
  }
  return draw(view, sets, section.querySelector(".chart"));
}

// The line on which P* is its prediction.
function equality(rows) {
  const ends = rows.map((row) => row.prediction);
  if (!ends.length) return [];
  return [Math.min(...ends), Math.max(...ends)].map((prediction) => ({ prediction, y: divided() ? 1 : prediction }));
}

// A chart is made anew where its legend changes, and otherwise gets other rows.
async function draw(view, sets, place) {
  const { rows } = sets;
  place.hidden = rows.length === 0;
  if (place.hidden) return;
  const by = colourBy(), before = drawn[view.name];
  const nets = [...new Set(rows.map((row) => row.net))];
  const values = [...new Set(rows.map((row) => row[by]))].sort((a, b) => a - b);
  const legend = JSON.stringify([nets, by, by === "net" ? [] : values, divided()]);
  if (before?.legend === legend) {
    for (const [name, set] of Object.entries(sets)) before.view.data(name, set);
    return before.view.resize().runAsync();
  }
  const specification = structuredClone(charts[view.name]);
  specification.description = place.dataset.label;
  specification.datasets = { ...specification.datasets, ...sets };
  for (const { encoding } of specification.layer) {
    for (const channel of ["color", "fill", "shape"]) {
      const own = encoding[channel];
      if (own?.field !== "net") continue;
      own.legend = { values: own.scale.domain.filter((net) => nets.includes(net)) };
      if (by === "net" || channel === "shape") continue;
      encoding[channel] = { field: by, type: "ordinal", title: heads[by] ?? by, scale: { domain: values } };
    }
    if (divided() && view.table === "complexities") encoding.y.title = "P* / predicted P*";
  }
  drawn[view.name] = { legend, view: before?.view };
  const made = await vegaEmbed(place, specification, {
    ast: true, renderer: "svg", actions: false, logLevel: ERRORS, config: theme(), tooltip: { formatTooltip: tip },
  });
  before?.view?.finalize();
  drawn[view.name].view = made.view;
  made.view.addEventListener("click", (_, item) => {
    if (!item?.datum?.name) return;
    tell(place, item.tooltip);
    pin(item.datum.name);
  });
}

function address() {
  const [view] = location.hash.slice(1).split("?");
  const set = new URLSearchParams();
  for (const field of Object.keys(chips)) {
    const now = chosenOf(field), first = FIRST[field].filter((value) => chips[field].some((box) => box.value === value));
    if (now.length === first.length && now.every((value) => first.includes(value))) continue;
    for (const value of now.length ? now : [""]) set.append(field, value);
  }
  for (const [name, box] of Object.entries(flags))
    if (box.checked !== box.defaultChecked) set.set(name, box.checked ? box.dataset.on : box.dataset.off);
  if (colourBy() !== "net") set.set("colour", colourBy());
  for (const one of choices) if (one.value !== (one.dataset.first ?? "")) set.set(nameOf(one), one.value);
  for (const name of pins) set.append("pin", name);
  history.replaceState(null, "", set.size || view ? `#${view}${set.size ? `?${set}` : ""}` : " ");
}
const nameOf = (one) => `${one.dataset.view}.${one.dataset.field}`;

// Takes choices and view of the address, as "#sensitivities?net=LCN"; a view alone keeps what is chosen.
async function go() {
  const [view, query] = location.hash.slice(1).split("?"), set = new URLSearchParams(query);
  const title = at(`${view}-title`);
  const lost = view && !title ? [`view ${view}`] : [];
  if (query !== undefined || !document.body.dataset.ready) lost.push(...take(set));
  await renew(lost.length ? `Left out of the address, as no row has it: ${lost.join(", ")}.` : "");
  title?.focus({ preventScroll: true });
  title?.parentElement.scrollIntoView();
}

// Sets all choices; what the address does not name is as at first where that leaves a curve.
function take(set) {
  const lost = [], named = (name) => set.has(name);
  const now = { ...Object.fromEntries(Object.keys(chips).map((field) => [field, []])), authors: true };
  const some = (next) => curves.some((row) => row.run !== AUTHORS && passing(next)(row)) || !curves.length;
  for (const field of Object.keys(chips).filter(named))
    for (const value of set.getAll(field).filter(Boolean))
      if (chips[field].some((box) => box.value === value)) now[field].push(value);
      else lost.push(`${field} = ${value}`);
  for (const [name, box] of Object.entries(flags)) {
    if (named(name) && ![box.dataset.on, box.dataset.off].includes(set.get(name))) lost.push(`${name} = ${set.get(name)}`);
    box.checked = named(name) ? set.get(name) === box.dataset.on : box.defaultChecked;
  }
  if (!named(GRAMMARS)) flags[GRAMMARS].checked = some({ ...now, [GRAMMARS]: true });
  now[GRAMMARS] = flags[GRAMMARS].checked;
  for (const field of Object.keys(chips).filter((one) => !named(one)))
    for (const value of FIRST[field]) {
      const next = { ...now, [field]: [value] };
      if (some(next)) now[field] = [...new Set([...now[field], value])];
    }
  for (const [field, boxes] of Object.entries(chips)) for (const box of boxes) box.checked = now[field].includes(box.value);
  const colour = document.querySelector("[name=colour]");
  colour.value = [...colour.options].some((one) => one.value === set.get("colour")) ? set.get("colour") : "";
  pins = set.getAll("pin").filter((name) => curves.some((row) => row.name === name)).slice(0, MOST_PINS);
  lost.push(...set.getAll("pin").filter((name) => !pins.includes(name)).map((name) => `pin = ${name}`));
  for (const one of choices) one.value = "";
  for (const one of [...choices.filter((one) => named(nameOf(one))), ...choices.filter((one) => !named(nameOf(one)))]) {
    const wanted = set.get(nameOf(one)) ?? one.dataset.first;
    offer(one, wanted);
    if (named(nameOf(one)) && one.value !== wanted) lost.push(`${nameOf(one)} = ${wanted}`);
  }
  const known = [...Object.keys(chips), ...Object.keys(flags), "colour", "pin", ...choices.map(nameOf)];
  lost.push(...[...set].filter(([name]) => !known.includes(name)).map((pair) => pair.join(" = ")));
  return lost;
}

// What is chosen, in the address and in all views; said: of it.
function renew(said = "") {
  at("told").textContent = said;
  address();
  return update();
}

async function update() {
  for (const one of choices) offer(one);
  disable();
  pinned();
  await Promise.all(views.map(show));
}

function theme() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const [dark, narrow] = LOOKS.map((look) => look.matches);
  const words = { labelColor: colour("--ink"), titleColor: colour("--ink"), titleFontWeight: "normal" };
  return {
    background: null, font: "system-ui, sans-serif", view: { stroke: null },
    axis: { ...words, gridColor: colour("--line"), domainColor: colour("--soft"), tickColor: colour("--soft"),
      labelFontSize: 12, labelSeparation: 6, titleFontSize: 12, labelLimit: narrow ? 170 : 240, tickCount: 6, gridOpacity: 0.6 },
    axisX: { labelBound: true },
    legend: { ...words, orient: "bottom", columns: narrow ? 2 : 6, symbolLimit: 12, labelLimit: 130,
      layout: { bottom: { direction: narrow ? "vertical" : "horizontal" } }, labelFontSize: 12, symbolSize: 70, gradientLength: 160,
      symbolBaseFillColor: colour("--ink"),
      symbolBaseStrokeColor: colour("--ink") },
    rule: { color: colour("--soft") }, text: { color: colour("--ink") },
    style: { error: { color: colour("--ink") } },
    range: { category: colours[dark ? "dark" : "light"], diverging: kinds[dark ? "dark" : "light"], heatmap: HEAT[dark ? "dark" : "light"],
      ordinal: { scheme: HEAT[dark ? "dark" : "light"] } },
  };
}

// Only what is there: no null.
const told = (value) => Object.entries(value)
  .filter(([, one]) => one !== undefined && !["", "null", "undefined", "NaN"].includes(String(one)));
const tip = (value, asHtml) => `<table>${told(value)
  .map(([name, one]) => `<tr><td class="key">${asHtml(name)}</td><td class="value">${asHtml(one)}</td></tr>`)
  .join("")}</table>`;

// Pins a curve, or lets a pinned one go.
function pin(name) {
  if (!name) return;
  if (pins.includes(name)) pins = pins.filter((one) => one !== name);
  else if (pins.length < MOST_PINS) pins = [...pins, name];
  else {
    at("told").textContent = `At most ${MOST_PINS} curves are pinned: let one go first.`;
    return;
  }
  renew();
}

// P* of each pinned curve, with its interval.
function pinned() {
  const criterion = choices.find((one) => one.dataset.view === "sample-complexity")?.value;
  const signs = { above: "> ", below: "< " };
  const lines = pins.map((name) => {
    const row = (tables.complexities ?? []).find((one) => one.name === name && (!criterion || one.criterion === criterion));
    const off = element("button", { type: "button", "aria-label": `let go of ${name}` }, "×");
    off.addEventListener("click", () => pin(name));
    return [name, row ? `${signs[row.bound] ?? ""}${digits(row.P_star)} ${between(row.low, row.high)}`.trim() : "no P*", off];
  });
  at("pins").replaceChildren(pins.length ? tableOf(["curve", "P*, 95 % interval", ""], lines)
    : "Click a mark: up to five curves, and every view shows them among the others.");
}

// Arrow keys walk over the marks of a chart, from left to right.
function walk(event) {
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };
  const place = event.currentTarget, step = steps[event.key];
  const marks = [...place.querySelectorAll(".mark-symbol.role-mark path")]
    .map((one) => ({ one, box: one.getBoundingClientRect() }))
    .sort((a, b) => a.box.x - b.box.x || a.box.y - b.box.y).map(({ one }) => one);
  const now = marks.findIndex((one) => one.classList.contains("at"));
  if ((event.key === "Enter" || event.key === " ") && now >= 0) {
    event.preventDefault();
    pin(marks[now].__data__?.datum?.name);
  }
  if (step === undefined || !marks.length) return;
  event.preventDefault();
  marks[now]?.classList.remove("at");
  const next = marks[Math.max(0, Math.min(marks.length - 1, now + step))];
  next.classList.add("at");
  tell(place, next.__data__?.tooltip);
}

// The numbers of a mark, below its chart: a phone shows no tooltip.
function tell(place, tooltip) {
  place.parentElement.querySelector("[data-mark]").textContent =
    told(tooltip ?? {}).map(([name, one]) => `${name}: ${one}`).join("; ");
}

function save(href, name) {
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}
const file = (words, type) => URL.createObjectURL(new Blob([words], { type }));

// The rows of the table below a chart, or the chart as it stands, on the page's ground.
async function exported(view, kind) {
  if (kind === "CSV") {
    const { columns, rows } = listed[view], cell = (value) => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
    const lines = [columns, ...rows.map((row) => columns.map((name) => text(row[name])))];
    return save(file(`${lines.map((line) => line.map(cell).join(",")).join("\n")}\n`, "text/csv"), `${view}.csv`);
  }
  const chart = drawn[view].view.background(getComputedStyle(document.body).backgroundColor);
  if (kind === "SVG") return save(file(await chart.toSVG(), "image/svg+xml"), `${view}.svg`);
  save(await chart.toImageURL("png", 2), `${view}.png`);
}

document.addEventListener("change", (event) => {
  if (event.target.id === "pin") return pin(event.target.value);
  renew();
});
document.addEventListener("click", (event) => {
  const { export: kind } = event.target.dataset;
  if (kind) exported(event.target.closest("section").id, kind);
});
for (const place of document.querySelectorAll(".chart")) place.addEventListener("keydown", walk);
at("choices").addEventListener("submit", (event) => event.preventDefault());
at("choices").addEventListener("reset", (event) => {
  event.preventDefault();
  take(new URLSearchParams());
  renew();
});
at("all").addEventListener("click", () => {
  for (const boxes of Object.values(chips)) for (const box of boxes) box.checked = false;
  flags[GRAMMARS].checked = false;
  renew();
});
at("link").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    at("told").textContent = "The address of these choices is copied.";
  } catch {
    at("told").textContent = `The address of these choices: ${location.href}`;
  }
});
addEventListener("hashchange", go);
for (const look of LOOKS)
  look.addEventListener("change", () => {
    for (const one of Object.values(drawn)) one.legend = null; // drawn anew
    update();
  });
if (matchMedia("(max-width: 60rem)").matches) at("folded").open = false;
go().then(() => { document.body.dataset.ready = "yes"; });
