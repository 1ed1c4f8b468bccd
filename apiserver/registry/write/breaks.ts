/**
 * One thread serves everyone: the write of a very large object gives way between its steps, so that nobody waits for all of them. Writes that are done in a
 * few milliseconds never do.
 */
import type { Clock } from '../../../shared/runtime/clock';
import type { GiveWay } from '../../../shared/values/steps';
import { Pace, yieldToOthers } from '../../cache/pace';
import type { RequestContext } from '../verbs';

/** So many turns a request needs that came while a step ran: its connection is read, it is let in, and it is answered. */
const TURNS = 4;

/** Asked between two steps. */
export function breaks(clock: Clock, context: Pick<RequestContext, 'rest'>): { readonly pass: GiveWay } {
  const rest = async (): Promise<void> => {
    for (let turn = 0; turn < TURNS; turn += 1) await (context.rest?.() ?? yieldToOthers());
  };
  const pace = new Pace(clock, rest, 1);
  return { pass: () => (pace.tired() ? pace.rest() : undefined) };
}
