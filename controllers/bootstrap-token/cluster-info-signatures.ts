/**
 * Decides the signatures in the cluster-info ConfigMap: one for each valid signing token, and no others. The functions
 * are pure. A signature (a detached JWS) is deterministic, so existing signatures are compared and not verified.
 */
import { createHmac } from 'node:crypto';
import type { CoreV1ConfigMap } from '../../shared/api/types/generated/members';
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { CLUSTER_INFO } from '../../shared/names/bootstrap-token';
import { setMember } from '../../shared/values/json';
import { parseSigningToken, type SigningToken, type TokenSecret } from './bootstrap-token';
import type { ConfigMap } from '../../shared/client/rest/typed-objects';

type Data = Record<string, string>;

/** The part of a token that is the key of its signature. */
export type KeyPart = 'token' | 'secret';

/** The write that the ConfigMap needs, and when the next one may be due. */
export interface SignaturePlan {
  readonly action:
    | { readonly type: 'none' }
    | { readonly type: 'update'; readonly body: CoreV1ConfigMap }
    /** It needs an update that the API server rejects, because the ConfigMap is immutable. */
    | { readonly type: 'immutable' };
  /** Milliseconds until the next token expires; undefined when none does. */
  readonly requeueAfterMs?: number;
}

const NO_PLAN: SignaturePlan = { action: { type: 'none' } };

/** `clusterInfo` is undefined when there is no such ConfigMap. `now`: milliseconds since 1970. */
export function reconcileSignatures(
  clusterInfo: ConfigMap | undefined,
  secrets: readonly TokenSecret[],
  keyPart: KeyPart,
  now: number,
): SignaturePlan {
  if (clusterInfo === undefined || isBeingDeleted(clusterInfo)) return NO_PLAN;
  const { data } = clusterInfo.body;
  const kubeconfig = data?.[CLUSTER_INFO.kubeconfig];
  if (data === undefined || kubeconfig === undefined) return NO_PLAN;
  const tokens = secrets.flatMap((secret) => validSigningTokens(secret, now));
  const signed = withSignatures(data, kubeconfig, tokens, keyPart);
  const nextExpiration = Math.min(...tokens.map(({ expiration }) => expiration));
  return {
    action: actionFor(clusterInfo, data, signed),
    ...(nextExpiration === Infinity ? {} : { requeueAfterMs: nextExpiration - now }),
  };
}

/** The token of the Secret, if it can sign. */
function validSigningTokens(secret: TokenSecret, now: number): readonly SigningToken[] {
  if (isBeingDeleted(secret)) return [];
  const result = parseSigningToken(secret);
  return result.type === 'token' && result.token.expiration > now ? [result.token] : [];
}

/** The data with the signatures of these tokens instead of the existing ones. */
function withSignatures(data: Data, kubeconfig: string, tokens: readonly SigningToken[], keyPart: KeyPart): Data {
  const signed: Data = {};
  for (const [name, value] of Object.entries(data)) {
    if (!name.startsWith(CLUSTER_INFO.signaturePrefix)) setMember(signed, name, value);
  }
  const payload = Buffer.from(kubeconfig).toString('base64url');
  for (const { id, secret } of tokens) {
    signed[CLUSTER_INFO.signaturePrefix + id] = detachedSignature(payload, { id, key: keyPart === 'token' ? `${id}.${secret}` : secret });
  }
  return signed;
}

/** A JWS without its payload: `header..signature`. The header names the token by its id. `payload`: in base64url. */
function detachedSignature(payload: string, { id, key }: { readonly id: string; readonly key: string }): string {
  const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: id })).toString('base64url');
  const signature = createHmac('sha256', key).update(`${header}.`).update(payload).digest('base64url');
  return `${header}..${signature}`;
}

function actionFor({ body }: ConfigMap, data: Data, signed: Data): SignaturePlan['action'] {
  const names = Object.keys(signed);
  if (names.length === Object.keys(data).length && names.every((name) => signed[name] === data[name])) return { type: 'none' };
  return body.immutable === true ? { type: 'immutable' } : { type: 'update', body: { ...body, data: signed } };
}
