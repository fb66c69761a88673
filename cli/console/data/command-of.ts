import { invocation, shellWord } from '../../invocation.ts';
import type { ConsoleOptions } from '../console-options.ts';

/** A command of this command line about the same stack, ready to paste. */
export function commandOf({ target, program = invocation() }: ConsoleOptions, words: string): string {
  const { isLocal, name, region } = target;
  const stack = isLocal ? '' : ` --stack ${shellWord(name)} --region ${region}`;
  return `${program} ${words}${stack}`;
}
