-- Lets the service read an Azure SQL database. Run it once, in that database, as its administrator;
-- PLUMBLINE_IDENTITY is what `azd env get-value PLUMBLINE_IDENTITY` says.
CREATE USER [PLUMBLINE_IDENTITY] FROM EXTERNAL PROVIDER;
ALTER ROLE db_datareader ADD MEMBER [PLUMBLINE_IDENTITY];
GRANT VIEW DEFINITION TO [PLUMBLINE_IDENTITY]; -- comments and keys
