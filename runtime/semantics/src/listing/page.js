(() => {
  "use strict";
  const body = document.getElementById("entries");
  if (!body) return;
  const rows = Array.from(body.rows, (row, place) => ({
    row,
    group: row.className === "d" ? 0 : 1,
    name: place,
    size: Number(row.querySelector("data")?.value ?? -1),
    date: row.querySelector("time")?.dateTime ?? "",
  }));
  const heads = Array.from(document.querySelectorAll("th[data-key]"));
  const sort = (head) => {
    const key = head.dataset.key;
    const first = key === "name" ? "ascending" : "descending";
    const other = key === "name" ? "descending" : "ascending";
    const wanted = head.ariaSort === first ? other : first;
    const sign = wanted === "ascending" ? 1 : -1;
    rows.sort((a, b) => a.group - b.group || sign * ((a[key] > b[key]) - (a[key] < b[key])) || a.name - b.name);
    for (const each of heads) each.removeAttribute("aria-sort");
    head.ariaSort = wanted;
    const sorted = document.createDocumentFragment();
    for (const { row } of rows) sorted.append(row);
    body.append(sorted);
  };
  for (const head of heads) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(head));
    head.append(button);
  }
})();
