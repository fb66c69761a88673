import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/** Bytes of JSON from which on an item is packed: an item of DynamoDB holds 400 KB. */
const PACK_FROM_BYTES = 200_000;
/** Lists that say the same of many rows shrink tenfold even so; a better quality takes far longer. */
const OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** The item as it is to be written: where it is too large for plain attributes, those of `names` are compressed in one. */
export function packed(
  item: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  if (Buffer.byteLength(JSON.stringify(item)) < PACK_FROM_BYTES) return { ...item };
  const isPacked = ([name]: [string, unknown]) => names.includes(name);
  const entries = Object.entries(item);
  const plain = Object.fromEntries(entries.filter((entry) => !isPacked(entry)));
  const large = JSON.stringify(Object.fromEntries(entries.filter(isPacked)));
  return { ...plain, packed: brotliCompressSync(large, OPTIONS) };
}

/** The item as it was before `packed`. */
export function unpacked(item: Record<string, unknown>): Record<string, unknown> {
  const { packed: bytes, ...plain } = item;
  if (!(bytes instanceof Uint8Array)) return item;
  return { ...plain, ...JSON.parse(brotliDecompressSync(bytes).toString()) };
}
