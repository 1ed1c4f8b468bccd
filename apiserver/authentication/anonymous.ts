/** Decides where anonymous requests are accepted. What they may do is authorized like any other request. */
import { decodePercentOrKeep } from '../../shared/values/text/percent';

/** Called with the raw target of the request. */
export type AnonymousPolicy = (target: string) => boolean;

export const allowEverywhere: AnonymousPolicy = () => true;
export const allowNowhere: AnonymousPolicy = () => false;

/** Accepts anonymous requests at these paths only. */
export function allowAtPaths(paths: readonly string[]): AnonymousPolicy {
  const allowed = new Set(paths);
  return (target) => {
    const queryStart = target.indexOf('?');
    const path = queryStart < 0 ? target : target.slice(0, queryStart);
    return allowed.has(path) || (path.includes('%') && allowed.has(decodePercentOrKeep(path)));
  };
}
