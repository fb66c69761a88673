import { codeBlocks } from './examples.ts';

/** An event that a page shows as JSON. */
export interface EventExample {
  readonly json: string;
  readonly line: number;
  readonly heading: string;
  readonly source?: string;
  readonly detailType: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The events that a page shows as a partner sends them. */
export function eventsIn(page: string): EventExample[] {
  return eventExamples(page).filter(({ source }) => source === undefined);
}

/** The events that a page shows as the stack sends them: with their source. */
export function eventsOut(page: string): EventExample[] {
  return eventExamples(page).filter(({ source }) => source !== undefined);
}

function eventExamples(page: string): EventExample[] {
  return codeBlocks(page).flatMap(({ language, code, line, heading }) => {
    if (language !== 'json') return [];
    const { source, 'detail-type': detailType, detail } = JSON.parse(code);
    return detailType === undefined ? [] : [{ json: code, line, heading, source, detailType, detail }];
  });
}
