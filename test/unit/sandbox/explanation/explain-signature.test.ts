import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import { explainSignature } from '../../../../sandbox/explanation/explain-signature.ts';

const SECRET = 'sandbox-partner-secret';
const TIMESTAMP = '1767225600500';
const HEADERS = {
  'x-partner-client-id': 'sandbox-partner',
  'x-store-client-id': 'store-1wh',
  'x-store-token': 'token-store-1wh',
  'x-timestamp': TIMESTAMP,
};
const PARTNER = 'x-partner-client-id:sandbox-partner';
const STORE = 'x-store-client-id:store-1wh';
const TOKEN = 'x-store-token:token-store-1wh';
const TIME = `x-timestamp:${TIMESTAMP}`;
const PATH = '/partner/stores/products/sku/Kopi%20Susu';
const SENT = '{"items":[{"sku":"Ä/1","stock":4}],"dry":false}';

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest();
const hashOf = (text: string | Buffer) => sha256(text).toString('hex');
const hmac = (base: string, key = SECRET) => createHmac('sha256', key).update(base).digest();

/** The lines of a base string, written by hand, with one of them wrong. */
function lines(wrong: { method?: string; path?: string; headers?: string[]; hash?: string } = {}): string[] {
  const {
    method = 'PATCH',
    path = PATH,
    headers = [PARTNER, STORE, TOKEN, TIME],
    hash = hashOf(SENT),
  } = wrong;
  return [method, path, ...headers, hash];
}
const base = (wrong?: Parameters<typeof lines>[0]) => lines(wrong).join('\n');
const signed = (baseString: string, key?: string) => `sha256=${hmac(baseString, key).toString('hex')}`;
const body = (text: string) => base({ hash: hashOf(text) });

function explain(
  signature: string | undefined,
  { sent = SENT, headers = HEADERS as Record<string, string> } = {},
) {
  return explainSignature({
    request: {
      method: 'PATCH',
      path: `/api/v1${PATH}?isVariantActive=true`,
      headers,
      body: Buffer.from(sent),
    },
    signature,
    secretKey: SECRET,
    otherSecretKeys: ['other-partner-secret'],
  });
}

test('a right signature has no explanation', () => {
  expect(explain(signed(base()))).toBeUndefined();
});

test('a right signature of a request without body and store has no explanation', () => {
  const headers = { 'x-partner-client-id': 'sandbox-partner', 'x-timestamp': TIMESTAMP };
  const right = signed(base({ headers: [PARTNER, TIME], hash: hashOf('') }));
  expect(explain(right, { sent: '', headers })).toBeUndefined();
});

describe('a mistake in the path or the method', () => {
  test.each<[string, string, RegExp]>([
    ['an uppercase path', base({ path: PATH.toUpperCase() }), /path was signed in uppercase/],
    ['a lowercase path', base({ path: PATH.toLowerCase() }), /path was signed in lowercase/],
    ['a path with the /api/v1 prefix', base({ path: `/api/v1${PATH}` }), /with the \/api\/v1 prefix/],
    ['a path without /partner', base({ path: PATH.slice('/partner'.length) }), /without \/partner/],
    ['a path without its first slash', base({ path: PATH.slice(1) }), /without its first slash/],
    ['a path with a slash at its end', base({ path: `${PATH}/` }), /slash at its end/],
    ['a path with its query', base({ path: `${PATH}?isVariantActive=true` }), /with its query string/],
    ['a decoded path', base({ path: decodeURIComponent(PATH) }), /signed decoded/],
    ['a path encoded twice', base({ path: PATH.replace('%', '%25') }), /encoded twice/],
    ['a lowercase method', base({ method: 'patch' }), /method was signed in lowercase/],
    ['another method', base({ method: 'POST' }), /signed as POST and sent as PATCH/],
  ])('is named: %s', expectNamed);
});

