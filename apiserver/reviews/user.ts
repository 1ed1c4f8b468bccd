/** A user as reviews show one. */
import type { JsonObject } from '../../shared/api/json';
import type { UserInfo } from '../../shared/api/user';

export function shownUser({ name, uid, groups, extra }: UserInfo): JsonObject {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups: [...groups],
    ...(extra === undefined ? {} : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
}
