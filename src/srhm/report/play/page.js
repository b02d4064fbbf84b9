// The page: what is chosen, the tree, the curve. One state, drawn anew after each change.
const given = JSON.parse(document.getElementById("given").textContent);
const at = (id) => document.getElementById(id);
const controls = at("grammar").elements;
const THRESHOLD = 0.1;  // the test error that defines P*
const SERIES = { error: "test error", S: "S", D: "D" };
const state = { points: [], networks: [], node: 1, net: "cnn", says: "", before: null, worker: null, told: "" };

function svg(name, attributes, ...children) {
  const found = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
  found.append(...children);
  return found;
}
const of = (name, row) => { const found = document.createElement(name); found.append(...[row].flat()); return found; };
// Features of level 1 are numbers, those above are letters: the vocabularies of two levels share no symbol.
const symbolOf = (level, feature) => level > 1 ? "ABCDEFGH"[feature] : String(feature);
const pair = (rule, level) => `(${rule.map((feature) => symbolOf(level, feature)).join(",\u00a0")})`;

// What is chosen. Other parameters make another curve; another seed adds to the curve.
const numbers = () => Object.fromEntries(["v", "m", "s0", "L", "seed"].map(
  (name) => [name, Math.max(0, Math.floor(+controls[name].value))]));
function choose(keep = false) {
  controls.m.max = controls.v.value;
  const { seed, ...of } = numbers();
  for (const name of ["v", "m", "s0", "L"]) controls[name].parentNode.nextElementSibling.value = of[name];
  Object.assign(state, { of: { ...of, nc: of.v }, seed, random: stream(seed, "play"), networks: [], node: of.L > 1 ? 1 : 0 });
  if (!keep) state.points = [];
  state.grammar = drawGrammar(state.of, stream(seed, "grammar"));
  stop();
  draw();
}
function draw() {
  state.datum = datumOf(state.grammar, below(nDistinct(state.of), state.random));
  state.before = state.spoilt = null;
  state.says = `One of ${nDistinct(state.of).toLocaleString("en")} data of this grammar; its class is ${state.datum.label}.`;
  render();
}

// Changes of the datum, and what can be read from its symbols afterwards.
function change(made, words) {
  const label = state.datum.label;
  state.before = symbolsOf(state.grammar, state.datum);
  state.spoilt = null;
  state.datum = made;
  const now = symbolsOf(state.grammar, made), read = parsed(state.grammar, now);
  const moved = now.filter((symbol, i) => symbol !== state.before[i]).length;
  state.says = `${words} ${moved} of ${now.length} symbols are others. The class, read from them: ${read.label}, `
    + (read.label === label ? "as before." : `no longer ${label}.`);
  render();
}
const latentAt = (datum, node) => levelsOf(state.grammar, datum).flatMap(({ features }) => features)[node];
// The level of what the rule of a node produces; the rule itself; and the node, named.
const levelBelow = (node) => state.of.L - Math.floor(Math.log2(node + 1));
const ruleAt = (datum, node) =>
  pair(state.grammar.rules[levelBelow(node) - 1][latentAt(datum, node)][datum.choices[node]], levelBelow(node));
const nameAt = (datum, node) => node ? symbolOf(levelBelow(node) + 1, latentAt(datum, node)) : `class ${latentAt(datum, node)}`;
function exchange() {
  const made = exchangedAt(state.grammar, state.datum, state.node, state.random);
  const [now, then] = [made, state.datum].map((datum) => ruleAt(datum, state.node));
  change(made, `Synonym exchanged: ${nameAt(made, state.node)} → ${now} in place of ${then}.`);
}
function displace() {
  change(displacedAt(state.grammar, state.datum, state.node, state.random), "Features displaced within their positions.");
}
// For contrast: a change that the task does not allow.
function spoil() {
  const symbols = symbolsOf(state.grammar, state.datum), full = [...symbols.keys()].filter((i) => symbols[i]);
  const place = full[below(full.length, state.random)];
  const spoilt = symbols.with(place, 1 + other(symbols[place] - 1, state.of.v, state.random));
  const made = parsed(state.grammar, spoilt);
  if (made) { change(made, "One feature replaced by another, at random."); return; }
  state.before = null;
  state.spoilt = spoilt;
  state.says = "One feature replaced by another, at random: no rule produces this, it has no class. The datum stays.";
  render();
}

