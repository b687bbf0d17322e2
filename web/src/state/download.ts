// Saves files: rows from the service, and charts.
import { ProblemError, request } from "../api/client";

export const FORMATS = [
  { name: "CSV", accept: "text/csv", suffix: "csv" },
  { name: "Excel", accept: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", suffix: "xlsx" },
  { name: "Parquet", accept: "application/vnd.apache.parquet", suffix: "parquet" },
] as const;

export type Format = (typeof FORMATS)[number];

export const MOST_ROWS = 10_000;
const TOO_MANY_ROWS = ":too-many-rows";

/** Save the rows of a query. It runs again, under the same guard and limits. Raises ProblemError. */
export async function saveRows(format: Format, database: string, sql: string, name: string): Promise<void> {
  const body = { database, sql, row_limit: MOST_ROWS };
  const asked = { method: "POST", accept: format.accept } as const;
  const response = await request("execute", { ...asked, body }).catch((error: unknown) => {
    if (!(error instanceof ProblemError) || !error.problem.type.endsWith(TOO_MANY_ROWS)) throw error;
    return request("execute", { ...asked, body: { database, sql } }); // as many as this database gives at once
  });
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
