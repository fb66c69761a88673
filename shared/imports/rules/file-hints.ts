import { inputErrors } from '../../errors/input-errors.ts';
import { type Notation, notationSchema } from '../../stores/notation.ts';
import { FileFault } from '../file/row.ts';

/** What the metadata of an object say about how its file is written. */
export interface FileHints {
  /** A label of the WHATWG's encoding standard. Default: UTF-8. */
  readonly encoding?: string | undefined;
  /** Default: the notation of the store, if any. */
  readonly notation?: Notation | undefined;
}

/**
 * Reads the user-defined metadata of an object: `encoding`, `decimal`, `thousands`. Other metadata is the partner's own.
 *
 * @throws {FileFault} FILE_HINT_INVALID
 */
export function readHints({ encoding, decimal, thousands }: Readonly<Record<string, string>>): FileHints {
  const isUtf8 = encoding === undefined || /^utf-?8$/i.test(encoding.trim());
  const hint = isUtf8 ? {} : { encoding: encoding.trim() };
  if (decimal === undefined && thousands === undefined) return hint;
  const given = { decimal, ...(thousands !== undefined && { thousands }) };
  const notation = notationSchema.safeParse(given, { error: inputErrors });
  if (notation.success) return { ...hint, notation: notation.data };
  const faults = notation.error.issues.map(({ path, message }) => [...path, message].join(': '));
  throw new FileFault('FILE_HINT_INVALID', faults.join('; '));
}
