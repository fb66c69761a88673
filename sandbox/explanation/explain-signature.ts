import { type SignedRequest, sameSignature, signatureOf } from '../signing.ts';
import { type BaseParts, baseStringOf, type Mistake, masked, rightParts } from './base-parts.ts';
import { bodyMistakes, keyOrderMistakes } from './body-mistakes.ts';
import { type Digest, digests } from './digests.ts';
import { headerMistakes } from './header-mistakes.ts';
import { newlineMistakes } from './newline-mistakes.ts';
import { pathMistakes } from './path-mistakes.ts';
import { type SignatureForm, signatureForms } from './signature-forms.ts';

/** Why a request was refused, and its right base string. Store tokens are masked. */
export interface Explanation {
  sentence: string;
  /** The base string that the server computed. */
  expected: string;
  /** The base string that the client signed; null if the mistake is unknown. */
  signed: string | null;
}

export interface SignatureCheck {
  request: SignedRequest;
  /** The `x-signature` header. */
  signature: string | undefined;
  /** Secret key of the partner that the request names. */
  secretKey: string;
  /** Secret keys of other partners. */
  otherSecretKeys: readonly string[];
}

interface Attempt {
  mistakes: readonly Mistake[];
  parts: BaseParts;
}

interface Match {
  /** The mistakes in the base string. */
  mistakes: readonly Mistake[];
  /** One sentence for each mistake in the base string, the secret key or the form of the signature. */
  sentences: readonly string[];
}

const NOT_A_SIGNATURE =
  'x-signature is not a SHA-256 signature: it must be sha256= and 64 lowercase hex digits.';
const UNKNOWN =
  'No known mistake gives this signature: either the secret key is wrong, or the base string differs in a way that the ' +
  'sandbox does not recognise. Compare your base string with the expected one at GET /sandbox.';

/**
 * Names one or two mistakes in a signature. Mistakes are tried until one gives the same signature, so a named mistake is certain.
 * Undefined for a right signature.
 */
export function explainSignature(check: SignatureCheck): Explanation | undefined {
  const { request, signature, secretKey } = check;
  const right = rightParts(request);
  const shown = (mistakes: readonly Mistake[]) =>
    baseStringOf(mistakes.reduce((parts, mistake) => mistake.change(parts), rightParts(masked(request))));
  const expected = shown([]);
  const because = (sentence: string, signed: string | null = null) => ({ sentence, expected, signed });
  if (signature === undefined) return because('The x-signature header is missing.');
  if (sameSignature(signatureOf(secretKey, baseStringOf(right)), signature)) return undefined;
  const forms = signatureForms(signature);
  if (forms.length === 0) return because(NOT_A_SIGNATURE);
  const found = search(check, right, forms);
  if (found === undefined) return because(UNKNOWN);
  return because(found.sentences.join(' '), shown(found.mistakes));
}

/** The attempt with the fewest mistakes in the base string that gives the signature. */
function search(check: SignatureCheck, right: BaseParts, forms: SignatureForm[]): Match | undefined {
  const { request, secretKey, otherSecretKeys } = check;
  const ways = digests({
    secretKey,
    otherSecretKeys,
    partnerClientId: request.headers['x-partner-client-id'] ?? '',
    storeToken: request.headers['x-store-token'],
  });
  const mistakes = [
    ...pathMistakes(request),
    ...headerMistakes(request),
    ...newlineMistakes(request),
    ...bodyMistakes(request),
  ];
  const start: Attempt = { mistakes: [], parts: right };
  const one = mistakes.map((mistake) => withMistake(start, mistake));
  return (
    firstMatch([start, ...one], ways, forms) ??
    firstMatch(
      keyOrderMistakes(request).map((mistake) => withMistake(start, mistake)),
      ways.slice(0, 1),
      forms,
    ) ??
    firstMatch(pairs(one, mistakes), ways.slice(0, 1), forms)
  );
}

function withMistake({ mistakes, parts }: Attempt, mistake: Mistake): Attempt {
  return { mistakes: [...mistakes, mistake], parts: mistake.change(parts) };
}

function* pairs(one: readonly Attempt[], mistakes: readonly Mistake[]): Generator<Attempt> {
  for (const [index, attempt] of one.entries()) {
    for (const mistake of mistakes.slice(index + 1)) yield withMistake(attempt, mistake);
  }
}

function firstMatch(
  attempts: Iterable<Attempt>,
  ways: readonly Digest[],
  forms: readonly SignatureForm[],
): Match | undefined {
  for (const attempt of attempts) {
    const base = baseStringOf(attempt.parts);
    for (const way of ways) {
      const digest = way.of(base);
      const form = forms.find((candidate) => candidate.digest.equals(digest));
      if (form === undefined) continue;
      const { mistakes } = attempt;
      const sentences = [way.mistake, ...mistakes.map(({ sentence }) => sentence), form.mistake];
      return { mistakes, sentences: sentences.filter((text) => text !== undefined) };
    }
  }
  return undefined;
}
