// Draws the rows of the views that the choices leave, and writes them into tables.
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const { charts, colours, heads, views } = read("views");
const tables = Object.fromEntries(Object.entries(read("rows")).map(([name, columns]) => {
  const names = Object.keys(columns), n = names.length ? columns[names[0]].length : 0;
  return [name, Array.from({ length: n }, (_, i) =>
    Object.fromEntries(names.map((column) => [column, columns[column][i]])))];
}));
const curves = tables.curves ?? [];
for (const name of ["points", "complexities", "sensitivities"])
  tables[name] = (tables[name] ?? []).map((row) => ({
    ...curves[row.c], ...row,
    ...(row.P && curves[row.c].prediction ? { scaled: +(row.P / curves[row.c].prediction).toPrecision(4) } : {}),
  }));
const choices = [...document.querySelectorAll("select")];
const TOLD = document.getElementById("told");
const HIGHLIGHT = choices.find((choice) => choice.dataset.field === "label");
const RUN = choices.find((choice) => choice.dataset.field === "run");
const MOST_DRAWN = 4000, MOST_LISTED = 400;
// As viridis, without what is faint on either ground.
const HEAT = {
  light: ["#440154", "#3b528b", "#21918c", "#4a9a3f", "#b08900"],
  dark: ["#8576dc", "#5b9bd5", "#35b7a0", "#8fd744", "#fde725"],
};
const LOOKS = ["(prefers-color-scheme: dark)", "(max-width: 40rem)"].map((query) => matchMedia(query));
const ERRORS = 1; // of the levels of Vega's log; where all P* are bounds, say, it would warn
const drawn = {}; // views of Vega by name

// Rows of a view that its choices and those of curves leave; without: a choice that does not count.
function left(view, without) {
  const counting = choices.filter((one) => one !== without && one !== HIGHLIGHT && one.value !== ""
    && (one.dataset.table === "curves" ? view.table !== "claims" : one.dataset.view === view.name));
  return (tables[view.table] ?? []).filter((row) =>
    (view.needs ?? []).every((name) => row[name] != null)
    && counting.every((one) => String(row[one.dataset.field]) === one.value));
}

const byValue = (a, b) => a.localeCompare(b, "en", { numeric: true });

// Each choice offers what the others leave, and keeps its own value.
function offer(choice, wanted) {
  const { field, view } = choice.dataset;
  const rows = view ? left(views.find((one) => one.name === view), choice)
    : curves.filter((row) => choices.every((one) => one === choice || one.dataset.table !== "curves"
        || one === HIGHLIGHT || one.value === "" || String(row[one.dataset.field]) === one.value));
  const values = new Set(rows.map((row) => row[field]).filter((value) => value != null).map(String));
  if (wanted === undefined ? choice.value : values.has(wanted)) values.add(wanted ?? choice.value);
  const kept = wanted !== undefined && !values.has(wanted) ? "" : wanted ?? choice.value;
  choice.replaceChildren(new Option("all", ""), ...[...values].sort(byValue).map((v) => new Option(v, v)));
  choice.value = kept;
}

function text(value) {
  if (value == null) return "";
  return typeof value === "number" && !Number.isInteger(value) ? String(+value.toPrecision(4)) : String(value);
}

function list(view, rows, place) {
  const table = document.createElement("table"), head = table.createTHead().insertRow();
  for (const name of view.columns) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = heads[name] ?? name;
    head.append(cell);
  }
  const body = table.createTBody();
  for (const row of rows.slice(0, MOST_LISTED)) {
    const line = body.insertRow();
    for (const name of view.columns) {
      const cell = line.insertCell();
      if (row[`${name}_html`] != null) cell.innerHTML = row[`${name}_html`];
      else cell.textContent = text(row[name]);
      const n = cell.textContent.length;
      cell.className = n > 160 ? "long" : n > 40 ? "words" : "";
    }
  }
  place.replaceChildren(table);
  if (rows.length > MOST_LISTED) place.append(`The first ${MOST_LISTED} of ${rows.length} rows.`);
}

function show(view) {
  const section = document.getElementById(view.name), label = HIGHLIGHT.value;
  const rows = left(view).map((row) => ({
    ...row, chosen: label === "" || row.label === label, own: row.run === RUN.dataset.first,
  }));
  const some = rows.length > MOST_DRAWN ? rows.filter((row) => row.chosen).slice(0, MOST_DRAWN) : rows;
  const listed = view.table === "claims" ? rows : rows.filter((row) => row.chosen);
  const cut = some.length < rows.length ? `; ${some.length} are drawn` : "";
  const few = rows.length ? "" : " here of these choices";
  section.querySelector("[role=status]").textContent =
    `${rows.length} ${rows.length === 1 ? "row" : "rows"}${cut}${listed.length < rows.length ? `, ${listed.length} of the highlighted curve` : ""}${few}`;
  list(view, listed, section.querySelector(".table"));
  const charted = view.table === "claims" ? some.filter((row) => row.at != null) : some;
  return draw(view, charted, section.querySelector(".chart"));
}

