// Tables of ten rows and more are sorted by a click on a head, and the other way by a second click.
addEventListener("DOMContentLoaded", () => {
  const number = text => {
    const found = text.replaceAll("−", "-").match(/^[×<>\s]*(-?[\d.]+)/);
    return found ? Number(found[1]) : NaN;
  };
  const order = (one, other) => {
    const [a, b] = [number(one), number(other)];
    return isNaN(a) || isNaN(b) ? one.localeCompare(other) : a - b;
  };
  for (const table of document.querySelectorAll("table")) {
    const body = table.tBodies[0], heads = table.tHead?.rows[0]?.cells;
    if (!body || !heads || body.rows.length < 10) continue;
    [...heads].forEach((head, column) => {
      head.style.cursor = "pointer";
      head.title = "sort";
      let sign = -1;
      head.addEventListener("click", () => {
        sign = -sign;
        const text = row => row.cells[column]?.textContent.trim() ?? "";
        body.append(...[...body.rows].sort((a, b) => sign * order(text(a), text(b))));
      });
    });
  }
});
