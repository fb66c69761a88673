/** The 32 bytes of a signature; `mistake` names a form that the API refuses. */
export interface SignatureForm {
  digest: Buffer;
  mistake?: string;
}

const HEX = /^[0-9a-f]{64}$/;
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;

/** Reads a signature in each form that clients send; empty if the signature is not a SHA-256 in any form. */
export function signatureForms(signature: string): SignatureForm[] {
  const value = signature.replace(/^sha256=/i, '');
  const prefixMistake = signature.startsWith('sha256=')
    ? ''
    : 'x-signature lacks the prefix sha256= (in lowercase).';
  const form = (digest: Buffer, mistake = ''): SignatureForm[] => {
    const mistakes = [mistake, prefixMistake].filter((text) => text !== '').join(' ');
    return [{ digest, ...(mistakes === '' ? {} : { mistake: mistakes }) }];
  };
  if (HEX.test(value)) return form(Buffer.from(value, 'hex'));
  if (HEX.test(value.toLowerCase())) {
    return form(Buffer.from(value, 'hex'), 'The signature is in uppercase hex; it must be lowercase.');
  }
  if (BASE64.test(value)) {
    return form(Buffer.from(value, 'base64'), 'The signature is in base64; it must be lowercase hex.');
  }
  const text = Buffer.from(value, 'base64').toString();
  if (!HEX.test(text)) return [];
  return form(
    Buffer.from(text, 'hex'),
    'The signature is the base64 of its hex; it must be the lowercase hex itself.',
  );
}
