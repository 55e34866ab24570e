-- A role and its database, once: sudo -u postgres psql --file=docs/hosting/cluster/database.sql
CREATE ROLE referee LOGIN PASSWORD 'password';
CREATE DATABASE referee OWNER referee;
