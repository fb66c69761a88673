import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable } from './markdown.ts';

const source = join(import.meta.dirname, '..', '..', '..', 'infra', 'marketplace-connector.ts');

const INTERFACE = /export interface MarketplaceConnectorProps \{\n(.*?)\n\}/s;
const MEMBER = /\/\*\*(?<comment>.*?)\*\/\s*readonly (?<name>\w+)(?<optional>\??): (?<type>.*?);\n/gs;

/** Every prop of the construct with its type, default and meaning, as its comment has them. */
export function propsTable(): string {
  const [, body = ''] = INTERFACE.exec(readFileSync(source, 'utf8')) ?? [];
  const members = [...`${body}\n`.matchAll(MEMBER)].map(({ groups = {} }) => groups);
  return markdownTable(
    ['prop', 'type', 'default', 'meaning'],
    members.map(({ comment = '', name, optional, type }) => {
      const [meaning = '', fallback = ''] = plain(comment).split(' Default: ');
      return [`\`${name}\``, `\`${type}\``, optional ? fallback.replace(/\.$/, '') : 'required', meaning];
    }),
  );
}

/** A comment without its stars and line breaks. */
function plain(comment: string): string {
  return comment.replace(/\s*\n\s*\*?\s*/g, ' ').trim();
}
