#!/bin/sh
# Run once, when the database is made: a role that reads what is there and what will be.
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$POSTGRES_READER_PASSWORD" --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
CREATE ROLE reader LOGIN PASSWORD :'password';
ALTER ROLE reader SET default_transaction_read_only = on;
GRANT USAGE ON SCHEMA public TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO reader;
CREATE TABLE orders (order_id integer PRIMARY KEY, status char(1) NOT NULL, amount numeric(10, 2) NOT NULL);
COMMENT ON COLUMN orders.status IS 'C completed, S shipped, X cancelled';
INSERT INTO orders VALUES (1, 'C', 100.00), (2, 'X', 40.00), (3, 'C', 250.50);
SQL
