import { isAlmostOneOf } from '../../collections/misspelled-name.ts';
import type { FileKind } from '../rules/file-kinds.ts';
import { notBeside } from './array-cutter.ts';

/** Only this many bytes at the start and at the end of a file are read. */
const LENGTH = 4_096;
/** Members with plain values between the end of the array and the end of its object. */
const MEMBERS = /\](?<members>(?:\s*,\s*"[^"\\]*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[^\s"{}[\],]+))+)\s*\}\s*$/;
const NAME = /"(?<name>[^"\\]*)"\s*:/g;

/** Finds members that must not be behind the array of a `.json` file, before any row is sent. Many writers sort members by name. */
export class ArrayEnd {
  readonly #layout: Pick<FileKind, 'member' | 'notBeside'>;
  #start: Uint8Array = Buffer.alloc(0);
  #end: Uint8Array = Buffer.alloc(0);

  constructor(layout: Pick<FileKind, 'member' | 'notBeside'>) {
    this.#layout = layout;
  }

  add(piece: Uint8Array): void {
    if (this.#start.length < LENGTH) this.#start = Buffer.concat([this.#start, piece.subarray(0, LENGTH)]);
    const bytes = piece.length >= LENGTH ? piece : Buffer.concat([this.#end, piece]);
    this.#end = bytes.subarray(Math.max(0, bytes.length - LENGTH));
  }

  /** @throws {FileFault} FILE_NOT_JSON */
  check(): void {
    const { member, notBeside: names } = this.#layout;
    const start = textOf(this.#start);
    if (!/^\s*\{/.test(start) || !start.includes(`"${member}"`)) return;
    const { members = '' } = MEMBERS.exec(textOf(this.#end))?.groups ?? {};
    for (const [, name = ''] of members.matchAll(NAME))
      if (isAlmostOneOf(name, names)) throw notBeside(name, member);
  }
}

/** What is looked for is ASCII. */
function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/^\u00EF\u00BB\u00BF/, '');
}
