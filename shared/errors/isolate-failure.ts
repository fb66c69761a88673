/** Gets the error of each item that failed. */
export type OnFailure = (error: unknown) => void;

/**
 * Works on one item of many: its failure must not stop the others.
 *
 * @returns the result of `work`; `undefined` if it failed: `onFailure` gets the error.
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
