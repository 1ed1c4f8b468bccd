/** The UserInfo of reviews. */
import type { JsonObject } from '../../shared/values/json';
import type { UserInfo } from '../../shared/api/identity/user';

/** Encodes a user. Copies the lists, which requests share. */
export function userInfoJson({ name, uid, groups, extra }: UserInfo): JsonObject {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups: [...groups],
    ...(extra === undefined ? {} : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
}
