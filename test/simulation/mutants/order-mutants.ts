import type { Mutant } from './mutant.ts';

/** Mistakes in sending each order once, and in saying what became of it. */
export const orderMutants: readonly Mutant[] = [
  {
    name: 'an order that was done is sent again',
    file: 'shared/orders/rules/claim.ts',
    find: "return same || hadItsTry ? 'settled' : 'conflict';",
    replace: "return same || hadItsTry ? 'claimed' : 'conflict';",
  },
  {
    name: 'an order is decided otherwise while nobody can tell how it was decided',
    file: 'shared/orders/rules/claim.ts',
    find: "      if (!sameInDoubt) return 'conflict';\n      return judgeRetry(current, wish);\n    case 'sending':",
    replace:
      "      if (!sameInDoubt) return 'claimed';\n      return judgeRetry(current, wish);\n    case 'sending':",
  },
  {
    name: 'what nobody can tell of is sent again without a retry',
    file: 'shared/orders/rules/claim.ts',
    find: "      return judgeRetry(current, wish);\n    case 'sending':",
    replace: "      return 'claimed';\n    case 'sending':",
  },
  {
    name: 'a retry that had no effect makes the outcome before it known',
    file: 'shared/orders/rules/claim.ts',
    find: "if (!isUncertain(current) || outcome.state === 'unknown')",
    replace: 'if (outcome !== undefined)',
  },
  {
    name: 'an order whose sender is gone counts as not sent',
    file: 'shared/orders/rules/abandoned.ts',
    find: "return neverLeft ? { state: 'withdrawn' } : { state: 'unknown', ...LOST };",
    replace:
      "return neverLeft || result === undefined ? { state: 'withdrawn' } : { state: 'unknown', ...LOST };",
  },
  {
    name: 'a retry is sent each time that its command comes',
    file: 'shared/orders/rules/claim.ts',
    find: "      if (hadItsTry) return 'settled';\n      if (own)",
    replace: '      if (own)',
  },
  {
    name: 'what became of a request is not noted before anything follows from it',
    file: 'shared/orders/use-cases/send-orders.ts',
    find: 'await ports.attempts.note(attempt.attemptId, result);',
    replace: '',
  },
  {
    name: 'two names of one order stay two orders',
    file: 'shared/orders/use-cases/settle-result.ts',
    find: "if ('answer' in result) await linkOrders(ports, attempt, result.answer);",
    replace: '',
  },
  {
    name: 'of two names of one order the one that is merged away is forgotten',
    file: 'shared/orders/rules/merge-orders.ts',
    find: '...(unknownOf.length > 0 && { unknownOf:',
    replace: '...(false && { unknownOf:',
  },
  {
    name: 'an order whose names are being joined goes on before it has taken over what the other kept',
    file: 'shared/orders/use-cases/update-order.ts',
    find: 'record?.aliasOf === undefined && record?.joining === undefined;',
    replace: 'record?.aliasOf === undefined;',
  },
  {
    name: 'what is kept under the other name of an order is copied and not moved',
    file: 'shared/orders/rules/join-orders.ts',
    find: 'if (current?.aliasOf !== undefined) return undefined;',
    replace: 'if (current && !current.aliasOf) return { ...current, handedOn: mergedFacts(current, {}) };',
  },
  {
    name: 'a command that was turned away is sent when it comes again',
    file: 'shared/orders/rules/claim.ts',
    find: "if (turnedAwayBefore(current, wish) !== undefined) return 'turned away';",
    replace: '',
  },
  {
    name: 'what is left of a long order command is forgotten',
    file: 'shared/orders/use-cases/perform-order-command.ts',
    find: 'if (left.length === 0) return undefined;',
    replace: 'if (left.length >= 0) return undefined;',
  },
  {
    name: 'what is left of a long order command begins one row too late',
    file: 'shared/orders/use-cases/perform-order-command.ts',
    find: 'withRowsLeft(message.body, left)',
    replace: 'withRowsLeft(message.body, left.slice(left.length > 1 ? 1 : 0))',
  },
  {
    name: 'an unknown outcome is not told',
    file: 'shared/orders/use-cases/resume-attempts.ts',
    find: '  await reportUnknown(\n    ports,\n    command,\n    lost.map(({ row }) => row.item),\n    LOST,\n  );\n',
    replace: '',
  },
];
