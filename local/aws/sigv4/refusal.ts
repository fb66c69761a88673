/** Why a request's signature was not accepted; each service has its own error code for it. */
export type RefusalCode =
  | 'MissingAuthentication'
  | 'IncompleteSignature'
  | 'WrongService'
  | 'UnrecognizedClient'
  | 'Expired'
  | 'NotYetValid'
  | 'PayloadMismatch'
  | 'SignatureMismatch';

export interface Refusal {
  ok: false;
  code: RefusalCode;
  /** For the caller: names what is wrong, holds no secret. */
  message: string;
}

export function refuse(code: RefusalCode, message: string): Refusal {
  return { ok: false, code, message };
}
