#!/bin/bash
# Run once by the image of PostgreSQL, on an empty volume.
set -eu
psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname=postgres \
  --set=owner="$(cat /run/secrets/owner)" --set=server="$(cat /run/secrets/server)" <<'SQL'
CREATE ROLE barewitness_owner LOGIN PASSWORD :'owner';
CREATE ROLE barewitness_server LOGIN PASSWORD :'server';
CREATE DATABASE team OWNER barewitness_owner ENCODING 'UTF8' TEMPLATE template0;
SQL
