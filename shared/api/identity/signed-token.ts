/** Signs service account tokens. The claims are built by the callers. */
import { CompactSign } from 'jose/jws/compact/sign';
import type { JsonObject } from '../../values/json';
import type { TokenKey } from './token-keys';

/** Returns a JWS in the compact serialization. */
export function signToken(payload: JsonObject, { id, algorithm, key }: TokenKey): Promise<string> {
  return new CompactSign(Buffer.from(JSON.stringify(payload))).setProtectedHeader({ alg: algorithm, kid: id }).sign(key);
}