// Training, beside the page.
function train() {
  const sizes = sizesFor(state.net, state.of);
  const text = `${at("model").textContent}\n${at("worker").textContent}`;
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const worker = new Worker(address), begun = performance.now(), { seed, net } = state;
  URL.revokeObjectURL(address);
  state.worker = worker;
  state.networks = [];
  state.points = state.points.filter((one) => one.seed !== seed || one.net !== net);
  worker.onerror = (event) => { stop(); state.told = `The browser stopped the training: ${event.message}`; render(); };
  worker.onmessage = ({ data }) => {
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    if (data.done) { stop(); state.told = `${sizes.length} networks in ${seconds} s.`; at("chart").dataset.done = seconds; }
    else if ("at" in data) state.told = `P = ${data.at}: step ${data.steps}, ${seconds} s.`;
    else {
      const { weights, ...point } = data;
      state.points.push({ ...point, seed, net, seconds });
      state.networks.push({ P: point.P, weights });
    }
    if ("at" in data) at("progress").textContent = state.told; else render();
    if (data.done && document.activeElement === document.body) at("train").focus();
  };
  worker.postMessage({ ...given.task, grammar: state.grammar, net, seed, sizes });
  state.told = "Draws the data …";
  render();
  at("stop").focus();
}
function stop() {
  state.worker?.terminate();
  state.worker = null;
  state.told = "";
}

