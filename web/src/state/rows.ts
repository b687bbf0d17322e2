// Rows as objects.
import type { Row } from "../api/types";

/** Rows that came as arrays, by their columns' names, each of which there is once. */
export function rowsOf(found: { columns: string[]; rows: unknown[][] }): Row[] {
  return found.rows.map((row) => Object.fromEntries(found.columns.map((column, at) => [column, row[at]])));
}
