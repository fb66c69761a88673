import type { SandboxControls, SandboxRequest } from '../sandbox-controls.ts';

/** After this time a request without an answer counts as cut. */
const ANSWER_WITHIN_MS = 30_000;

/**
 * Watches a sandbox's requests from now on.
 *
 * @returns a function that reads the answered requests since its last call, in order of arrival. After a reset of the sandbox, all
 * requests in its log count as new. Calls must not overlap.
 * @throws Error, as the function does, when the sandbox does not answer
 */
export async function createRequestWatcher(
  controls: Pick<SandboxControls, 'requests'>,
): Promise<() => Promise<SandboxRequest[]>> {
  let seen = (await controls.requests()).requests.at(-1)?.sequence ?? 0;
  return async () => {
    // The query includes the last seen request. If that is missing, the sandbox was reset.
    let { requests } = await controls.requests(Math.max(0, seen - 1));
    if (seen > 0 && requests[0]?.sequence !== seen) {
      seen = 0;
      ({ requests } = await controls.requests());
    }
    const later = requests.filter(({ sequence }) => sequence > seen);
    const open = later.findIndex(
      ({ status, time }) => status === null && Date.now() - Date.parse(time) < ANSWER_WITHIN_MS,
    );
    const answered = open === -1 ? later : later.slice(0, open);
    seen = answered.at(-1)?.sequence ?? seen;
    return answered;
  };
}
