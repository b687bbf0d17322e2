BEGIN TRANSACTION;
CREATE TABLE verified (database TEXT, question TEXT, sql TEXT, tables TEXT, fingerprint TEXT, used_at REAL, PRIMARY KEY (database, question));
INSERT INTO "verified" VALUES('shop','8de4600df1613aebf5b26a0e84ecd0df14ffde66c417d134047e8cbd7505eec1','SELECT SUM(amount) FROM orders','["orders"]','f1',4000000000.0);
INSERT INTO "verified" VALUES('shop','2f8a079412c6f282b46f1a3831a9268f6dce6be56728a966f186c9b7259bf652','SELECT SUM(amount) FROM orders','["orders"]','f1',4000000000.0);
COMMIT;
PRAGMA user_version = 0;
