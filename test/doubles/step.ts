/**
 * One operation on a service; `effect` is what it does there, at one moment. A double runs every operation through its
 * step, so that a test can delay it, fail it before or after its effect, or lose its answer. As with the SDK, a step
 * may do the effect twice.
 */
export type Step = <T>(operation: string, effect: () => T) => Promise<T>;

/** A service that never fails. */
export const directly: Step = async (_, effect) => effect();
