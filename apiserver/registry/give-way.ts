/** One thread serves everyone: whoever does a lot of work for a request asks this between its steps. */
import type { RequestContext } from './verbs';

/** Undefined = go on; otherwise others go first, and it goes on when that resolves. */
export function giveWay(context: Pick<RequestContext, 'isTurnOver' | 'rest'>): Promise<void> | undefined {
  return context.isTurnOver === true ? context.rest?.() : undefined;
}