describe('a mistake in the header lines', () => {
  const without = (line: string) =>
    base({ headers: [PARTNER, STORE, TOKEN, TIME].filter((other) => other !== line) });
  const each = (change: (line: string) => string) =>
    base({ headers: [PARTNER, STORE, TOKEN, TIME].map(change) });
  const capitalised = (line: string) =>
    line.replace(/^[^:]+/, (name) => name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()));
  test.each<[string, string, RegExp]>([
    ['unsorted headers', base({ headers: [TIME, PARTNER, STORE, TOKEN] }), /not sorted by name/],
    ['headers in reverse order', base({ headers: [TIME, TOKEN, STORE, PARTNER] }), /not sorted by name/],
    ['": " between name and value', each((line) => line.replace(':', ': ')), /": " between name and value/],
    ['"=" between name and value', each((line) => line.replace(':', '=')), /"=" between name and value/],
    ['capitalised names', each(capitalised), /must be lowercase/],
    [
      'uppercase names',
      each((line) => line.replace(/^[^:]+/, (name) => name.toUpperCase())),
      /names were signed in uppercase/,
    ],
    ['values without names', each((line) => line.replace(/^[^:]+:/, '')), /without their names/],
    ['no store headers', base({ headers: [PARTNER, TIME] }), /store headers were left out/],
    ['no timestamp', without(TIME), /x-timestamp was left out/],
    ['no store token', without(TOKEN), /x-store-token was left out/],
    ['no store', without(STORE), /x-store-client-id was left out/],
    ['no partner', without(PARTNER), /x-partner-client-id was left out/],
    [
      'a timestamp in seconds',
      base({ headers: [PARTNER, STORE, TOKEN, 'x-timestamp:1767225600'] }),
      /in seconds; it must be in milliseconds/,
    ],
    [
      'a timestamp in rounded seconds',
      base({ headers: [PARTNER, STORE, TOKEN, 'x-timestamp:1767225601'] }),
      /in seconds; it must be in milliseconds/,
    ],
    [
      'a content-type line',
      base({ headers: ['content-type:application/json', PARTNER, STORE, TOKEN, TIME] }),
      /content-type line/,
    ],
  ])('is named: %s', expectNamed);
});

describe('a mistake in the line ends', () => {
  const all = lines();
  test.each<[string, string, RegExp]>([
    ['CRLF', all.join('\r\n'), /CRLF/],
    ['carriage returns', all.join('\r'), /a carriage return/],
    ['literal \\n', all.join('\\n'), /two characters \\n/],
    ['no line feeds', all.join(''), /without line feeds/],
    ['spaces', all.join(' '), /with spaces/],
    ['a line feed at the end', `${all.join('\n')}\n`, /ended in a line feed/],
    ['a line feed at the start', `\n${all.join('\n')}`, /began with a line feed/],
    ['no body hash', all.slice(0, -1).join('\n'), /body hash was left out; /],
    [
      'an empty line instead of the body hash',
      [...all.slice(0, -1), ''].join('\n'),
      /body hash was left out, but not/,
    ],
    ...all.slice(1).flatMap((_, index): [string, string, RegExp][] => [
      [
        `no line feed after line ${index + 1}`,
        all.slice(0, index + 1).join('\n') + all.slice(index + 1).join('\n'),
        /^The line feed between .+ and .+ is missing\.$/,
      ],
      [
        `an extra line feed after line ${index + 1}`,
        [...all.slice(0, index + 1), '', ...all.slice(index + 1)].join('\n'),
        /^There is an extra line feed between .+ and .+\.$/,
      ],
    ]),
  ])('is named: %s', expectNamed);

  it('says between which lines', () => {
    const missing = [all[0], `${all[1]}${all[2]}`, ...all.slice(3)].join('\n');
    expect(explain(signed(missing))?.sentence).toBe(
      'The line feed between the path and x-partner-client-id is missing.',
    );
  });
});

