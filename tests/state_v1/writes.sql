BEGIN TRANSACTION;
CREATE TABLE writes (token TEXT PRIMARY KEY, plan TEXT, expires_at REAL, used INT);
INSERT INTO "writes" VALUES('03248ed1b655bcf4cb8111604ebb102d4494d840716e7ddcba1043909b1081b9','{"database":"shop","principal":"ann@example.org","sql":"DELETE FROM orders","rows":1,"seen":"d1"}',4000000600.0,0);
COMMIT;
PRAGMA user_version = 0;
