/** A fenced code block of a page. */
export interface CodeBlock {
  /** `sh`, `json`, `text` … */
  readonly language: string;
  readonly code: string;
  /** Line of the page on which the block begins, from 1. */
  readonly line: number;
  /** The last heading before it, without its marks. */
  readonly heading: string;
  /** What stands between it and the block before it. */
  readonly before: string;
}

/** A command of a page with what the page says that it prints. */
export interface Example {
  readonly code: string;
  readonly line: number;
  /** The HTTP status of the last request; 2xx where the page names none. */
  readonly status?: number;
  readonly output?: { readonly language: 'json' | 'text'; readonly text: string };
}

const CODE_BLOCK = /^```(?<language>[a-z]*)\n(?<code>.*?)^```$/gms;

/** The code blocks of a page, in their order. */
export function codeBlocks(page: string): CodeBlock[] {
  let end = 0;
  return [...page.matchAll(CODE_BLOCK)].map((match) => {
    const { language = '', code = '' } = match.groups ?? {};
    const before = page.slice(end, match.index);
    end = match.index + match[0].length;
    const heading =
      page
        .slice(0, match.index)
        .match(/^#+ .*$/gm)
        ?.at(-1) ?? '';
    return {
      language,
      code,
      line: page.slice(0, match.index).split('\n').length,
      heading: heading.replace(/^#+ /, ''),
      before,
    };
  });
}

/**
 * The commands of a page, in their order: each `sh` block, with the `json` or `text` block that follows it before the
 * next heading. "status 404" in the paragraph before the command says the HTTP status.
 */
export function examplesOf(page: string): Example[] {
  const blocks = codeBlocks(page);
  return blocks.flatMap(({ language, code, line, heading, before }, index) => {
    if (language !== 'sh') return [];
    const introduction = before.trim().split('\n\n').at(-1) ?? '';
    const status = /status (\d{3})/.exec(introduction)?.[1];
    const example = { code, line, ...(status !== undefined && { status: Number(status) }) };
    const next = blocks[index + 1];
    if (next === undefined || next.heading !== heading || !isOutput(next.language)) return [example];
    return [{ ...example, output: { language: next.language, text: next.code } }];
  });
}

function isOutput(language: string): language is 'json' | 'text' {
  return language === 'json' || language === 'text';
}
