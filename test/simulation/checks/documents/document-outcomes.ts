import { createHash } from 'node:crypto';
import type { GivenDocumentCommand } from '../../world/documents/document-orders.ts';
import { type DocumentWorld, keyOf } from '../../world/documents/document-world.ts';

/** Tolerance around the deadline of a command for clock skew and the time of an answer; milliseconds. */
const SLACK_MS = 1_000;

/** Each command ends with one checked document or one reported failure, or in the dead-letter queue. */
export function checkDocuments(world: DocumentWorld, given: readonly GivenDocumentCommand[]): void {
  for (const command of given) checkCommand(world, command);
  for (const { key, bytes, sha256 } of world.tables.documents.values()) {
    const [, , orderId, file] = key.split('/');
    const text = Buffer.from(bytes).toString();
    if (!text.startsWith(`%PDF-1.7 ${orderId} ${file?.replace('.pdf', '')} `)) {
      world.simulation.violate(`documents: ${key} holds ${text.slice(0, 80)}`);
    }
    if (createHash('sha256').update(bytes).digest('hex') !== sha256) {
      world.simulation.violate(`documents: ${key} has the checksum of another`);
    }
  }
}

function checkCommand(
  { simulation, tables, waitForStateMs, marketplace, commands }: DocumentWorld,
  command: GivenDocumentCommand,
): void {
  const { commandId, order, document, refresh, time } = command;
  const reported = tables.events.flatMap(({ detailType, detail }) =>
    'commandId' in detail && detail.commandId === commandId ? [{ detailType, detail }] : [],
  );
  const ends = new Set(reported.map(({ detailType }) => detailType));
  const name = `documents: ${commandId}`;
  const isDead = commands.dead.some(({ body }) => body.includes(`"${commandId}"`));
  if (ends.size === 0 && isDead) return;
  if (ends.size !== 1) {
    simulation.violate(`${name} was reported as ${[...ends].join(' and as ') || 'nothing'}`);
    return;
  }
  const rejections = [...tables.rejections.values()].filter((one) => one.commandId === commandId);
  const held = tables.documents.get(keyOf(order.orderId, document));
  if (ends.has('document.stored')) {
    if (rejections.length > 0) simulation.violate(`${name} is stored and rejected`);
    const printedAt = marketplace.printedAt.get(Buffer.from(held?.bytes ?? []).toString());
    if (printedAt === undefined) simulation.violate(`${name} is reported as stored and is not there`);
    else if (refresh && printedAt < time)
      simulation.violate(`${name} asked for a fresh one and got an old one`);
    return;
  }
  if (held?.commandId === commandId) simulation.violate(`${name} failed and its document is stored`);
  if (rejections.length !== 1) simulation.violate(`${name} failed and has ${rejections.length} rejections`);
  const code = rejections[0]?.code ?? '';
  const isRight = {
    ORDER_001: order.readyAt === undefined,
    ORDER_021: (order.readyAt ?? 0) > time + waitForStateMs - SLACK_MS,
    REQUEST_ABANDONED: isDead,
  }[code];
  if (!(isRight ?? /^DOCUMENT_/.test(code))) simulation.violate(`${name} failed with ${code}`);
}
