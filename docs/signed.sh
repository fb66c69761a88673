# signed METHOD TARGET [BODY]: sends one signed request to the Partner Marketplace API and prints the answer.
# TARGET is the path below /api/v1, percent-encoded, with its query string. An empty STORE leaves the store headers out.
BASE_URL=${BASE_URL-http://127.0.0.1:4568}
PARTNER=${PARTNER-sandbox-partner} SECRET=${SECRET-sandbox-partner-secret}
STORE=${STORE-store-1wh} TOKEN=${TOKEN-token-store-1wh}

signed() {
  method=$1 target=$2 body=${3-}
  headers=$(
    printf 'x-partner-client-id:%s\n' "$PARTNER"
    if [ -n "$STORE" ]; then printf 'x-store-client-id:%s\nx-store-token:%s\n' "$STORE" "$TOKEN"; fi
    printf 'x-timestamp:%s' "$(date +%s)000"
  )
  body_hash=$(printf '%s' "$body" | openssl dgst -sha256 -r | cut -d ' ' -f 1)
  signature=$(printf '%s\n%s\n%s\n%s' "$method" "${target%%\?*}" "$headers" "$body_hash" |
    openssl dgst -sha256 -hmac "$SECRET" -r | cut -d ' ' -f 1)
  printf '%s\nx-signature:sha256=%s\ncontent-type:application/json\n' "$headers" "$signature" |
    curl -sS --max-time 10 -w '\n' -X "$method" -H @- ${body:+--data-binary "$body"} "$BASE_URL/api/v1$target"
}
