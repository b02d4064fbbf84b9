// Chooses in the explorer, and writes what it then finds into the page (test_explorer.py).
const wrong = [];
addEventListener("error", (event) => wrong.push(event.message));
addEventListener("unhandledrejection", (event) => wrong.push(String(event.reason)));
addEventListener("securitypolicyviolation", (event) => wrong.push(event.violatedDirective));
console.error = (...words) => wrong.push(words.join(" "));
const wait = (test) => new Promise((done) => {
  const look = () => test() ? done() : setTimeout(look, 20); look(); });
const marks = (view) => document.querySelectorAll(
  `#${view} .mark-symbol.role-mark path`).length;
const count = () => Object.fromEntries([...document.querySelectorAll("section")].map(
  (one) => [one.id, marks(one.id)]));
const pause = (time) => new Promise((done) => setTimeout(done, time));
const choose = async (selector, value) => {
  const choice = document.querySelector(selector);
  if (choice.type === "checkbox") choice.checked = value; else choice.value = value;
  choice.dispatchEvent(new Event("change", { bubbles: true }));
  await pause(400);
};
const said = {};
try {
await wait(() => document.body.dataset.ready);
await pause(200);
const boxes = (field) => [...document.querySelectorAll(`[data-field=${field}] input`)];
const chosen = (field) => boxes(field).filter((one) => one.checked).map((one) => one.value);
const state = () => ({ ...Object.fromEntries(["run", "net", "L", "s", "sparsity", "protocol"].map((one) => [one, chosen(one)])),
  grammars: document.querySelector("[name=grammars]").checked, address: location.hash,
  authors: document.querySelector("[name=authors]").checked, marks: count(),
  told: document.getElementById("told").textContent, focus: document.activeElement.id });
const go = async (address) => { location.hash = address; await pause(400); return state(); };
const box = (field, value) => `[data-field=${field}] input[value="${value}"]`;
const layers = () => [...document.querySelectorAll("#sensitivities .role-legend-label text")]
  .map((one) => one.textContent);
const chart = (view) => document.querySelector(`#${view} .chart`);
const slopes = () => [...document.querySelectorAll(".slopes tbody tr")].map(
  (row) => [...row.cells].map((cell) => cell.textContent));
said.first = state();
said.views = [...document.querySelectorAll("nav a")].map((one) => one.hash.slice(1));
said.wrong_net = await go("sensitivities?run=&net=XYZ&net=LCN&sensitivities.layer=");
said.layers = layers();
said.view_alone = await go("learning-curves");
said.lcn = await go("sample-complexity?net=LCN&s=2");
said.nothing = await go("learning-curves?run=&net=LCN&v=6&protocol=&grammars=all");
said.empty = { status: document.querySelector("#learning-curves [role=status]").textContent,
  heights: [...document.querySelectorAll("section:not(#scorecard)")].map((one) => chart(one.id).offsetHeight),
  buttons: document.querySelector("#learning-curves [data-export=CSV]").disabled };
said.every = await go("learning-curves?run=&net=&v=&s=&sparsity=&protocol=&grammars=all");
said.again = chart("learning-curves").offsetHeight;
await choose(box("net", "CNN"), true);
said.cnn = state();
await choose(box("s0", "2"), true);
said.offered = Object.fromEntries(["net", "v", "s0"].map((field) => [field, boxes(field).filter((one) => !one.disabled).map((one) => one.value)]));
await choose(box("s0", "2"), false);
said.listed = document.querySelectorAll("#learning-curves tbody tr").length;
await choose(box("net", "LCN"), true);
said.both = state();
await choose("[name=grammars]", true);
said.of_paper = state();
await choose("[name=grammars]", false);
await choose("[name=authors]", false);
said.ours = state();
await choose("[name=authors]", true);
said.slopes = slopes();
const tall = () => [...document.querySelectorAll("#sample-complexity .role-axis-title text")].map((one) => one.textContent);
await choose("[name=divide]", true);
said.divided = { titles: tall(), slopes: slopes(), address: location.hash };
await choose("[name=divide]", false);
await choose("[name=colour]", "v");
said.colours = { address: location.hash, slopes: slopes().map((line) => line[0]),
  legend: [...document.querySelectorAll("#sample-complexity .role-legend-label text")].map((one) => one.textContent) };
await choose("[name=colour]", "");
const saved = [], blobs = [];
URL.createObjectURL = (blob) => { blobs.push(blob); return `data:${blob.type},`; };
HTMLAnchorElement.prototype.click = function () { saved.push([this.download, this.href]); };
for (const kind of ["CSV", "SVG", "PNG"]) {
  document.querySelector(`#sample-complexity [data-export=${kind}]`).click();
  await pause(800);
}
said.saved = saved.map(([name, href]) => [name, href.slice(0, 22), href.length]);
said.texts = (await Promise.all(blobs.map((one) => one.text()))).map((one) => one.slice(0, 2000));
const mark = document.querySelector("#learning-curves .mark-symbol.role-mark path");
for (const kind of ["pointerover", "pointermove", "mouseover", "mousemove"])
  mark.dispatchEvent(new PointerEvent(kind, { bubbles: true, clientX: 9, clientY: 9 }));
await pause(100);
said.tip = document.querySelector("#vg-tooltip-element")?.textContent;
const pins = () => [...document.querySelectorAll("#pins tbody tr")].map(
  (row) => [...row.cells].map((cell) => cell.textContent));
mark.dispatchEvent(new MouseEvent("click", { bubbles: true }));
await pause(400);
said.pinned = pins();
said.pin_address = location.hash;
said.faded = [...document.querySelectorAll("#sample-complexity .mark-symbol.role-mark path")]
  .filter((one) => Number(one.getAttribute("opacity")) < 0.5).length;
said.listed_of_one = document.querySelectorAll("#learning-curves tbody tr").length;
// By keyboard alone: the mark farthest to the right.
const press = (key) => chart("sample-complexity").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
for (const key of ["End", "Enter"]) press(key);
said.walked = document.querySelector("#sample-complexity [data-mark]").textContent.match(/curve: (.*); protocol/)[1];
await pause(400);
said.pinned_by_key = pins();
document.querySelector("#pins button").click();
await pause(300);
said.let_go = pins().length;
const list = document.getElementById("pin");
await choose("#pin", [...list.options].map((one) => one.value).find((one) => one.startsWith("CNN, L = 2, v = 4, s₀ = 2")));
said.compared = pins();
said.unnamed = [...document.querySelectorAll("button, select, input")].filter((one) =>
  !(one.labels?.length || one.textContent.trim() || one.getAttribute("aria-label"))).length;
said.charts = [...document.querySelectorAll(".chart")].map((one) => [one.getAttribute("role"), one.tabIndex, one.getAttribute("aria-label")]);
said.wide = document.documentElement.scrollWidth - innerWidth;
said.ground = getComputedStyle(document.body).backgroundColor;
said.requests = performance.getEntriesByType("resource").map((one) => one.name)
  .filter((name) => !name.startsWith("data:"));
} catch (error) { wrong.push(error.stack); }
said.wrong = wrong;
const told = document.createElement("output");
told.id = "said";
told.textContent = JSON.stringify(said);
document.body.append(told);