// A chart is made anew where its legend changes, and otherwise gets other rows.
async function draw(view, rows, place) {
  place.hidden = rows.length === 0;
  if (place.hidden) return;
  const nets = [...new Set(rows.map((row) => row.net))].join(), before = drawn[view.name];
  const sets = { rows };
  if (view.table === "sensitivities") {
    const chosen = new Map(rows.map((row) => [row.c, row.chosen]));
    sets.errors = tables.points.filter((row) => chosen.has(row.c)).map((row) => ({ ...row, chosen: chosen.get(row.c) }));
  }
  if (before?.nets === nets) {
    for (const [name, set] of Object.entries(sets)) before.view.data(name, set);
    return before.view.resize().runAsync();
  }
  const specification = structuredClone(charts[view.name]);
  specification.datasets = { ...specification.datasets, ...sets };
  for (const { encoding } of specification.layer)
    for (const channel of ["color", "fill", "shape"])
      if (encoding[channel]?.field === "net") encoding[channel].legend = {
        values: encoding[channel].scale.domain.filter((net) => nets.split(",").includes(net)),
      };
  drawn[view.name] = { nets, view: before?.view };
  const made = await vegaEmbed(place, specification, {
    ast: true, renderer: "svg", actions: false, logLevel: ERRORS, config: theme(), tooltip: { formatTooltip: tip },
  });
  before?.view?.finalize();
  drawn[view.name].view = made.view;
  made.view.addEventListener("click", (_, item) => choose(item?.datum?.label));
}

function address() {
  const [view] = location.hash.slice(1).split("?");
  const set = new URLSearchParams();
  TOLD.textContent = "";
  for (const one of choices)
    if (one.value !== (one.dataset.first ?? "")) set.set(nameOf(one), one.value);
  history.replaceState(null, "", set.size || view ? `#${view}${set.size ? `?${set}` : ""}` : " ");
}
const nameOf = (one) => (one.dataset.view ? `${one.dataset.view}.` : "") + one.dataset.field;

// Takes choices and view of the address, as "#sensitivities?net=LCN"; a view alone keeps what is chosen.
async function go() {
  const [view, query] = location.hash.slice(1).split("?"), set = new URLSearchParams(query);
  const title = document.getElementById(`${view}-title`);
  const lost = view && !title ? [`view ${view}`] : [];
  if (query !== undefined || !document.body.dataset.ready) {
    for (const one of choices) one.value = "";
    // What is chosen at first counts least.
    const named = (one) => set.has(nameOf(one));
    for (const one of [...choices.filter(named), ...choices.filter((one) => !named(one))])
      offer(one, set.get(nameOf(one)) ?? one.dataset.first);
    lost.push(...[...set].filter(([name, value]) => !choices.some((one) => nameOf(one) === name && one.value === value))
      .map((pair) => pair.join(" = ")));
  }
  await update();
  address();
  if (lost.length) TOLD.textContent = `Left out of the address, as no row has it: ${lost.join(", ")}.`;
  title?.focus({ preventScroll: true });
  title?.parentElement.scrollIntoView();
}

async function update() {
  for (const one of choices) offer(one);
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
      labelFontSize: 12, titleFontSize: 12, labelLimit: narrow ? 170 : 240, tickCount: 6, gridOpacity: 0.6 },
    axisX: { labelBound: true },
    legend: { ...words, orient: "bottom", columns: narrow ? 2 : 6, symbolLimit: 12, labelLimit: 130,
      layout: { bottom: { direction: narrow ? "vertical" : "horizontal" } }, labelFontSize: 12, symbolSize: 70, gradientLength: 160,
      symbolBaseFillColor: colour("--ink"),
      symbolBaseStrokeColor: colour("--ink") },
    rule: { color: colour("--soft") }, text: { color: colour("--ink") },
    range: { category: colours[dark ? "dark" : "light"], heatmap: HEAT[dark ? "dark" : "light"],
      ordinal: { scheme: HEAT[dark ? "dark" : "light"] } },
  };
}

// Only what is there: no null.
const tip = (value, asHtml) => `<table>${Object.entries(value)
  .filter(([, one]) => one !== undefined && !["", "null", "undefined", "NaN"].includes(String(one)))
  .map(([name, one]) => `<tr><td class="key">${asHtml(name)}</td><td class="value">${asHtml(one)}</td></tr>`)
  .join("")}</table>`;

function choose(label) {
  if (!label) return;
  HIGHLIGHT.value = HIGHLIGHT.value === label ? "" : label;
  address();
  update();
}

document.addEventListener("change", () => { address(); update(); });
document.getElementById("choices").addEventListener("reset", (event) => {
  event.preventDefault();
  for (const one of choices) if (one.dataset.table === "curves") one.value = "";
  address();
  update();
});
addEventListener("hashchange", go);
for (const look of LOOKS)
  look.addEventListener("change", () => {
    for (const one of Object.values(drawn)) one.nets = null; // drawn anew
    update();
  });
go().then(() => { document.body.dataset.ready = "yes"; });
