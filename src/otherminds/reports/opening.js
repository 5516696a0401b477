// The table of minds, sortable by each of its columns.
const minds = document.getElementById("minds");
makeSortable(minds, (row, i) => row.cells[i].firstChild?.textContent ?? "");
