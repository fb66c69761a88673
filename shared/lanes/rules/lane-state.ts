import { halfOf } from '../../marketplace/policies/whole-refusal.ts';
import type { LaneState } from '../model.ts';

/** After a request that was refused as a whole: the next ones have half of its rows. */
export function afterSplit(state: LaneState, rows: number): LaneState {
  return { ...state, rowsAtMost: halfOf(rows) };
}

/** After a request that was answered, or whose only row was refused: several at a time again, and of more rows. */
export function afterAnswer(
  { oneAtATime: _, rowsAtMost, ...state }: LaneState,
  rows: number,
  itemsPerRequest: number,
): LaneState {
  const more = Math.max(rowsAtMost ?? 0, 2 * rows);
  return rowsAtMost !== undefined && more < itemsPerRequest ? { ...state, rowsAtMost: more } : state;
}
