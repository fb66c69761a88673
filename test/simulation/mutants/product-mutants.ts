import type { Mutant } from './mutant.ts';

/** Mistakes in doing product commands: once, in their order, with an end for each row. */
export const productMutants: readonly Mutant[] = [
  {
    name: 'a command that is done is done again',
    file: 'shared/commands/rules/steps.ts',
    find: 'if (current !== undefined && isAnswered(current)) return undefined;',
    replace: "if (current !== undefined && current.state === 'answered') return undefined;",
  },
  {
    name: 'a step is done before its batch is recorded',
    file: 'shared/products/use-cases/finish-step.ts',
    find: 'const batch = await recordSubmission(ports, answer);',
    replace:
      'await endStep(ports, key, { batchId: answer.batchId }); const batch = await recordSubmission(ports, answer);',
  },
  {
    name: 'an answer makes a batch before it is kept',
    file: 'shared/products/use-cases/submit-rows.ts',
    find: 'const kept = await ports.commands.update(step.commandId, (current) => answered(current, submission));',
    replace:
      'await finishStep(ports, { ...step, answer: submission }, []); const kept = await ports.commands.update(step.commandId, (current) => answered(current, submission));',
  },
  {
    name: 'what exists already counts as created although nothing was unknown',
    file: 'shared/batches/rules/refusals.ts',
    find: 'const rejectedRows = unite(submission?.rejectedRows ?? [], final);',
    replace:
      'const rejectedRows = unite(submission?.rejectedRows ?? [], final).filter(({ code }) => code !== ALREADY_EXISTS);',
  },
  {
    name: 'what exists already after an unknown outcome counts as failed',
    file: 'shared/batches/rules/refusals.ts',
    find: '!mayBeMade(row) && row.code !== ALREADY_EXISTS',
    replace: '!mayBeMade(row)',
  },
  {
    name: 'what is refused for now after an unknown outcome counts as failed',
    file: 'shared/batches/rules/refusals.ts',
    find: 'const mayBeMade = (row: RejectedRow) => !isClosed && isForNow(row);',
    replace: 'const mayBeMade = (_: RejectedRow) => false;',
  },
  {
    name: 'a request refused as a whole rejects all its rows',
    file: 'shared/products/use-cases/submit-rows.ts',
    find: 'if (request.rows.length === 1) return rejectRow(',
    replace: 'return rejectRow(',
  },
  {
    name: 'rows that were refused together are sent again',
    file: 'shared/products/use-cases/submit-rows.ts',
    find: 'const step = await ports.commands.update(key, (current) => divided(current));',
    replace: "const step = { state: 'divided' };",
  },
  {
    name: 'a row that the store can not take is sent with the others',
    file: 'shared/products/use-cases/sift-rows.ts',
    find: 'if (named.length === 0) return rows;',
    replace: 'return rows;',
  },
  {
    name: 'a request goes without the rows that its store can not take at that time',
    file: 'shared/products/use-cases/sift-rows.ts',
    find: 'return rows.filter((_, index) => !step?.leftOut?.includes(index));',
    replace:
      'const faulty = await judge(named); return rows.filter((row) => !faulty.some((one) => one.row === row));',
  },
  {
    name: 'the rest of a long command is begun however late it is',
    file: 'shared/products/use-cases/submit-rows.ts',
    find: 'if (time.isOver) throw outOfTime(pack.packId);',
    replace: '',
  },
  {
    name: 'the rest of a long deletion is begun however late it is',
    file: 'shared/products/use-cases/delete-products.ts',
    find: 'if (time.isOver) throw outOfTime(command.commandId);',
    replace: '',
  },
  {
    name: 'a delivery whose time is short begins nothing',
    file: 'shared/commands/request-time.ts',
    find: 'return this.#hasGotOn && ',
    replace: 'return ',
  },
  {
    name: 'a delivery counts as begun by what earlier ones have done',
    file: 'shared/products/use-cases/submit-rows.ts',
    find: '  let divided: CommandStep | undefined;\n',
    replace: '  let divided: CommandStep | undefined; time.gotOn();\n',
  },
  {
    name: 'a refusal is forgotten when reporting it dies',
    file: 'shared/commands/use-cases/report-refused.ts',
    find: 'await reportRejections(ports, step.rejections);\n',
    replace: 'await endStep(ports, step.commandId, {}); await reportRejections(ports, step.rejections);\n',
  },
  {
    name: 'a pack does the commands that another one has',
    file: 'shared/products/use-cases/claim-commands.ts',
    find: 'return claim?.packId === packId ?',
    replace: 'return claim !== undefined ?',
  },
  {
    name: 'a claim takes over that of another',
    file: 'shared/commands/rules/claim.ts',
    find: 'return current === undefined ? claim : undefined;',
    replace: 'return claim;',
  },
  {
    name: 'a pack that comes again leaves out its own commands',
    file: 'shared/products/use-cases/claim-commands.ts',
    find: 'return claim?.packId === packId ?',
    replace: 'return claim?.claimedAt === claimedAt ?',
  },
  {
    name: 'a discard drops rows that may have been sent',
    file: 'shared/commands/rules/steps.ts',
    find: "step.uncertain || (current !== undefined && current.state !== 'waiting');",
    replace: 'false;',
  },
  {
    name: 'rows that were discarded while they were begun are forgotten',
    file: 'shared/commands/rules/steps.ts',
    find: 'if (current.ifNeverSent !== undefined) return',
    replace: 'if (false) return',
  },
  {
    name: 'a discard drops commands that were given after it',
    file: 'shared/products/use-cases/claim-commands.ts',
    find: 'isDiscarded(store, command.time)',
    replace: 'isDiscarded(store, 0)',
  },
  {
    name: 'a discard rejects commands that are done',
    file: 'shared/products/use-cases/perform-pack.ts',
    find: 'drop: (fault) => dropBulkCommands(ports, own, fault),',
    replace:
      "drop: async (fault) => { await reportOnce(ports, stepKey(storeClientId, pack.packId, 'dropped'), toDo.map((command) => rejectionOfCommand(command, fault))); return { requests: 0, rejected: toDo.length }; },",
  },
  {
    name: 'the packer is done with what it could not send',
    file: 'shared/products/use-cases/forward-commands.ts',
    find: 'failed.push(...call);',
    replace: '',
  },
  {
    name: 'the packer loses all commands of a pack but the first',
    file: 'shared/products/rules/pack-commands.ts',
    find: 'parts: pack.map(({ part }) => part)',
    replace: 'parts: [first.part, first.part]',
  },
  {
    name: 'a row that breaks a rule is told under its place in the pack',
    file: 'shared/products/rules/check-rows.ts',
    find: 'const row = { ...place, product',
    replace: 'const row = { ...place, index: good.simple.length + faulty.length, product',
  },
  {
    name: 'a row of a batch is told under its place in the request',
    file: 'shared/products/rules/row-origins.ts',
    find: 'rows.map(({ command: { commandId }, index, product }) => ({',
    replace: 'rows.map(({ command: { commandId }, product }, index) => ({',
  },
  {
    name: 'a batch of several commands names their pack alone',
    file: 'shared/commands/rules/steps.ts',
    find: 'return origins === undefined ? { commandId } : { origins };',
    replace: 'return { commandId };',
  },
  {
    name: 'the bus is not told which commands a batch is of',
    file: 'shared/batches/use-cases/announce-batch.ts',
    find: '...(commandIds === undefined ? {} : { commandIds }),',
    replace: '',
  },
  {
    name: 'a deletion that finds nothing after an unknown outcome is rejected',
    file: 'shared/products/use-cases/delete-products.ts',
    find: '.filter(({ code }) => !(uncertain && code === PRODUCT_NOT_FOUND))',
    replace: '',
  },
  {
    name: 'an older update sets what a newer one has set',
    file: 'shared/products/rules/turns.ts',
    find: '.filter((field) => !isNewer(turn.fields[field], request))',
    replace: '.filter(() => true)',
  },
  {
    name: 'updates of one product are on their way at the same time',
    file: 'shared/products/rules/turns.ts',
    find: 'if (other.until > now) return true;',
    replace: '',
  },
  {
    name: 'an older update does not wait for what becomes of a newer one',
    file: 'shared/products/rules/turns.ts',
    find: 'return isNewer(other, request) && isAboutSame && !isGivenUp(other, now);',
    replace: 'return false;',
  },
  {
    name: 'a turn that has run out counts as one that was taken',
    file: 'shared/products/use-cases/in-turn.ts',
    find: ' && own.until >= until',
    replace: '',
  },
  {
    name: 'price and stock of an update are as old as what is done about it',
    file: 'shared/products/use-cases/perform-product-command.ts',
    find: '    time,\n  };',
    replace: '    time: Date.now(),\n  };',
  },
  {
    name: 'price and stock of an update are lost',
    file: 'shared/products/use-cases/change-listing.ts',
    find: 'changes.send({',
    replace: 'Promise.resolve({',
  },
  {
    name: 'values that came before their product do not wait again once it is there',
    file: 'shared/products/use-cases/rearm-created.ts',
    find: 'await rearmTargets(ports, storeClientId, createdTargets(batch, sent), creation);',
    replace: '',
  },
  {
    name: 'a file that is read again makes other commands',
    file: 'shared/products/use-cases/catalog-chunks.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: text of a source file
    find: 'const commandId = `${importId}/${this.messages}`;',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: text of a source file
    replace: 'const commandId = `${importId}/${this.messages}/${Math.random()}`;',
  },
  {
    name: 'the last products of a file are lost',
    file: 'shared/products/use-cases/import-catalog-file.ts',
    find: 'await chunks.flush();',
    replace: '',
  },
  {
    name: 'the halves of a refused request forget that an earlier try of it may have had an effect',
    file: 'shared/products/use-cases/submit-rows.ts',
    find: 'halvesOf({ ...request, uncertain })',
    replace: 'halvesOf(request)',
  },
];
