import { eachPage } from '../../collections/page-request.ts';
import { DEAD_LETTER_DELETED, type Rejection, type RejectionTable } from '../../rejections/model.ts';
import { importMessageSchema } from '../import-message.ts';
import type { ImportRecord } from '../model.ts';

/** What a message of the catalog importer goes on with: the file, the outcome of its rows, or the listings that it does not name. */
type Work = 'reading' | 'rows' | 'full';

interface DeletedMessages {
  /** Rows of deleted messages: they are not sent any more. */
  readonly rows: number;
  /** The rejection of a deleted message that went on with such work: no one goes on with it. */
  of(...works: readonly Work[]): Rejection | undefined;
}

/** Messages of the file that an operator deleted as dead letters. */
export async function deletedMessages(
  { rejections }: { readonly rejections: Pick<RejectionTable, 'list'> },
  { storeClientId, importId, reading }: ImportRecord,
): Promise<DeletedMessages> {
  const about = { name: 'importId', value: importId } as const;
  const listed = async (code: string) => {
    const pages = eachPage((from) => rejections.list(storeClientId, { about, code, ...from }));
    return (await Array.fromAsync(pages)).flatMap((page) => page.rejections);
  };
  const isOfFile = ({ commandId }: Rejection) => commandId === importId;
  const deleted = await listed(DEAD_LETTER_DELETED);
  // So is a deleted message rejected if its store is not connected. A file that was read may have this code for itself.
  const judged = reading === undefined ? await listed('STORE_UNKNOWN') : [];
  const ofFile = [...deleted, ...judged].filter(isOfFile);
  return {
    rows: deleted
      .filter((one) => !isOfFile(one))
      .reduce((sum, { subjects = [] }) => sum + Math.max(1, subjects.length), 0),
    of: (...works) => ofFile.find(({ details }) => works.includes(workOf(details?.body))),
  };
}

function workOf(body: unknown): Work {
  const message = importMessageSchema.safeParse(body).data;
  if (message === undefined || 'key' in message || message.notation !== undefined) return 'reading';
  return message.isFollowed ? 'rows' : 'full';
}
