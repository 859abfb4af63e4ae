-- Run once, by the Postgres of compose.yaml, when its volume is new: the database, its owner, who runs the migrations,
-- and the role of the service, which may connect and is granted all else by the migrations.
\getenv owner_password CROUPIER_OWNER_PASSWORD
\getenv service_password CROUPIER_PASSWORD

CREATE ROLE croupier_owner LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'owner_password';
CREATE ROLE croupier LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'service_password';

CREATE DATABASE croupier OWNER croupier_owner TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C';
REVOKE ALL ON DATABASE croupier FROM PUBLIC;
GRANT CONNECT ON DATABASE croupier TO croupier;
