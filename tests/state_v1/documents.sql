BEGIN TRANSACTION;
CREATE TABLE documents (number INTEGER PRIMARY KEY, database TEXT, id TEXT, document TEXT, UNIQUE (database, id));
INSERT INTO "documents" VALUES(1,'shop','41e148c304b91e6b16dbf94b540815c9','{"id":"41e148c304b91e6b16dbf94b540815c9","kind":"rule","text":"Revenue leaves out cancelled orders.","table":"orders","column":"","source":"api","sql":""}');
INSERT INTO "documents" VALUES(2,'shop','846ff12b0243598b9264e44a6a21f810','{"id":"846ff12b0243598b9264e44a6a21f810","kind":"rule","text":"A guest is an order without a customer.","table":"","column":"","source":"api","sql":""}');
COMMIT;
PRAGMA user_version = 0;