// Drawing.
const width = (picture) => Math.max(260, picture.parentElement.clientWidth);
const ink = (tint) => {
  const [r, g, b] = [1, 3, 5].map((i) => (parseInt(tint.slice(i, i + 2), 16) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#000" : "#fff";
};
// Positions at least `gap` apart, from left to right, up to `most`.
function spread(xs, gap, most) {
  const found = [...xs];
  for (let i = 1; i < found.length; i++) found[i] = Math.max(found[i], found[i - 1] + gap);
  for (let i = found.length - 1, end = most; i >= 0; i--, end -= gap) found[i] = Math.min(found[i], end);
  return found;
}

function drawTree() {
  const { grammar, datum, of: { L }, node, before, spoilt } = state, picture = at("tree"), wide = width(picture);
  const left = 46, step = 78, tall = 26, levels = levelsOf(grammar, datum), parts = { under: [], over: [] };
  const note = (y, words) => parts.under.push(svg("text", { x: 0, y, class: "soft" }, words));
  const cells = (y, symbols, high, level) => {
    const w = (wide - left) / symbols.length;
    symbols.forEach((symbol, i) => {
      const x = left + (i + 0.5) * w, wide = symbol ? Math.max(w, 6) : w;  // thinner ones are hard to see
      const cell = svg("rect", { x: x - wide / 2, y, width: wide, height: high, class: "cell" });
      (symbol ? parts.over : parts.under).push(cell);
      if (!symbol) return;
      const tint = given.tints[symbol - 1];
      if (level > 1) Object.assign(cell.style, { fill: "var(--paper)", stroke: tint, strokeWidth: 4 });
      else cell.style.fill = tint;
      if (!level || w < 16) return;
      const number = svg("text", { x, y: y + high / 2 + 4.5, "text-anchor": "middle" }, symbolOf(level, symbol - 1));
      number.style.fill = level > 1 ? "var(--ink)" : ink(tint);
      parts.over.push(number);
    });
  };
  const chosen = (name, one) => `${name}${one === node ? " chosen" : ""}`;
  const middle = left + (wide - left) / 2;
  note(18, "class");
  const root = svg("g", { "data-node": 0 },
    svg("rect", { x: middle - 34, y: 0, width: 68, height: tall, rx: 13, class: chosen("node class", 0) }),
    svg("text", { x: middle, y: 17.5, "text-anchor": "middle" }, `class ${datum.label}`));
  parts.over.push(root);
  let above = [middle], number = 1;
  for (let t = 1; t <= L; t++) {
    const { features, places } = levels[t], y = t * step, n = patchSize(grammar) ** t, w = (wide - left) / n;
    note(y + 17, `level ${L + 1 - t}`);
    const symbols = new Array(n).fill(0);
    places.forEach((place, i) => { symbols[place] = features[i] + 1; });
    cells(y, symbols, tall, L + 1 - t);
    const xs = places.map((place) => left + (place + 0.5) * w);
    places.forEach((place, i) => {
      const own = number + i, parent = (own - 1) >> 1;
      const ends = { x1: above[i >> 1], y1: y - step + tall, x2: xs[i], y2: y };
      parts.under.push(svg("line", { ...ends, class: chosen("branch", parent) }));
      const box = { x: left + place * w, y, width: w, height: tall };
      if (t < L) parts.over.push(svg("rect", { ...box, "data-node": own, class: chosen("node", own) }));
    });
    // The patches of informative places: elsewhere all is empty.
    const high = tall + 4, long = w * patchSize(grammar);
    for (const place of levels[t - 1].places)
      parts.over.push(svg("rect", { x: left + place * long, y: y - 2, width: long, height: high, class: "patch" }));
    if (w < 16) spread(xs, 13, wide - 5).forEach((x, i) => {
      parts.over.push(svg("line", { x1: xs[i], y1: y + tall, x2: x, y2: y + tall + 9, class: "branch" }),
        svg("text", { x, y: y + tall + 20, "text-anchor": "middle" }, symbolOf(L + 1 - t, features[i])));
    });
    above = xs;
    number += places.length;
  }
  let end = L * step + tall + 26;
  const shown = spoilt ?? before;
  note(end + 10, spoilt ? "spoilt" : shown ? "before" : "");
  if (shown) cells(end, shown, 12, 0);
  picture.setAttribute("viewBox", `0 0 ${wide} ${end + 14}`);
  const lines = levels.slice(1).map(({ features, places }, t) =>
    `Level ${L - t}: ${features.map((feature, i) => `${symbolOf(L - t, feature)} at position ${places[i]}`).join(", ")}.`);
  picture.setAttribute("aria-label", `Tree of the datum. Class ${datum.label}. ${lines.join(" ")}`);
  picture.replaceChildren(...parts.under, ...parts.over);
  picture.append(picture.querySelector("[data-node].chosen, [data-node]:has(.chosen)"));
  [...at("nodes").querySelectorAll("label")].forEach((label, i) => {
    label.hidden = i >= nNodes(grammar);
    if (label.hidden) return;
    label.control.checked = i === node;
    label.lastElementChild.textContent = `${nameAt(datum, i)} → ${ruleAt(datum, i)}`;
  });
}

// Rows of published/ for the chosen net and grammar, if there are any.
const archiveOf = ({ net, of: { L, v, m, s0 } }) => L === 2 && m === v ? given.archive[`${net} ${v} ${s0}`] : undefined;

// The formula of each net: its name, and what stands before n_c m^L.
const LAWS = { cnn: ["Eq. 4", "(s₀+1)²"], lcn: ["Eq. 3", "s^(L/2) (s₀+1)ᴸ"] };
const starOf = (run) => crossing(run.map((one) => one.P), run.map((one) => one.error), THRESHOLD);
// A formula gives P* up to a constant: its least and largest value in the archive's curves, which have L = 2.
const constants = Object.fromEntries(Object.keys(LAWS).map((net) => {
  const found = Object.entries(given.archive).filter(([name]) => name.startsWith(net)).map(([name, { P, error }]) => {
    const [v, s0] = name.split(" ").slice(1).map(Number);
    return crossing(P, error, THRESHOLD) / predicted(net, { L: 2, v, m: v, nc: v, s0 });
  }).filter((one) => one > 0);
  return [net, [Math.min(...found), Math.max(...found)]];
}));

function drawChart(archive, points) {
  const picture = at("chart"), wide = width(picture), high = 290, left = 50, bottom = high - 40;
  const law = constants[state.net].map((one) => one * predicted(state.net, state.of));
  const others = state.points.filter((one) => one.net !== state.net);
  const all = [...sizesFor(state.net, state.of), ...(archive?.P ?? []), ...law, ...others.map(({ P }) => P)];
  const low = Math.min(...all) / 1.25, most = Math.max(...all) * 1.25;
  const x = (P) => left + (wide - left - 6) * Math.log(P / low) / Math.log(most / low);
  const y = (value) => bottom - (bottom - 14) * Math.min(value, 1.05);
  const parts = [], [lawName] = LAWS[state.net];
  const text = (px, py, words, anchor = "middle") =>
    parts.push(svg("text", { x: px, y: py, class: "soft", "text-anchor": anchor }, words));
  const rule = (x1, x2, y1, y2, name) => parts.push(svg("line", { x1, x2, y1, y2, class: name }));
  for (const value of [0, 0.25, 0.5, 0.75, 1]) {
    rule(left, wide, y(value), y(value), "axis");
    text(left - 5, y(value) + 4, value, "end");
  }
  const ticks = [1, 2, 5].flatMap((digit) => [0, 1, 2, 3, 4, 5].map((power) => digit * 10 ** power));
  for (const P of ticks.filter((P) => P >= low && P <= most)) {
    rule(x(P), x(P), bottom, bottom + 4, "branch");
    text(x(P), bottom + 17, P);
  }
  text((left + wide) / 2, high - 6, "P, training points");
  rule(left, wide, y(THRESHOLD), y(THRESHOLD), "branch level");
  text(left + 4, y(THRESHOLD) - 4, "10 %", "start");
  parts.unshift(svg("rect", { x: x(law[0]), y: 14, width: x(law[1]) - x(law[0]), height: bottom - 14, class: "law" }));
  text((x(law[0]) + x(law[1])) / 2, 10, `P* by ${lawName}`);
  parts.push(svg("text", { x: 0, y: 0, class: "soft", "text-anchor": "middle", transform: `translate(11 ${bottom / 2}) rotate(-90)` },
    "test error; S, D"));
  const line = (rows, name, kind) => {
    const places = rows.filter((row) => row[name] !== null).map((row) => `${x(row.P).toFixed(1)} ${y(row[name]).toFixed(1)}`);
    if (places.length) parts.push(svg("path", { d: `M${places.join("L")}`, class: `line ${kind} ${name}` }));
  };
  const rows = archive ? archive.P.map((P, i) => ({ P, error: archive.error[i], S: archive.S[i], D: archive.D[i] })) : [];
  for (const name of Object.keys(SERIES)) {
    line(rows, name, "archive");
    for (const run of runsOf(points).values()) line(run, name, "run");
    for (const run of runsOf(others).values()) line(run, name, "run other");
    for (const { P, seed, status, [name]: value } of points) if (value !== null) {
      const mark = { d: given.marks[name], class: `point ${name}${status === "fitted" ? "" : " open"}` };
      const words = `P = ${P}, seed ${seed}: ${SERIES[name]} ${value.toFixed(3)}`;
      parts.push(svg("path", { ...mark, transform: `translate(${x(P)} ${y(value)})` }, svg("title", {}, words)));
    }
  }
  picture.setAttribute("viewBox", `0 0 ${wide} ${high}`);
  picture.replaceChildren(...parts);
  const [from, to] = [0, -1].map((i) => archive && `${archive.error.at(i).toFixed(2)} at P = ${archive.P.at(i)}`);
  picture.setAttribute("aria-label", "Test error, S and D against P. "
    + (archive ? `The archive's curve falls from ${from} to ${to}. ` : "") + `${points.length} points of this page, which the table lists.`);
}
const runsOf = (points) => Map.groupBy(points, (one) => one.seed);

// What the curve says, in words and as a table.
function tellCurve(archive, points) {
  at("archive-says").textContent = archive ? `the archive: ${given.width} channels, mean of ${archive.n} grammars`
    : "(the archive has no such grammars)";
  at("points").replaceChildren(...points.map((one) => {
    const values = Object.keys(SERIES).map((name) => one[name] === null ? "–" : one[name].toFixed(3));
    const row = [one.net.toUpperCase(), one.seed, one.P, ...values, one.steps, one.status];
    return of("tr", row.map((cell) => of("td", String(cell))));
  }));
  const stars = [...runsOf(points)].map(([seed, run]) => [seed, starOf(run)]).filter(([, star]) => star);
  const theirs = archive && crossing(archive.P, archive.error, THRESHOLD);
  const [law, before] = LAWS[state.net], prediction = predicted(state.net, state.of);
  const [least, most] = constants[state.net];
  at("other-says").textContent = state.points.length > points.length ? `Dotted: the ${state.net === "cnn" ? "LCN" : "CNN"} of this grammar, trained before.` : "";
  at("star").replaceChildren([
    stars.length ? `P* here: ${stars.map(([seed, star]) => `${Math.round(star)} (seed ${seed})`).join(", ")}.` : "",
    theirs ? `P* of the archive's mean curve: ${Math.round(theirs)}.` : "",
    `${law} says P* up to a constant: ${before} `].filter(Boolean).join(" "), of("i", "n"), of("sub", "c"), " ", of("i", "m"), of("sup", "L"),
    ` = ${Math.round(prediction)} times ${least.toFixed(1)} to ${most.toFixed(1)} in the archive's curves (grey band), of ${nDistinct(state.of).toLocaleString("en")} data.`);
}

// What each trained network says of the datum that is shown.
function ask() {
  const datum = state.spoilt ? null : state.datum, shape = shapeOf(state.grammar, state.net, given.task.H);
  const answers = datum ? state.networks.map(({ P, weights }) => {
    const logits = outputs(network(shape, weights), encoded(state.grammar, [datum], shape));
    return { P, said: logits.indexOf(Math.max(...logits)) };
  }) : [];
  at("asked").textContent = answers.length
    ? `What networks trained on P data of this grammar take its class for (it is ${datum.label}):`
    : state.networks.length ? "" : "No network is trained yet. Trained ones will say here which class they see.";
  at("answers").replaceChildren(...answers.map(({ P, said }) => {
    const found = of("li", `P = ${P}: ${said} ${said === datum.label ? "✓" : "✗"}`);
    found.className = said === datum.label ? "right" : "wrong";
    return found;
  }));
}

function render() {
  const sizes = sizesFor(state.net, state.of), few = sizes.length < 3, busy = state.worker !== null;
  const most = Math.max(...sizes), long = most > 5000 ? `P up to ${most}: training may take minutes.` : "";
  at("exchange").disabled = state.of.m < 2;
  at("displace").disabled = state.of.s0 < 1;
  for (const id of ["train", "next"]) at(id).disabled = busy || few;
  at("stop").hidden = !busy;
  at("says").textContent = state.says;
  at("progress").textContent = !few ? state.told || long : `There are ${nDistinct(state.of)} data: too few to train on and to`
    + ` keep ${LEAST_TEST} for testing. Choose more features or positions.`;
  drawTree();
  const archive = archiveOf(state), points = state.points.filter((one) => one.net === state.net);
  drawChart(archive, points);
  tellCurve(archive, points);
  ask();
  at("rules").replaceChildren(...state.grammar.rules.toReversed().flatMap((latents, t) => latents.map((rules, latent) =>
    of("li", `${t ? symbolOf(state.of.L + 1 - t, latent) : `class ${latent}`} → ${rules.map((rule) => pair(rule, state.of.L - t)).join(" or ")}`))));
}

const seeded = (seed, keep) => { controls.seed.value = seed; choose(keep); };
at("grammar").addEventListener("input", (event) => choose(event.target.name === "seed"));
at("grammar").addEventListener("submit", (event) => event.preventDefault());
at("nodes").addEventListener("change", (event) => { state.node = +event.target.value; render(); });
at("tree").addEventListener("click", (event) => {
  const chosen = event.target.closest("[data-node]");
  if (chosen) { state.node = +chosen.dataset.node; render(); }
});
for (const [id, does] of Object.entries({ exchange, displace, spoil, draw, train, again: () => seeded(state.seed + 1, true),
  next: () => { seeded(state.seed + 1, true); train(); }, stop: () => { stop(); state.told = "Stopped."; render(); } }))
  at(id).addEventListener("click", does);
document.querySelectorAll("[name=net]").forEach((one) => one.addEventListener("change", () => {
  stop();
  Object.assign(state, { net: one.value, networks: [] });
  render();
}));
addEventListener("resize", render);
choose();
document.body.dataset.ready = "yes";
