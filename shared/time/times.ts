import * as z from 'zod';

/**
 * A time in milliseconds since the UNIX epoch. Everywhere, a value whose name ends in `At`, `until` or `since` is an `EpochMs` or an
 * `IsoTime`.
 */
export type EpochMs = number;

/** A time as ISO 8601 writes it, in UTC, such as `2026-11-21T08:00:00.000Z`. */
export type IsoTime = string;

export const epochMsSchema = z.number().int();
export const isoTimeSchema = z.string();
