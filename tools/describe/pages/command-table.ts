import type { Command } from 'commander';
import { EXIT_MEANINGS } from '../../../cli/exit-codes.ts';
import { createProgram } from '../../../cli/program.ts';
import { markdownTable } from './markdown.ts';

/** Every command of the command line with its arguments and options, as its help has them. */
export function commandTable(): string {
  return markdownTable(
    ['command', 'does', 'options'],
    commandsOf(createProgram()).map(({ words, command }) => [
      `\`${[words, ...command.registeredArguments.map(argumentText)].join(' ')}\``,
      command.description(),
      command.options
        .map(({ flags, mandatory }) => `\`${flags}\`${mandatory ? ' (required)' : ''}`)
        .join(', '),
    ]),
  );
}

/** The options that every command has. */
export function globalOptionTable(): string {
  return markdownTable(
    ['option', 'meaning'],
    createProgram()
      .options.filter(({ long }) => long !== '--version')
      .map(({ flags, description }) => [`\`${flags}\``, description]),
  );
}

/** Every exit code with its meaning. */
export function exitCodeTable(): string {
  return markdownTable(['exit code', 'means'], Object.entries(EXIT_MEANINGS));
}

/** The commands that do something, by their words. */
export function commandsOf(
  program: Command,
  parents: readonly string[] = [],
): { words: string; command: Command }[] {
  const visible = program.createHelp().visibleCommands(program);
  return visible
    .filter((command) => command.name() !== 'help')
    .flatMap((command) => {
      const words = [...parents, command.name()];
      return command.commands.length === 0
        ? [{ words: words.join(' '), command }]
        : commandsOf(command, words);
    });
}

function argumentText(argument: Command['registeredArguments'][number]): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}
