import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { errorOf, type SignedRequest, send, signed } from './conformance/raw-request.ts';
import { openTarget } from './conformance/target.ts';

const target = await openTarget();
afterAll(() => target.close());

const store = target.store('one');
const BODY = '{"items":[{"sku":"none-such","stock":1}]}';
const SIGNED_PARTS = [
  'path',
  'body',
  'x-partner-client-id',
  'x-store-client-id',
  'x-store-token',
  'x-timestamp',
  'x-signature',
] as const;

function fresh(): SignedRequest {
  return signed(target, { method: 'PATCH', path: '/partner/stores/inventory', store, body: BODY });
}

/** Replaces one character by another letter or digit. */
function flip(text: string, position: number): string {
  const at = position % text.length;
  const other = text[at] === '7' ? '8' : '7';
  return text.slice(0, at) + other + text.slice(at + 1);
}

function spoil(request: SignedRequest, part: (typeof SIGNED_PARTS)[number], position: number): SignedRequest {
  if (part === 'path') return { ...request, path: `/${flip(request.path.slice(1), position)}` };
  if (part === 'body') return { ...request, body: flip(request.body ?? '', position) };
  return { ...request, headers: { ...request.headers, [part]: flip(request.headers[part] ?? '', position) } };
}

describe('a signed request', () => {
  it('is accepted unchanged', async () => {
    expect(errorOf(await send(target, fresh())).code).toBeUndefined();
  });

  it('is refused with one byte flipped at any place', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...SIGNED_PARTS), fc.nat(10_000), async (part, position) => {
        const { status } = await send(target, spoil(fresh(), part, position));
        expect(status).toBeGreaterThanOrEqual(400);
      }),
      { numRuns: 100 },
    );
  });
});
