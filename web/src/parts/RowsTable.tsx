// A table that sorts, filters and pages. Only visible rows are drawn.
import {
  columnFilteringFeature,
  createFilteredRowModel,
  createPaginatedRowModel,
  createSortedRowModel,
  globalFilteringFeature,
  type ColumnDef,
  type Row as TableRow,
  rowPaginationFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useId, useMemo, useRef, useState } from "react";
import type { Row } from "../api/types";
import { meanings } from "../state/columns";
import type { Meanings } from "../state/meaning";
import { compare, matches } from "../state/filter";
import { cell, columnFormat, count, plural } from "../state/format";
import { Icon } from "./Icon";

const features = tableFeatures({
  columnFilteringFeature,
  globalFilteringFeature,
  rowSortingFeature,
  rowPaginationFeature,
  filteredRowModel: createFilteredRowModel(),
  sortedRowModel: createSortedRowModel(),
  paginatedRowModel: createPaginatedRowModel(),
});

type Features = typeof features;

const ROW_PX = 33;
const PAGES = [100, 1_000, 10_000];
const LONG = 40; // characters, of which some may be cut off

/** A cell to show, by the row's index in the data. `at` distinguishes two requests. */
export interface Marked {
  row: number;
  column: string | null;
  at: number;
}

interface Props {
  columns: string[];
  rows: Row[];
  label: string;
  /** Which columns are months or years; by name if absent. */
  named?: Meanings;
  marked?: Marked | null;
  /** Shows the records behind a row; then its numbers are buttons. */
  onRow?: (row: number) => void;
}

const ordered = (a: TableRow<Features, Row>, b: TableRow<Features, Row>, id: string): number =>
  compare(a.getValue(id), b.getValue(id));

type Found = (row: TableRow<Features, Row>, id: string, filter: string) => boolean;

function columnsOf(names: string[], numeric: boolean[], found: Found): ColumnDef<Features, Row>[] {
  return names.map((name, at) => ({
    id: `c${at}`,
    header: name,
    accessorFn: (row: Row) => row[name] ?? undefined, // undefined sorts last, whichever way
    filterFn: found,
    sortFn: ordered,
    sortUndefined: "last" as const,
    sortDescFirst: numeric[at] === true,
  }));
}

