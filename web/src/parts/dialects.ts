// The service's dialects as CodeMirror and sql-formatter name them.
import { MariaSQL, MSSQL, MySQL, PLSQL, PostgreSQL, type SQLDialect, SQLite, StandardSQL } from "@codemirror/lang-sql";

const DIALECTS: Record<string, SQLDialect> = {
  sqlite: SQLite,
  duckdb: PostgreSQL,
  postgresql: PostgreSQL,
  sqlserver: MSSQL,
  mysql: MySQL,
  mariadb: MariaSQL,
  oracle: PLSQL,
};

export function dialectOf(name: string): SQLDialect {
  return DIALECTS[name] ?? StandardSQL;
}
