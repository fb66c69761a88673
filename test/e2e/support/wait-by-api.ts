import type { ConnectorRun } from '../../../local/run/connector-run.ts';
import { until } from '../../../local/run/until.ts';
import { type Attention, type AttentionKind, attentionListSchema } from '../../../shared/attention/model.ts';
import { type Health, healthSchema } from '../../../shared/health/model.ts';

/** Waits by the HTTP API, for tests of the command line: it must not be started again and again until something is so. */
export function waitByApi({ partner }: Pick<ConnectorRun, 'partner'>) {
  const attention = async (): Promise<readonly Attention[]> =>
    attentionListSchema.parse((await partner.callApi('GET', '/attention')).body).attention;
  return {
    needs: (kind: AttentionKind) =>
      until(`${kind} in what waits for a person`, async () =>
        (await attention()).some((one) => one.kind === kind),
      ),
    nothingNeeds: () =>
      until('the end of what waits for a person', async () => (await attention()).length === 0),
    healthIs: (state: Health['state']) =>
      until(`a marketplace that is ${state}`, async () => {
        const { body } = await partner.callApi('GET', '/health');
        return healthSchema.parse(body).state === state;
      }),
    /** Until the path is answered with 200. */
    exists: (path: string) => until(path, async () => (await partner.callApi('GET', path)).status === 200),
  };
}
