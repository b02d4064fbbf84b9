// Plays with the page and writes down what it shows (test_play.py).
const at = (id) => document.getElementById(id), text = (id) => at(id).textContent;
const set = (name, value) => { const one = at("grammar").elements[name]; one.value = value;
  one.dispatchEvent(new Event("input", { bubbles: true })); };
const tree = () => at("tree").getAttribute("aria-label");
await until(() => document.body.dataset.ready);
said.first = { tree: tree(), chart: at("chart").getAttribute("aria-label"),
  lines: document.querySelectorAll("#chart .archive").length };
said.changes = [];
for (const node of [0, 1, 2]) for (const id of ["exchange", "displace"]) {
  document.querySelector(`#nodes [value="${node}"]`).click();
  const before = tree();
  at(id).click();
  said.changes.push([id, tree() !== before, text("says")]);
}
said.spoilt = [];
for (let i = 0; i < 20; i++) { at("spoil").click(); said.spoilt.push(text("says")); }
set("m", 2);
for (let i = 0; i < 20; i++) { at("spoil").click(); said.spoilt.push(text("says")); }
set("s0", 0);
said.still = ["exchange", "displace", "train"].map((id) => at(id).disabled);
set("L", 1);
said.few = [at("train").disabled, text("progress")];
set("L", 2); set("v", 3); set("m", 3); set("s0", 1);
said.tree = tree();
at("train").focus();
at("train").click();
said.focus = document.activeElement.id;
await until(() => at("chart").dataset.done);
said.again = document.activeElement.id;
said.points = [...at("points").rows].map((row) => [...row.cells].map((cell) => cell.textContent));
said.marks = document.querySelectorAll("#chart .point").length;
said.star = text("star");
said.answers = [...at("answers").children].map((one) => one.className);
at("next").click();
at("stop").click();
said.stopped = [text("progress"), at("stop").hidden, at("train").disabled];
const controls = "button, input, summary", others = "[role=img], [role=region]";
const shown = [...document.querySelectorAll(`${controls}, ${others}`)].filter((one) => one.getClientRects().length);
const named = (one) => one.ariaLabel || one.textContent.trim() || one.labels?.[0]?.textContent.trim();
said.unnamed = shown.filter((one) => !named(one)).map((one) => one.outerHTML);
said.beyond_keys = shown.filter((one) => one.matches(controls) && one.tabIndex < 0).length;
