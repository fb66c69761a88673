import type { Mutant } from './mutant.ts';

/** Mistakes in updates of products: the newest wins each field, and price and stock become changes of the listing. */
export const updateMutants: readonly Mutant[] = [
  {
    name: 'an older update sets what a newer one has set',
    file: 'shared/products/rules/newest-fields.ts',
    find: 'return update.fields.filter((field) => !isSet(field));',
    replace: 'return update.fields.filter((field) => !isSet(field) || true);',
  },
  {
    name: 'updates of one product are sent at the same time',
    file: 'shared/products/rules/newest-fields.ts',
    find: 'if (isLocked(lock, senderId, now) || ',
    replace: 'if (',
  },
  {
    name: 'an older update does not wait for the outcome of a newer one',
    file: 'shared/products/rules/newest-fields.ts',
    find: 'others.some(isWaitedFor)',
    replace: 'false',
  },
  {
    name: 'a newer update that is refused hides what an older one may have set',
    file: 'shared/products/rules/newest-fields.ts',
    find: 'claims: claims.filter((claim) => claim.commandId !== commandId),',
    replace: 'claims: [],',
  },
  {
    name: 'a refused update counts as one that has set its fields',
    file: 'shared/products/update-requests.ts',
    find: 'const taken = fault === undefined ? done.fields : [];',
    replace: 'const taken = done.fields;',
  },
  {
    name: 'a lock is released while an earlier try of its update may still land',
    file: 'shared/products/update-requests.ts',
    find: 'release: !uncertain,',
    replace: 'release: true,',
  },
  {
    name: 'an update is sent although its lock has expired',
    file: 'shared/products/update-requests.ts',
    find: 'if (holder !== senderId || isOver) throw productBusy();',
    replace: '',
  },
  {
    name: 'an update claims its fields before its request is recorded as sent',
    file: 'shared/products/update-requests.ts',
    find: 'await recordAttempt(attempt, answer);\n      isRecorded = true;\n      const still = await lock.take(attempt.signedAt, true);',
    replace:
      'const still = await lock.take(attempt.signedAt, true);\n      await recordAttempt(attempt, answer);',
  },
  {
    name: 'an update that surely had no effect keeps its claim',
    file: 'shared/products/rules/newest-fields.ts',
    find: 'claims: claims.filter((claim) => claim.senderId !== senderId),',
    replace: 'claims,',
  },
  {
    name: "other updates wait without end for one that can't be read back",
    file: 'shared/products/update-requests.ts',
    find: "state === 'submitted' || attemptId",
    replace: "state === 'submitted' || state === 'unresolved' || attemptId",
  },
  {
    name: 'an update is read back by fields that newer updates have set',
    file: 'shared/batches/use-cases/read-back-rows.ts',
    find: 'unset.includes(field)',
    replace: 'true',
  },
  {
    name: 'an update counts as done whose fields newer updates of unknown outcome may have set',
    file: 'shared/batches/use-cases/read-back-rows.ts',
    find: 'unset.includes(field)',
    replace: 'unset.includes(field) && !claimed.includes(field)',
  },
  {
    name: 'price and stock of an update that is refused are applied',
    file: 'shared/products/update-requests.ts',
    find: 'if (fault === undefined) return followUpdate(',
    replace:
      'await followUpdate(ports, record, done, answeredAt); if (fault === undefined) return followUpdate(',
  },
  {
    name: 'price and stock of an update are applied before the rest of it is sent',
    file: 'shared/products/update-requests.ts',
    find: 'const prepared = await prepare(ports, store, item, fields);',
    replace:
      'const prepared = await prepare(ports, store, item, fields); await followUpdate(ports, record, prepared, 0);',
  },
  {
    name: 'price and stock of an update are lost',
    file: 'shared/products/update-requests.ts',
    find: 'await changes.send({ ...facts, ...listing });',
    replace: '',
  },
  {
    name: 'price and stock of an update that is read back are lost',
    file: 'shared/products/update-requests.ts',
    find: "if (state === 'completed') await followUpdate(",
    replace: "if (state === 'unresolved') await followUpdate(",
  },
  {
    name: 'price and stock of an update have the time of its redelivery',
    file: 'shared/products/update-requests.ts',
    find: 'const facts = { storeClientId, commandId, time, ...',
    replace: 'const facts = { storeClientId, commandId, time: record.signedAt ?? time, ...',
  },
  {
    name: 'price and stock of an update use its time in a store with integer versions',
    file: 'shared/products/update-requests.ts',
    find: '...(version !== undefined && { version }) };\n  for (const rename',
    replace: '};\n  for (const rename',
  },
  {
    name: 'price and stock of an update use the ID of its product in a store that uses SKUs',
    file: 'shared/products/update-requests.ts',
    find: 'const name = store.names.products;',
    replace: "const name = 'id';",
  },
  {
    name: 'an update dated far ahead is sent',
    file: 'shared/requests/use-cases/perform-commands.ts',
    find: 'return tooFarAhead(command.time, now);',
    replace: 'return undefined;',
  },
];
