/** Takes each failure of one part of some work. */
export type OnFailure = (error: unknown) => void;

/**
 * Does work on one of many whose failure must not end the work on the others.
 *
 * @returns what the work gives; `undefined` when it failed, which `onFailure` is given.
 */
export async function isolateFailure<Result>(
  onFailure: OnFailure,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    onFailure(error);
    return undefined;
  }
}