describe('a mistake in the body hash', () => {
  const value = JSON.parse(SENT);
  test.each<[string, string, RegExp]>([
    ['a pretty-printed body', body(JSON.stringify(value, null, 2)), /pretty-printed \(2 spaces\)/],
    ['a body indented by 4', body(JSON.stringify(value, null, 4)), /pretty-printed \(4 spaces\)/],
    ['a body indented by tabs', body(JSON.stringify(value, null, '\t')), /pretty-printed \(tabs\)/],
    [
      'a body with spaces',
      body('{"items": [{"sku": "Ä/1", "stock": 4}], "dry": false}'),
      /a space after each comma and colon/,
    ],
    [
      'a body as Python writes it',
      body('{"items": [{"sku": "\\u00c4/1", "stock": 4}], "dry": false}'),
      /non-ASCII characters escaped/,
    ],
    ['a body as PHP writes it', body('{"items":[{"sku":"Ä\\/1","stock":4}],"dry":false}'), /slashes escaped/],
    ['a body with sorted keys', body('{"dry":false,"items":[{"sku":"Ä/1","stock":4}]}'), /sorted keys/],
    [
      'a body with other keys first',
      body('{"dry":false,"items":[{"stock":4,"sku":"Ä/1"}]}'),
      /keys in another order/,
    ],
    ['a body encoded twice', body(JSON.stringify(SENT)), /encoded twice/],
    ['a body with a line feed', body(`${SENT}\n`), /line feed at its end/],
    ['a body in Latin-1', base({ hash: hashOf(Buffer.from(SENT, 'latin1')) }), /Latin-1/],
    ['no body', body(''), /of an empty body/],
    ['an uppercase hash', base({ hash: hashOf(SENT).toUpperCase() }), /body hash is in uppercase/],
    ['a base64 hash', base({ hash: sha256(SENT).toString('base64') }), /body hash is in base64/],
    ['a hash of the hash', body(hashOf(SENT)), /hashed twice/],
    ['the body itself', base({ hash: SENT }), /instead of its hash/],
  ])('is named: %s', expectNamed);

  it('names a compact body that was hashed where one with spaces was sent', () => {
    expect(explain(signed(body(SENT)), { sent: JSON.stringify(value, null, 2) })?.sentence).toMatch(
      /hashed compact/,
    );
  });

  test.each([
    ['compact', '[{"stock":4,"sku":"A","price":2},{"stock":5,"sku":"B","price":3}]'],
    ['with spaces', '[{"stock": 4, "sku": "A", "price": 2}, {"stock": 5, "sku": "B", "price": 3}]'],
    [
      'pretty-printed with CRLF',
      '[|  {|    "stock": 4,|    "sku": "A",|    "price": 2|  },|  {|    "stock": 5,|    "sku": "B",|    "price": 3|  }|]'.replaceAll(
        '|',
        '\r\n',
      ),
    ],
  ])('names another order of keys in a body that was hashed %s', (_, hashed) => {
    const sent = '[{"sku":"A","price":2,"stock":4},{"sku":"B","price":3,"stock":5}]';
    expect(explain(signed(body(hashed)), { sent })?.sentence).toMatch(/with its keys in another order/);
  });

  it('names reversed keys of an object with more keys than can be tried in all orders', () => {
    const entries = [...'abcdefghijklmnopqrst'].map((key) => [key, 1] as const);
    const [sent, hashed] = [entries, entries.toReversed()].map((each) =>
      JSON.stringify({ products: [Object.fromEntries(each)] }),
    );
    expect(explain(signed(body(hashed ?? '')), { sent: sent ?? '' })?.sentence).toMatch(
      /with its keys in another order/,
    );
  });

  it('does not try a body above 64 KiB in place of its hash, which would take seconds', () => {
    const long = (size: number) => `"${'x'.repeat(size)}"`;
    const sentenceFor = (sent: string) => explain(signed(base({ hash: sent })), { sent })?.sentence;
    expect(sentenceFor(long(60_000))).toMatch(/instead of its hash/);
    expect(sentenceFor(long(70_000))).toMatch(/^No known mistake/);
  });

  test.each(['{}', 'null', '""', '[]', 'undefined', '\n'])(
    'names a hash of %j where no body was sent',
    (text) => {
      expect(explain(signed(body(text)), { sent: '' })?.sentence).toMatch(/the hash of the empty string/);
    },
  );
});

