import type { LogLine } from '../../aws/model.ts';
import type { ActivityLine } from './activity-line.ts';

/** The line of a failure: an error in a function's log, or a message of the local run itself. */
export function failureLine({ source, message }: LogLine): ActivityLine | undefined {
  const text = source === 'local' ? message.split('\n', 1)[0] : errorIn(message);
  if (text === undefined) return undefined;
  const subject = source === 'local' ? '' : `${source}: `;
  return { kind: 'failed', text: shortNames(`${subject}${text}`), isBad: true };
}

/** The message and the reason of a structured log line of level ERROR. */
function errorIn(message: string): string | undefined {
  if (!message.startsWith('{')) return undefined;
  const { level, message: what, error, code, reason } = readJson(message);
  if (level !== 'ERROR') return undefined;
  return [what, [error, code].filter(Boolean).join(' '), reason].filter(Boolean).join(': ');
}

function readJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** A name that CloudFormation generates, alone or in an ARN. Its middle is the construct's path. */
const GENERATED_NAME = /(?:arn:aws:\w+:[\w-]*:\d*:(?:function:)?)?MarketplaceConnector-(\w+?)[0-9A-F]{8}\b/g;

/** `change-intake` for `MarketplaceConnector-ChangeIntakeFunction2F52A127`, `changes-queue` for its queue's ARN. */
export function shortNames(text: string): string {
  return text.replace(GENERATED_NAME, (_, name: string) =>
    name
      .replace(/Function$/, '')
      .replace(/^Queues(?=[A-Z])/, '')
      .replace(/(?<=[a-z])(?=[A-Z])/g, '-')
      .toLowerCase(),
  );
}
