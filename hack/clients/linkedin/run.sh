#!/usr/bin/env bash
# Runs LinkedIn's own client against a sandbox: login, uploads, posts, comments, statistics and errors.
# Installs what it needs.
#   LINKEDIN_URL=http://127.0.0.1:8300/linkedin CLIENT_ID=... CLIENT_SECRET=... hack/clients/linkedin/run.sh
# The sandbox must reject duplicates and issue refresh tokens.
set -euo pipefail
cd "$(dirname "$0")"
. ../../node.sh
node_modules . "LinkedIn's client"

node flow.mjs