describe('a mistake in the secret key', () => {
  test.each<[string, string, RegExp]>([
    ["another partner's", 'other-partner-secret', /another partner's secret key/],
    ['the client ID', 'sandbox-partner', /client ID/],
    ['the store token', 'token-store-1wh', /store token/],
    ['an empty one', '', /empty/],
    ['one with a line feed', `${SECRET}\n`, /line feed follows/],
    ['one with CRLF', `${SECRET}\r\n`, /carriage return and a line feed/],
    ['one with a space', `${SECRET} `, /space follows/],
    ['one in quotes', `"${SECRET}"`, /in quotes/],
    ['one in uppercase', SECRET.toUpperCase(), /uppercase/],
    ['one encoded as base64', Buffer.from(SECRET).toString('base64'), /encoded as base64/],
  ])('is named: %s', (_, key, sentence) => {
    const explanation = explain(signed(base(), key));
    expect(explanation?.sentence).toMatch(sentence);
    expect(explanation?.sentence).toMatch(/^Wrong secret key/);
    expect(explanation?.signed).toBe(explanation?.expected);
  });

  test.each<[string, Buffer, RegExp]>([
    [
      'decoded from base64',
      createHmac('sha256', Buffer.from(SECRET, 'base64')).update(base()).digest(),
      /decoded from base64/,
    ],
    ['hashed', createHmac('sha256', sha256(SECRET)).update(base()).digest(), /hashed with SHA-256/],
    ['swapped with the message', hmac(SECRET, base()), /swapped/],
    ['absent', sha256(base()), /SHA-256 without a key/],
    [
      'before the base string, hashed with it',
      sha256(SECRET + base()),
      /of the secret key and the base string/,
    ],
    [
      'after the base string, hashed with it',
      sha256(base() + SECRET),
      /of the base string and the secret key/,
    ],
  ])('is named: %s', (_, digest, sentence) => {
    expect(explain(`sha256=${digest.toString('hex')}`)?.sentence).toMatch(sentence);
  });
});

describe('a mistake in the form of the signature', () => {
  const digest = hmac(base());
  test.each<[string, string | undefined, RegExp]>([
    ['none', undefined, /^The x-signature header is missing/],
    ['no prefix', digest.toString('hex'), /lacks the prefix sha256=/],
    ['an uppercase prefix', `SHA256=${digest.toString('hex')}`, /lacks the prefix sha256=/],
    ['uppercase hex', `sha256=${digest.toString('hex').toUpperCase()}`, /uppercase hex/],
    ['base64', `sha256=${digest.toString('base64')}`, /in base64; it must be lowercase hex/],
    ['base64 without prefix', digest.toString('base64'), /in base64.+lacks the prefix/],
    ['base64url', `sha256=${digest.toString('base64url')}`, /in base64/],
    [
      'base64 of the hex',
      `sha256=${Buffer.from(digest.toString('hex')).toString('base64')}`,
      /base64 of its hex/,
    ],
    ['no SHA-256', 'sha256=abc', /not a SHA-256 signature/],
  ])('is named: %s', (_, signature, sentence) => {
    expect(explain(signature)?.sentence).toMatch(sentence);
  });
});

describe('two mistakes at once', () => {
  test.each<[string, string, RegExp[]]>([
    [
      'CRLF and a query',
      signed(lines({ path: `${PATH}?isVariantActive=true` }).join('\r\n')),
      [/query/, /CRLF/],
    ],
    [
      'unsorted headers and a prefix',
      signed(base({ path: `/api/v1${PATH}`, headers: [TIME, PARTNER, STORE, TOKEN] })),
      [/prefix/, /sorted/],
    ],
    [
      'a wrong secret key and a line feed at the end',
      signed(`${base()}\n`, 'other-partner-secret'),
      [/secret key/, /line feed/],
    ],
    [
      'an uppercase path in base64',
      `sha256=${hmac(base({ path: PATH.toUpperCase() })).toString('base64')}`,
      [/uppercase/, /base64/],
    ],
  ])('are both named: %s', (_, signature, sentences) => {
    for (const sentence of sentences) expect(explain(signature)?.sentence).toMatch(sentence);
  });
});

describe('an unknown mistake', () => {
  test.each([
    ['an unknown secret key', signed(base(), 'nothing that is known')],
    ['a base string of another kind', signed('PATCH;inventory')],
    ['another body', signed(body('{"items":[]}'))],
  ])('is called unknown: %s', (_, signature) => {
    expect(explain(signature)).toMatchObject({
      sentence: expect.stringMatching(
        /^No known mistake gives this signature: either the secret key is wrong, or/,
      ),
      signed: null,
    });
  });

  it('is called unknown where the body is no JSON or too deep to be written again', () => {
    for (const sent of ['not JSON', '['.repeat(30_000) + ']'.repeat(30_000)]) {
      expect(explain(signed(base(), 'nothing that is known'), { sent })?.signed).toBeNull();
    }
  });
});

test('an explanation shows no store token, whatever the client did with it', () => {
  const wrong = [lines().join(''), lines().join('\\n'), base({ headers: [PARTNER, TOKEN, STORE, TIME] })];
  for (const text of wrong) {
    const explanation = explain(signed(text));
    expect(explanation?.signed).toContain('••••');
    expect(JSON.stringify(explanation)).not.toContain('token-store-1wh');
  }
});

function expectNamed(_: string, baseString: string, sentence: RegExp): void {
  const explanation = explain(signed(baseString));
  expect(explanation?.sentence).toMatch(sentence);
  expect(explanation?.signed).toBe(baseString.replaceAll('token-store-1wh', '••••'));
  expect(explanation?.expected).toBe(base().replaceAll('token-store-1wh', '••••'));
}
