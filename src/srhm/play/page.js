// The page: what is chosen, the tree, the curve. One state, drawn anew after each change.
const given = JSON.parse(document.getElementById("given").textContent);
const at = (id) => document.getElementById(id);
const controls = at("grammar").elements;
const SERIES = { error: "test error", S: "S", D: "D" };
const state = { points: [], networks: [], node: 1, net: "cnn", says: "", before: null, worker: null, told: "" };

function svg(name, attributes, ...children) {
  const found = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
  found.append(...children);
  return found;
}
const of = (name, row) => { const found = document.createElement(name); found.append(...[row].flat()); return found; };
const pair = (rule) => `(${rule.join(",\u00a0")})`;

// What is chosen. Other parameters make another curve; another seed adds to the curve.
const numbers = () => Object.fromEntries(["v", "m", "s0", "L", "seed"].map((name) => [name, Math.max(0, Math.floor(+controls[name].value))]));
function choose(keep = false) {
  controls.m.max = controls.v.value;
  const { seed, ...of } = numbers();
  for (const name of ["v", "m", "s0", "L"]) controls[name].nextElementSibling.value = of[name];
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
const ruleAt = (datum, node) => {
  const level = state.of.L - Math.floor(Math.log2(node + 1));
  return state.grammar.rules[level - 1][latentAt(datum, node)][datum.choices[node]];
};
function exchange() {
  const made = exchangedAt(state.grammar, state.datum, state.node, state.random);
  change(made, `Synonym exchanged: ${latentAt(made, state.node)} → ${pair(ruleAt(made, state.node))} in place of ${pair(ruleAt(state.datum, state.node))}.`);
}
function displace() {
  change(displacedAt(state.grammar, state.datum, state.node, state.random), "Features displaced within their places.");
}
// For contrast: a change that the task does not allow.
function spoil() {
  const symbols = symbolsOf(state.grammar, state.datum), full = [...symbols.keys()].filter((i) => symbols[i]);
  const place = full[below(full.length, state.random)];
  const spoilt = symbols.with(place, 1 + other(symbols[place] - 1, state.of.v, state.random)), made = parsed(state.grammar, spoilt);
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
  const tint = (feature) => given.tints[feature];
  const note = (y, words) => parts.under.push(svg("text", { x: 0, y, class: "soft" }, words));
  const cells = (y, symbols, high, numbered) => {
    const w = (wide - left) / symbols.length;
    symbols.forEach((symbol, i) => {
      const wide = symbol ? Math.max(w, 6) : w;  // thinner ones are hard to see
      (symbol ? parts.over : parts.under).push(svg("rect", { x: left + (i + 0.5) * w - wide / 2, y, width: wide, height: high,
        class: "cell", ...(symbol ? { style: `fill: ${tint(symbol - 1)}` } : {}) }));
      if (symbol && numbered && w >= 16)
        parts.over.push(svg("text", { x: left + (i + 0.5) * w, y: y + high / 2 + 4.5, "text-anchor": "middle", style: `fill: ${ink(tint(symbol - 1))}` }, symbol - 1));
    });
    return w;
  };
  const middle = left + (wide - left) / 2;
  note(18, "class");
  const root = svg("g", { "data-node": 0 },
    svg("rect", { x: middle - 34, y: 0, width: 68, height: tall, rx: 13, class: `node${node ? "" : " chosen"}`, style: "fill: var(--ground)" }),
    svg("text", { x: middle, y: 17.5, "text-anchor": "middle" }, `class ${datum.label}`));
  parts.over.push(root);
  let above = [middle], number = 1;
  for (let t = 1; t <= L; t++) {
    const { features, places } = levels[t], y = t * step, n = patchSize(grammar) ** t, w = (wide - left) / n;
    note(y + 17, `level ${L + 1 - t}`);
    const symbols = new Array(n).fill(0);
    places.forEach((place, i) => { symbols[place] = features[i] + 1; });
    cells(y, symbols, tall, true);
    const xs = places.map((place) => left + (place + 0.5) * w);
    places.forEach((place, i) => {
      const parent = (number + i - 1) >> 1;
      parts.under.push(svg("line", { x1: above[i >> 1], y1: y - step + tall, x2: xs[i], y2: y, class: `branch${parent === node ? " chosen" : ""}` }));
      if (t < L) parts.over.push(svg("rect", { x: left + place * w, y, width: w, height: tall, "data-node": number + i, style: "fill: transparent", class: `node${number + i === node ? " chosen" : ""}` }));
    });
    // The patches of informative places: elsewhere all is empty.
    levels[t - 1].places.forEach((place) => parts.over.push(svg("rect", {
      x: left + place * w * patchSize(grammar), y: y - 2, width: w * patchSize(grammar), height: tall + 4, class: "patch", "pointer-events": "none" })));
    if (w < 16) spread(xs, 13, wide - 5).forEach((x, i) => {
      parts.over.push(svg("line", { x1: xs[i], y1: y + tall, x2: x, y2: y + tall + 9, class: "branch" }),
        svg("text", { x, y: y + tall + 20, "text-anchor": "middle" }, features[i]));
    });
    above = xs;
    number += places.length;
  }
  let end = L * step + tall + 26;
  const shown = spoilt ?? before;
  note(end + 10, spoilt ? "spoilt" : shown ? "before" : "");
  if (shown) cells(end, shown, 12, false);
  picture.setAttribute("viewBox", `0 0 ${wide} ${end + 14}`);
  picture.setAttribute("aria-label", `Tree of the datum. Class ${datum.label}. ` + levels.slice(1).map(({ features, places }, t) =>
    `Level ${L - t}: ${features.map((feature, i) => `${feature} at place ${places[i]}`).join(", ")}.`).join(" "));
  picture.replaceChildren(...parts.under, ...parts.over);
  picture.append(picture.querySelector("[data-node].chosen, [data-node]:has(.chosen)"));
  [...at("nodes").querySelectorAll("label")].forEach((label, i) => {
    label.hidden = i >= nNodes(grammar);
    if (label.hidden) return;
    label.control.checked = i === node;
    label.lastElementChild.textContent = `${i ? "" : "class "}${latentAt(datum, i)} → ${pair(ruleAt(datum, i))}`;
  });
}

const archiveOf = () => state.of.L === 2 && state.of.m === state.of.v ? given.archive[`${state.net} ${state.of.v} ${state.of.s0}`] : undefined;
function drawChart() {
  const picture = at("chart"), wide = width(picture), high = 290, left = 36, bottom = high - 40;
  const archive = archiveOf(), law = predicted(state.net, state.of), all = [...sizesFor(state.net, state.of), ...(archive?.P ?? []), law];
  const low = Math.min(...all) / 1.25, most = Math.max(...all) * 1.25;
  const x = (P) => left + (wide - left - 6) * Math.log(P / low) / Math.log(most / low), y = (value) => bottom - (bottom - 14) * Math.min(value, 1.05);
  const parts = [];
  const text = (px, py, words, anchor = "middle") => parts.push(svg("text", { x: px, y: py, class: "soft", "text-anchor": anchor }, words));
  for (const value of [0, 0.25, 0.5, 0.75, 1]) {
    parts.push(svg("line", { x1: left, x2: wide, y1: y(value), y2: y(value), class: "axis" }));
    text(left - 5, y(value) + 4, value, "end");
  }
  const ticks = [1, 2, 5].flatMap((digit) => [0, 1, 2, 3, 4, 5].map((power) => digit * 10 ** power));
  for (const P of ticks.filter((P) => P >= low && P <= most)) {
    parts.push(svg("line", { x1: x(P), x2: x(P), y1: bottom, y2: bottom + 4, class: "branch" }));
    text(x(P), bottom + 17, P);
  }
  text((left + wide) / 2, high - 6, "P, training points");
  parts.push(svg("line", { x1: left, x2: wide, y1: y(0.1), y2: y(0.1), class: "branch", "stroke-dasharray": "2 3" }));
  text(left + 4, y(0.1) - 4, "10 %", "start");
  parts.push(svg("line", { x1: x(law), x2: x(law), y1: 10, y2: bottom, class: "branch", "stroke-dasharray": "2 3" }));
  text(x(law) + 4, 10, "predicted P*", "start");
  const line = (rows, name, kind) => rows.filter((row) => row[name] !== null).map((row, i) => `${i ? "L" : "M"}${x(row.P).toFixed(1)} ${y(row[name]).toFixed(1)}`).join("") || "M0 0"
  const rows = archive ? archive.P.map((P, i) => ({ P, error: archive.error[i], S: archive.S[i], D: archive.D[i] })) : [];
  const shown = state.points.filter((one) => one.net === state.net), runs = Map.groupBy(shown, (one) => one.seed);
  for (const name of Object.keys(SERIES)) {
    parts.push(svg("path", { d: line(rows, name), class: `line archive ${name}` }));
    for (const run of runs.values()) parts.push(svg("path", { d: line(run, name), class: `line ${name}` }));
    for (const one of shown) if (one[name] !== null) parts.push(svg("path", {
      d: given.marks[name], transform: `translate(${x(one.P)} ${y(one[name])})`, class: `point ${name}${one.status === "fitted" ? "" : " open"}` },
      svg("title", {}, `P = ${one.P}, seed ${one.seed}: ${SERIES[name]} ${one[name].toFixed(3)}`)));
  }
  picture.setAttribute("viewBox", `0 0 ${wide} ${high}`);
  picture.replaceChildren(...parts);
  picture.setAttribute("aria-label", `Test error, S and D against P. ${archive ? "The archive's curve falls from "
    + `${archive.error[0].toFixed(2)} at P = ${archive.P[0]} to ${archive.error.at(-1).toFixed(2)} at P = ${archive.P.at(-1)}. ` : ""}${shown.length} points of this page, which the table lists.`);
  at("archive-says").textContent = archive ? `the archive: ${given.width} channels, mean of ${archive.n} grammars` : "(no rows of such grammars in the archive)";
  at("points").replaceChildren(...shown.map((one) => of("tr", [one.net.toUpperCase(), one.seed, one.P,
    ...Object.keys(SERIES).map((name) => one[name] === null ? "–" : one[name].toFixed(3)), one.steps, one.status].map((cell) => of("td", String(cell))))));
  const stars = [...runs].map(([seed, run]) => [seed, crossing(run.map((one) => one.P), run.map((one) => one.error), 0.1)]).filter(([, star]) => star);
  const theirs = archive && crossing(archive.P, archive.error, 0.1);
  at("star").textContent = [
    stars.length ? `P* here: ${stars.map(([seed, star]) => `${Math.round(star)} (seed ${seed})`).join(", ")}.` : "",
    theirs ? `P* of the archive's mean curve: ${Math.round(theirs)}.` : "",
    `Predicted, up to a factor: ${state.net === "cnn" ? "(s₀+1)² n_c mᴸ" : "s^(L/2) (s₀+1)ᴸ n_c mᴸ"} = ${Math.round(law)}, of ${nDistinct(state.of).toLocaleString("en")} data.`].join(" ");
}

// What each trained network says of the datum that is shown.
function ask() {
  const datum = state.spoilt ? null : state.datum, shape = shapeOf(state.grammar, state.net, given.task.H);
  const answers = datum ? state.networks.map(({ P, weights }) => {
    const logits = outputs(network(shape, weights), encoded(state.grammar, [datum], shape));
    return { P, said: logits.indexOf(Math.max(...logits)) };
  }) : [];
  at("asked").textContent = answers.length ? `What networks trained on P data of this grammar take its class for (it is ${datum.label}):`
    : state.networks.length ? "" : "No network is trained yet. Trained ones will say here which class they see.";
  at("answers").replaceChildren(...answers.map(({ P, said }) => {
    const found = of("li", `P = ${P}: ${said} ${said === datum.label ? "✓" : "✗"}`);
    found.className = said === datum.label ? "right" : "wrong";
    return found;
  }));
}

function render() {
  const few = sizesFor(state.net, state.of).length < 3, busy = state.worker !== null;
  at("exchange").disabled = state.of.m < 2;
  at("displace").disabled = state.of.s0 < 1;
  for (const id of ["train", "next"]) at(id).disabled = busy || few;
  at("stop").hidden = !busy;
  at("says").textContent = state.says;
  at("progress").textContent = few ? `There are ${nDistinct(state.of)} data: too few to train on and to keep ${LEAST_TEST} for testing. Choose more features or places.` : state.told;
  drawTree();
  drawChart();
  ask();
  at("rules").replaceChildren(...state.grammar.rules.toReversed().flatMap((latents, t) => latents.map((rules, latent) =>
    of("li", `${t ? "level " + (state.of.L + 1 - t) + ":" : "class"} ${latent} → ${rules.map(pair).join(" or ")}`))));
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
