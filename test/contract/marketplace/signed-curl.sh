#!/bin/sh
# Signs one store-scoped request as §5 of the Partner Marketplace API says, with openssl, and sends it with curl.
# Prints the answer's body, a line feed and its HTTP status.
#
# usage: BASE_URL=… PARTNER=… SECRET=… STORE=… TOKEN=… signed-curl.sh METHOD PATH [BODY]
# PATH is the endpoint's path below /api/v1, percent-encoded, query string included.
set -eu

method=$1
target=$2
body=${3-}
timestamp=$(date +%s)000

body_hash=$(printf '%s' "$body" | openssl dgst -sha256 -hex | sed 's/.*= *//')
canonical=$(printf '%s\n' \
  "$method" \
  "${target%%\?*}" \
  "x-partner-client-id:$PARTNER" \
  "x-store-client-id:$STORE" \
  "x-store-token:$TOKEN" \
  "x-timestamp:$timestamp" \
  "$body_hash")
signature=$(printf '%s' "$canonical" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/.*= *//')

set -- --silent --show-error --max-time 10 --write-out '\n%{http_code}' \
  --request "$method" \
  --header "x-partner-client-id: $PARTNER" \
  --header "x-store-client-id: $STORE" \
  --header "x-store-token: $TOKEN" \
  --header "x-timestamp: $timestamp" \
  --header "x-signature: sha256=$signature"
if [ -n "$body" ]; then
  set -- "$@" --header 'content-type: application/json' --data-binary "$body"
fi
curl "$@" "$BASE_URL/api/v1$target"
