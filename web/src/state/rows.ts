// Rows as objects.
import type { Row, Table } from "../api/types";

/** Rows that came as arrays, by their columns' names, each of which there is once. */
export function rowsOf(found: { columns: string[]; rows: unknown[][] }): Row[] {
  return found.rows.map((row) => Object.fromEntries(found.columns.map((column, at) => [column, row[at]])));
}

/** Whether it is known of every table that it has no rows. */
export function hasNoRows(tables: Table[]): boolean {
  return tables.length > 0 && tables.every((table) => table.row_count === 0);
}
