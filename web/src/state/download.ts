// Files that the browser saves: rows as the service writes them, charts as they are drawn.
import { request } from "../api/client";

export const FORMATS = [
  { name: "CSV", accept: "text/csv", suffix: "csv" },
  { name: "Parquet", accept: "application/vnd.apache.parquet", suffix: "parquet" },
] as const;

export type Format = (typeof FORMATS)[number];

export const MOST_ROWS = 10_000;

/** Save the rows of a query, which runs again for that; guarded and capped like every other one. Raises ProblemError. */
export async function saveRows(format: Format, database: string, sql: string, name: string): Promise<void> {
  const body = { database, sql, row_limit: MOST_ROWS };
  const response = await request("execute", { method: "POST", body, accept: format.accept });
  save(await response.blob(), `${fileName(name)}.${format.suffix}`);
}

export function save(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000); // the browser has begun to save it by then
}

export function fileName(title: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.join("-").slice(0, 60).replace(/-$/, "") || "rows";
}
