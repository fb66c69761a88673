/** A signed call for sh with openssl and curl. */
export function curlExample(url: string): string {
  return `TIMESTAMP=$(($(date +%s) * 1000))
BODYHASH=$(printf '' | openssl dgst -sha256 -r | cut -d' ' -f1)
SIGNATURE=$(printf 'GET\\n/partner/stores/warehouses\\nx-partner-client-id:sandbox-partner\\nx-store-client-id:store-1wh\\nx-store-token:token-store-1wh\\nx-timestamp:%s\\n%s' "$TIMESTAMP" "$BODYHASH" | openssl dgst -sha256 -hmac sandbox-partner-secret -r | cut -d' ' -f1)
curl -sS '${url}/api/v1/partner/stores/warehouses' \\
  -H 'x-partner-client-id: sandbox-partner' -H 'x-store-client-id: store-1wh' -H 'x-store-token: token-store-1wh' \\
  -H "x-timestamp: $TIMESTAMP" -H "x-signature: sha256=$SIGNATURE"`;
}
