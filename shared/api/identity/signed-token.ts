/** Signs what a service account token says. Never decides what that is. */
import { CompactSign } from 'jose/jws/compact/sign';
import type { JsonObject } from '../../values/json';
import type { TokenKey } from './token-keys';

/** The token: a signed object, in the compact form. */
export function signedToken(payload: JsonObject, { id, algorithm, key }: TokenKey): Promise<string> {
  return new CompactSign(Buffer.from(JSON.stringify(payload))).setProtectedHeader({ alg: algorithm, kid: id }).sign(key);
}
