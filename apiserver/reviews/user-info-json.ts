/** Encodes users for the status of reviews. */
import type { JsonObject } from '../../shared/values/json';
import type { UserInfo } from '../../shared/api/identity/user';

/** The UserInfo of authentication/v1. Copies the lists, which requests share. */
export function userInfoJson({ name, uid, groups, extra }: UserInfo): JsonObject {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups: [...groups],
    ...(extra === undefined ? {} : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
}
