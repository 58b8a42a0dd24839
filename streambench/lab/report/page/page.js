// A click on a column's heading sorts its table; a second one turns the order round. Blank cells stay last.
const key = (row, place) => {
  const cell = row.cells[place];
  return cell.dataset.sort === undefined ? cell.textContent.trim() : Number(cell.dataset.sort);
};
const compare = (a, b) =>
  typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });

for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const heading = button.parentElement;
    const body = heading.closest("table").tBodies[0];
    const up = heading.getAttribute("aria-sort") !== "ascending";
    const rows = [...body.rows].sort((one, other) => {
      const [a, b] = [key(one, heading.cellIndex), key(other, heading.cellIndex)];
      if (a === "" || b === "") return (a === "") - (b === "");
      return up ? compare(a, b) : compare(b, a);
    });
    for (const each of heading.parentElement.cells) each.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    body.append(...rows);
  });
}
