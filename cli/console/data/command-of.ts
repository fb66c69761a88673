import { invocation, shellWord } from '../../invocation.ts';
import type { Target } from '../../target/target.ts';

/** A command of this command line about the same stack, ready to paste. */
export function commandOf({ isLocal, name, region }: Target, words: string): string {
  const stack = isLocal ? '' : ` --stack ${shellWord(name)} --region ${region}`;
  return `${invocation()} ${words}${stack}`;
}
