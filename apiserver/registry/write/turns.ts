/**
 * One thread serves everyone: the write of a very large object gives way between its steps, so that nobody waits for all of them. Writes that are done in a
 * few milliseconds never do.
 */
import type { Clock } from '../../../shared/runtime/clock';
import { Pace, yieldToOthers, type Yield } from '../../cache/pace';

/** One such write goes on in each turn of the event loop, however many there are. */
let last: Promise<void> = Promise.resolve();

const afterOthers: Yield = () => (last = last.then(yieldToOthers));

/** Asked between two steps. */
export function turns(clock: Clock): { readonly pass: () => Promise<void> | undefined } {
  const pace = new Pace(clock, afterOthers, 1);
  return { pass: () => (pace.tired() ? pace.rest() : undefined) };
}
