import type { Mutant } from './mutant.ts';

/** Mistakes in product commands: each row is in one request and has one outcome. */
export const productMutants: readonly Mutant[] = [
  {
    name: 'a product that is in a command twice is sent twice',
    file: 'shared/products/rules/plan-rows.ts',
    find: 'const fault = own ?? repeatedFault(known, index, row.names);',
    replace: 'const fault = own; void repeatedFault; void known;',
  },
  {
    name: 'products count as created by an answer that tells nothing of its rows',
    file: 'shared/marketplace/batch.ts',
    find: 'summary: isTold ? summary : otherwise,',
    replace: 'summary: isTold ? summary : {},',
  },
  {
    name: 'rows that the marketplace rejected are published and not stored',
    file: 'shared/batches/use-cases/announce-batch.ts',
    find: 'await keepRejections(ports, batch);',
    replace: ';',
  },
  {
    name: 'a row that a late summary accepts stays in the list of rejections',
    file: 'shared/batches/use-cases/announce-batch.ts',
    find: 'rejections.putAll(rejected, withdrawn)',
    replace: 'rejections.putAll(rejected)',
  },
  {
    name: 'the last rows of a request are lost',
    file: 'shared/products/rules/plan-rows.ts',
    find: 'else requests.push(new Draft(kind, row));',
    replace: 'else if (requests.length < 3) requests.push(new Draft(kind, row));',
  },
  {
    name: 'an existing product counts as created although no outcome was unknown',
    file: 'shared/batches/rules/batch-record.ts',
    find: 'if (uncertain !== true) return row;',
    replace: "if (uncertain !== true) return row.code === ALREADY_EXISTS ? 'accepted' : row;",
  },
  {
    name: 'an existing product counts as failed after an unknown outcome',
    file: 'shared/batches/rules/batch-record.ts',
    find: "if (row.code === ALREADY_EXISTS) return 'accepted';",
    replace: '',
  },
  {
    name: 'a temporarily refused product counts as failed after an unknown outcome',
    file: 'shared/batches/rules/batch-record.ts',
    find: "isRowRetryable(row) ? 'refused for now' : row",
    replace: 'row',
  },
  {
    name: 'a row of a batch is reported under its position in the request',
    file: 'shared/products/rules/request-batch.ts',
    find: 'rows.map(({ command, index }) => ({',
    replace: 'rows.map(({ command }, index) => ({',
  },
  {
    name: 'a batch of several commands names only the first',
    file: 'shared/products/rules/request-batch.ts',
    find: 'commands.length === 1 ?',
    replace: 'true ?',
  },
  {
    name: 'a batch forgets that an earlier try of its rows may have had an effect',
    file: 'shared/products/rules/request-batch.ts',
    find: '...(uncertain && { uncertain }),',
    replace: '',
  },
  {
    name: 'a row refused alone after a try of unknown outcome is rejected',
    file: 'shared/products/bulk-requests.ts',
    find: "if (state === 'refused' && fault !== undefined && !uncertain)",
    replace: "if (state === 'refused' && fault !== undefined)",
  },
  {
    name: 'a request of unknown outcome creates no batch',
    file: 'shared/products/bulk-requests.ts',
    find: 'await recordSubmission({ ...ports, onEnd }, batchOf(ports, record));',
    replace: "if (state !== 'unknown') await recordSubmission({ ...ports, onEnd }, batchOf(ports, record));",
  },
  {
    name: 'an invalid row is reported under another position',
    file: 'shared/products/rules/plan-rows.ts',
    find: 'rejections.add(command, values.length, { index, ...row.names }, fault);',
    replace: 'rejections.add(command, values.length, { index: good.length, ...row.names }, fault);',
  },
  {
    name: 'a deletion that finds nothing after an unknown outcome is rejected',
    file: 'shared/products/deletion-requests.ts',
    find: 'uncertain && code === PRODUCT_NOT_FOUND;',
    replace: 'false;',
  },
  {
    name: 'messages of a file have another size each time it is read',
    file: 'shared/imports/use-cases/file-messages.ts',
    find: 'maxItems: ROWS_PER_MESSAGE,',
    replace: 'maxItems: Math.ceil(Math.random() * 3),',
  },
  {
    name: 'events do not name the commands of a batch',
    file: 'shared/batches/rules/announcements.ts',
    find: 'definedOf({ requestId, commandId, commandIds })',
    replace: 'definedOf({ requestId, commandId })',
  },
  {
    name: 'values that arrived before their product do not wait again once it exists',
    file: 'shared/products/created-products.ts',
    find: 'await changes.sendCreated({ storeClientId, products, knownAt: Math.max(...times), sentAt });',
    replace: '',
  },
  {
    name: 'values do not wait again when a summary contradicts the end of a creation',
    file: 'shared/batches/use-cases/announce-batch.ts',
    find: 'contradictions.length > 0 || isOutcomeDue',
    replace: 'isOutcomeDue',
  },
  {
    name: 'a file that is read again gives other commands',
    file: 'shared/imports/use-cases/file-messages.ts',
    find: 'const id = messageIdOf(importId, this.messages);',
    replace: 'const id = messageIdOf(importId, this.messages + Math.random());',
  },
  {
    name: 'how far a file was read is kept before its rows are handed on',
    file: 'shared/imports/use-cases/file-part.ts',
    find: 'await this.#flush();\n    const counts = this.#counts();\n    const record',
    replace: 'void this.#flush().catch(() => {});\n    const counts = this.#counts();\n    const record',
  },
  {
    name: 'commands of a later part of a file have the IDs of the first ones',
    file: 'shared/imports/use-cases/file-messages.ts',
    find: 'this.messages = before.commands;',
    replace: 'this.messages = 0;',
  },
  {
    name: 'a row that nests too deep ends the reading of its file',
    file: 'shared/imports/file/row.ts',
    find: "const reason = error instanceof Error ? error.message : 'not valid';",
    replace: "const reason = ''; if (error instanceof Error) throw error;",
  },
  {
    name: 'the last products of a file are lost',
    file: 'shared/imports/use-cases/file-part.ts',
    find: 'await this.#messages.flush();',
    replace: '',
  },
];
