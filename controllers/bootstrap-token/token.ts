/** Bootstrap tokens as their Secrets tell them. Never judges whether somebody may use one to sign in: that is the server's work. */
import type { ApiObject } from '../../shared/client/api-object';
import { endOfToken } from '../../shared/api/identity/token-end';
import { objectAt, stringAt } from '../../shared/values/json';

/** Milliseconds since 1970; Infinity = never, -Infinity = what is said of it cannot be read. */
export function endOf(secret: ApiObject): number {
  return endOfToken(dataOf(secret, 'expiration'));
}

/** Decoded; '' where it is absent. */
function dataOf({ body }: ApiObject, name: string): string {
  return Buffer.from(stringAt(objectAt(body, 'data'), name) ?? '', 'base64').toString();
}
