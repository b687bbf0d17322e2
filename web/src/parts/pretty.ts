// Formats a query. Loaded with the editor, not with the page.
import {
  clickhouse,
  duckdb,
  formatDialect,
  mariadb,
  mysql,
  plsql,
  postgresql,
  spark,
  sql,
  sqlite,
  transactsql,
} from "sql-formatter";

type Dialect = Parameters<typeof formatDialect>[1]["dialect"];

const DIALECTS: Record<string, Dialect> = {
  sqlite,
  duckdb,
  postgresql,
  sqlserver: transactsql,
  mysql,
  mariadb,
  oracle: plsql,
  clickhouse,
  databricks: spark,
};

/** The formatted query; unchanged if it cannot be parsed. */
export function pretty(text: string, dialect: string): string {
  try {
    return formatDialect(text, { dialect: DIALECTS[dialect] ?? sql, keywordCase: "upper", tabWidth: 2 });
  } catch (error) {
    if (error instanceof Error) return text; // half a query, say: it is being edited
    throw error;
  }
}
