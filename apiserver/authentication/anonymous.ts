/** Whether somebody without credentials is let in as nobody in particular, and where. Says nothing of what nobody may do. */
import { decodePercentOrKeep } from '../../shared/values/percent';

/** Asked with the target of the request, as it came. */
export type AnonymousPolicy = (target: string) => boolean;

export const everywhere: AnonymousPolicy = () => true;
export const nowhere: AnonymousPolicy = () => false;

/** At these paths alone. */
export function onlyAt(paths: readonly string[]): AnonymousPolicy {
  const allowed = new Set(paths);
  return (target) => {
    const mark = target.indexOf('?');
    const path = mark < 0 ? target : target.slice(0, mark);
    return allowed.has(path) || (path.includes('%') && allowed.has(decodePercentOrKeep(path)));
  };
}
