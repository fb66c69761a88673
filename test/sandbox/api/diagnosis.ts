import { baseString, bodyHash, type SignedRequest, signatureOf } from '../signing.ts';

const NO_BODY = new Uint8Array();

/** The common mistakes of spec §5 (and a few of their kin), each as the signature that it would give. */
const MISTAKES: { hint: string; base(request: SignedRequest): string }[] = [
  {
    hint: 'The path was signed with its query string.',
    base: (request) => withPath(request, stripPrefix(request.path)),
  },
  {
    hint: 'The path was signed with the /api/v1 prefix.',
    base: (request) => withPath(request, request.path.split('?')[0] ?? ''),
  },
  {
    hint: 'The path was signed decoded; sign it as it is sent, percent-encoding included.',
    base: (request) => withPath(request, decoded(request.path)),
  },
  {
    hint: 'The store headers were left out of the signature.',
    base: ({ headers, ...request }) => {
      const { 'x-store-client-id': _id, 'x-store-token': _token, ...partnerHeaders } = headers;
      return baseString({ ...request, headers: partnerHeaders });
    },
  },
  {
    hint: 'The body hash was left empty or made of no body, while a body was sent.',
    base: (request) => baseString({ ...request, body: NO_BODY }),
  },
  {
    hint: 'A pretty-printed body was hashed and a compact one sent.',
    base: (request) => withJson(request, (value) => JSON.stringify(value, null, 2)),
  },
  {
    hint: 'A compact body was hashed and one with whitespace sent.',
    base: (request) => withJson(request, (value) => JSON.stringify(value)),
  },
  { hint: 'The base string ended in a line feed.', base: (request) => `${baseString(request)}\n` },
];

/** What most likely went wrong with a signature, for `error.details.hint`. */
export function diagnose(secretKey: string, request: SignedRequest, signature: string | undefined): string {
  if (signature === undefined) return 'The x-signature header is missing.';
  const hex = signature.replace(/^sha256=/i, '').toLowerCase();
  const isOf = (base: string) => signatureOf(secretKey, base) === `sha256=${hex}`;
  if (isOf(baseString(request))) return 'x-signature must be sha256= and lowercase hex.';
  const mistake = MISTAKES.find(({ base }) => isOf(base(request)));
  return mistake?.hint ?? 'Compare your base string with the one at GET /sandbox, and check the secret key.';
}

function withPath(request: SignedRequest, path: string): string {
  const [method = '', , ...rest] = baseString(request).split('\n');
  return [method, path, ...rest].join('\n');
}

function stripPrefix(path: string): string {
  return path.replace(/^\/api\/v1/, '');
}

function decoded(path: string): string {
  const bare = stripPrefix(path).split('?')[0] ?? '';
  try {
    return decodeURIComponent(bare);
  } catch {
    return bare;
  }
}

function withJson(request: SignedRequest, print: (value: unknown) => string): string {
  try {
    const body = Buffer.from(print(JSON.parse(Buffer.from(request.body).toString())));
    return baseString({ ...request, body });
  } catch {
    return bodyHash(request.body);
  }
}
