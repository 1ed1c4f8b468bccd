/**
 * Decides at which paths anonymous requests are accepted. What an accepted request may do is decided by the authorizers,
 * as for every other user.
 */
import { decodePercentOrKeep } from '../../shared/values/text/percent';

/** Whether an anonymous request is accepted; `target` is the raw target of the request. */
export type AnonymousPolicy = (target: string) => boolean;

/** Accepts anonymous requests at all paths. */
export const allowEverywhere: AnonymousPolicy = () => true;
/** Accepts no anonymous request. */
export const allowNowhere: AnonymousPolicy = () => false;

/** Accepts anonymous requests at exactly these paths, whether or not the target encodes them. */
export function allowAtPaths(paths: readonly string[]): AnonymousPolicy {
  const allowed = new Set(paths);
  return (target) => {
    const queryStart = target.indexOf('?');
    const path = queryStart < 0 ? target : target.slice(0, queryStart);
    return allowed.has(path) || (path.includes('%') && allowed.has(decodePercentOrKeep(path)));
  };
}
