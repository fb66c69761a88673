import { createHash } from 'node:crypto';
import { bodyHash, type SignedRequest } from '../signing.ts';
import type { Mistake } from './base-parts.ts';
import { keyOrders, type Serialisation, serialisations } from './serialisations.ts';

/** A larger body is not tried in other serialisations, nor unhashed: that would take seconds. */
const MAX_BYTES = 64 * 1024;

const HASH_THE_SENT_BYTES = 'hash the bytes that are sent';

/** Mistakes in the last line: the hashed text, and the form of the hash. */
export function bodyMistakes({ body }: SignedRequest): Mistake[] {
  const hashMistakes = [
    changed('The body hash is in uppercase hex; it must be lowercase.', (value) => value.toUpperCase()),
    hash('The body hash is in base64; it must be lowercase hex.', sha256(body).toString('base64')),
    hash('The body was hashed twice.', bodyHash(Buffer.from(bodyHash(body)))),
    ...(body.length > MAX_BYTES
      ? []
      : [hash('The body itself was signed instead of its hash.', textOf(body))]),
  ];
  if (body.length === 0) return [...hashMistakes, ...emptyBodyMistakes()];
  return [
    hash('The hash of an empty body was signed, but a body was sent.', bodyHash(new Uint8Array())),
    hashOf(`The body was hashed with a line feed at its end; ${HASH_THE_SENT_BYTES}.`, `${textOf(body)}\n`),
    hashOf(
      `The body was hashed without the white space around it; ${HASH_THE_SENT_BYTES}.`,
      textOf(body).trim(),
    ),
    hash(
      'The body was hashed as Latin-1; hash the bytes of its UTF-8 form, as it is sent.',
      bodyHash(Buffer.from(textOf(body), 'latin1')),
    ),
    ...hashMistakes,
    ...jsonMistakes(body),
  ];
}

/** The keys of a JSON body in other orders. There are too many to combine with other mistakes. */
export function keyOrderMistakes({ body }: SignedRequest): Mistake[] {
  if (body.length > MAX_BYTES) return [];
  return keyOrders(textOf(body)).map(rewritten);
}

function jsonMistakes(body: Uint8Array): Mistake[] {
  if (body.length > MAX_BYTES) return [];
  return serialisations(textOf(body)).map(rewritten);
}

function rewritten({ how, text }: Serialisation): Mistake {
  return hashOf(`The body was hashed ${how} but sent differently; ${HASH_THE_SENT_BYTES}.`, text);
}

function emptyBodyMistakes(): Mistake[] {
  const wrong = ['{}', 'null', 'undefined', '""', '[]', '\n'];
  return wrong.map((text) =>
    hashOf(
      `The hash of ${text === '\n' ? 'a line feed' : text} was signed; a request without body has the hash of the empty string.`,
      text,
    ),
  );
}

function textOf(body: Uint8Array): string {
  return Buffer.from(body).toString();
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function changed(sentence: string, change: (hash: string) => string): Mistake {
  return { sentence, change: (parts) => ({ ...parts, hash: change(parts.hash) }) };
}

function hash(sentence: string, value: string): Mistake {
  return changed(sentence, () => value);
}

function hashOf(sentence: string, text: string): Mistake {
  return hash(sentence, bodyHash(Buffer.from(text)));
}
