/**
 * What the bootstrap signer makes of the cluster's description: a signature for each token that may sign, and none of anybody else. Decided from what is seen,
 * without a server. A signature (a detached JWS) is the same whenever it is made, so one that is there needs no check but a comparison.
 */
import { createHmac } from 'node:crypto';
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { CLUSTER_INFO } from '../../shared/names/bootstrap-token';
import { objectAt, own, setMember, stringAt, type JsonObject } from '../../shared/values/json';
import { signerOf, type SigningToken } from './bootstrap-token';

/** What of a token is the key. */
export type KeyPart = 'token' | 'secret';

export interface Signing {
  readonly action:
    | { readonly type: 'none' }
    | { readonly type: 'update'; readonly object: JsonObject }
    /** It would have to change and cannot (`immutable`). */
    | { readonly type: 'stuck' };
  /** Milliseconds until the next of the tokens ends; undefined = none does. */
  readonly endsAfterMs?: number;
}

const NOTHING: Signing = { action: { type: 'none' } };

export function signingOf(info: ApiObject | undefined, secrets: readonly ApiObject[], part: KeyPart, now: number): Signing {
  const data = objectAt(info?.body, 'data');
  const kubeconfig = stringAt(data, CLUSTER_INFO.kubeconfig);
  if (info === undefined || isBeingDeleted(info) || data === undefined || kubeconfig === undefined) return NOTHING;
  const tokens = secrets.flatMap((secret) => signingTokens(secret, now));
  const signed = withSignatures(data, kubeconfig, tokens, part);
  const next = Math.min(...tokens.map(({ end }) => end));
  return {
    action: actionFor(info, data, signed),
    ...(next === Infinity ? {} : { endsAfterMs: next - now }),
  };
}

function signingTokens(secret: ApiObject, now: number): readonly SigningToken[] {
  if (isBeingDeleted(secret)) return [];
  const signer = signerOf(secret);
  return signer.type === 'token' && signer.token.end > now ? [signer.token] : [];
}

function withSignatures(data: JsonObject, kubeconfig: string, tokens: readonly SigningToken[], part: KeyPart): JsonObject {
  const signed: JsonObject = {};
  for (const [name, value] of Object.entries(data)) {
    if (!name.startsWith(CLUSTER_INFO.signaturePrefix)) setMember(signed, name, value);
  }
  const payload = Buffer.from(kubeconfig).toString('base64url');
  for (const { id, secret } of tokens) {
    signed[CLUSTER_INFO.signaturePrefix + id] = detachedSignature(payload, id, part === 'token' ? `${id}.${secret}` : secret);
  }
  return signed;
}

/** `payload` is base64url text. */
function detachedSignature(payload: string, id: string, key: string): string {
  const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: id })).toString('base64url');
  const signature = createHmac('sha256', key).update(`${header}.`).update(payload).digest('base64url');
  return `${header}..${signature}`;
}

function actionFor({ body }: ApiObject, data: JsonObject, signed: JsonObject): Signing['action'] {
  const names = Object.keys(signed);
  if (names.length === Object.keys(data).length && names.every((name) => signed[name] === data[name])) return { type: 'none' };
  return own(body, 'immutable') === true ? { type: 'stuck' } : { type: 'update', object: { ...body, data: signed } };
}