export function RowsTable({ columns: names, rows, label, named, marked = null, onRow }: Props) {
  const formats = useMemo(() => {
    const known = named ?? meanings(names);
    return names.map((name) => columnFormat(name, rows.map((row) => row[name]), known[name]));
  }, [names, rows, named]);
  const numeric = useMemo(
    () => names.map((name, at) => !formats[at]?.moment && rows.some((row) => typeof row[name] === "number")),
    [names, rows, formats],
  );
  const found = useCallback<Found>(
    (row, id, filter) => matches(row.getValue(id), filter, cell(row.getValue(id), formats[Number(id.slice(1))])),
    [formats],
  );
  const columns = useMemo(() => columnsOf(names, numeric, found), [names, numeric, found]);
  const [filtering, setFiltering] = useState(false);
  const search = useId();
  const table = useTable({
    features,
    columns,
    data: rows,
    globalFilterFn: found,
    getColumnCanGlobalFilter: () => true,
    initialState: { pagination: { pageIndex: 0, pageSize: PAGES[0] as number } },
  });
  const shown = table.getRowModel().rows;
  const left = table.getFilteredRowModel().rows.length;
  const { pageIndex, pageSize } = table.state.pagination;
  const pages = Math.max(1, Math.ceil(left / pageSize));
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    initialRect: { width: 800, height: 420 },
  });

  const hidden = marked !== null && !table.getFilteredRowModel().rows.some((row) => row.index === marked.row);
  const shownMark = useRef(0);
  useEffect(() => {
    if (!marked || shownMark.current === marked.at) return;
    const at = table.getSortedRowModel().rows.findIndex((row) => row.index === marked.row);
    if (at < 0) {
      table.setGlobalFilter("");
      table.setColumnFilters([]);
      return; // it is there once they are gone
    }
    shownMark.current = marked.at;
    table.setPageIndex(Math.floor(at / pageSize));
    requestAnimationFrame(() => {
      virtualizer.scrollToIndex(at % pageSize, { align: "center" });
      scroller.current?.scrollIntoView({ block: "nearest" });
    });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once for each request, not for each change of the table
  }, [marked, hidden]);

  const items = virtualizer.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div className="rows">
      <div className="row spread rows-tools">
        <div className="row">
          <label className="sr-only" htmlFor={search}>
            Search rows
          </label>
          <input
            id={search}
            type="search"
            className="input search"
            placeholder="Search rows"
            value={String(table.state.globalFilter ?? "")}
            onChange={(event) => table.setGlobalFilter(event.target.value)}
          />
          <button
            type="button"
            className="button small quiet"
            aria-expanded={filtering}
            onClick={() => {
              if (filtering) table.setColumnFilters([]);
              setFiltering(!filtering);
            }}
          >
            Filter columns
          </button>
        </div>
        <p className="small soft" role="status">
          {left === rows.length ? plural(rows.length, "row") : `${count(left)} of ${plural(rows.length, "row")}`}
        </p>
      </div>
      <div className="scroller" ref={scroller} tabIndex={0} role="region" aria-label={label}>
        <table aria-rowcount={left + 1} aria-label={label}>
          <thead>
            {table.getHeaderGroups().map((group) => (
              <tr key={group.id}>
                {group.headers.map((header, at) => {
                  const sorted = header.column.getIsSorted();
                  return (
                    <th
                      key={header.id}
                      scope="col"
                      className={numeric[at] ? "number" : undefined}
                      aria-sort={sorted === "asc" ? "ascending" : sorted === "desc" ? "descending" : "none"}
                    >
                      <button type="button" className="sorter" onClick={() => header.column.toggleSorting()}>
                        {String(header.column.columnDef.header)}
                        <span aria-hidden="true" className={`arrow ${sorted || ""}`} />
                      </button>
                      {filtering ? (
                        <input
                          className="input filter"
                          aria-label={`Filter ${String(header.column.columnDef.header)}`}
                          placeholder="text, >10, =C, !X"
                          value={String(header.column.getFilterValue() ?? "")}
                          onChange={(event) => header.column.setFilterValue(event.target.value || undefined)}
                        />
                      ) : null}
                    </th>
                  );
                })}
              </tr>
            ))}
          </thead>
          <tbody>
            {above > 0 ? <tr aria-hidden="true" style={{ height: above }} /> : null}
            {items.map((item) => {
              const row = shown[item.index];
              if (!row) return null;
              const isMarked = marked?.row === row.index;
              return (
                <tr key={row.id} aria-rowindex={pageIndex * pageSize + item.index + 2} className={isMarked ? "marked" : ""}>
                  {row.getAllCells().map((one, at) => {
                    const value = one.getValue();
                    const name = names[at] as string;
                    const hit = isMarked && marked?.column === name;
                    const said = value === undefined ? "" : cell(value, formats[at]);
                    return (
                      <td
                        key={one.id}
                        dir="auto"
                        className={[numeric[at] ? "number" : "", hit ? "hit" : ""].join(" ").trim() || undefined}
                        title={formats[at]?.moment ? String(value ?? "") : said.length > LONG ? said : undefined}
                      >
                        {value === undefined ? (
                          <span className="null">–</span>
                        ) : onRow && typeof value === "number" && !formats[at]?.moment ? (
                          <button
                            type="button"
                            className="figure"
                            title="Show source records"
                            onClick={() => onRow(row.index)}
                          >
                            {said}
                          </button>
                        ) : (
                          said
                        )}
                      </td>
                    );
                  })}
                </tr>
              );
            })}
            {below > 0 ? <tr aria-hidden="true" style={{ height: below }} /> : null}
          </tbody>
        </table>
        {left === 0 ? <p className="empty">{rows.length ? "No rows match these filters." : "No rows."}</p> : null}
      </div>
      {rows.length > (PAGES[0] as number) ? (
        <nav className="row spread pager" aria-label={`Pages of ${label}`}>
          <label className="row small soft">
            Rows per page
            <select
              className="input"
              value={pageSize}
              onChange={(event) => table.setPagination({ pageIndex: 0, pageSize: Number(event.target.value) })}
            >
              {PAGES.map((size) => (
                <option key={size} value={size}>
                  {count(size)}
                </option>
              ))}
            </select>
          </label>
          <div className="row">
            <button
              type="button"
              className="button small"
              disabled={pageIndex === 0}
              onClick={() => table.setPageIndex(pageIndex - 1)}
            >
              Previous
            </button>
            <span className="small" role="status">
              Page {count(pageIndex + 1)} of {count(pages)}
            </span>
            <button
              type="button"
              className="button small"
              disabled={pageIndex + 1 >= pages}
              onClick={() => table.setPageIndex(pageIndex + 1)}
            >
              Next <Icon name="chevron" />
            </button>
          </div>
        </nav>
      ) : null}
    </div>
  );
}
