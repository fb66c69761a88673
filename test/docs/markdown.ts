import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

const FENCED = /^ *```.*?^ *```$/gms;
const INLINE = /`[^`\n]+`/g;

/** The repository's pages, from its root. */
export function pagesOfRepository(): string[] {
  return globSync(['*.md', 'docs/**/*.md', '{sandbox,local,tools,shared,examples,test}/**/*.md'], {
    cwd: root,
  }).sort();
}

/** The text of a file. `path` is from the repository's root. */
export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Everything that a page shows as code: blocks and spans. */
export function codeIn(page: string): string[] {
  return [...(page.match(FENCED) ?? []), ...(page.replaceAll(FENCED, '').match(INLINE) ?? [])];
}

/** A link to a place in the repository. */
export interface Link {
  /** From the repository's root. */
  readonly target: string;
  /** Without `#`. */
  readonly anchor?: string;
}

/** The links of a page that stay in the repository. `path` is the page's own, from the root. */
export function relativeLinks(path: string): Link[] {
  const prose = textOf(path).replaceAll(FENCED, '').replaceAll(INLINE, '`code`');
  return [...prose.matchAll(/\]\((?<url>[^)\s]+)\)/g)].flatMap(({ groups }) => {
    const url = groups?.url ?? '';
    if (/^[a-z]+:/.test(url)) return [];
    const [file = '', anchor] = url.split('#');
    const target = file === '' ? path : normalize(join(dirname(path), file));
    return [{ target, ...(anchor !== undefined && { anchor }) }];
  });
}

/** The texts of a page's headings. */
export function headingsOf(page: string): string[] {
  return [...page.replaceAll(FENCED, '').matchAll(/^#+ (?<text>.+)$/gm)].map(
    ({ groups }) => groups?.text ?? '',
  );
}

/** The anchors that GitHub gives to a page's headings. */
export function anchorsOf(page: string): string[] {
  const times = new Map<string, number>();
  return headingsOf(page).map((heading) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const before = times.get(slug) ?? 0;
    times.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
}
