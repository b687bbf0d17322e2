-- Lets the service read an Azure Database for PostgreSQL. Run it once as its administrator: the first statement in the
-- database postgres, the others in the database itself. PLUMBLINE_IDENTITY is what `azd env get-value` says of it.
SELECT * FROM pgaadauth_create_principal('PLUMBLINE_IDENTITY', false, false);
ALTER ROLE "PLUMBLINE_IDENTITY" SET default_transaction_read_only = on;
GRANT CONNECT ON DATABASE plumbline TO "PLUMBLINE_IDENTITY";
GRANT USAGE ON SCHEMA public TO "PLUMBLINE_IDENTITY";
GRANT SELECT ON ALL TABLES IN SCHEMA public TO "PLUMBLINE_IDENTITY";
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO "PLUMBLINE_IDENTITY";
