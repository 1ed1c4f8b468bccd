/**
 * Bootstrap tokens as Secrets of the system namespace: creates, lists and deletes them as kubeadm does, so that both
 * programs can manage the same tokens. What a token may do follows from its groups (join-access.ts).
 */
import {
  BOOTSTRAP_TOKEN_USAGES,
  isBootstrapTokenId,
  type BootstrapToken,
  type BootstrapTokenUsage,
} from '../../shared/api/identity/bootstrap-token';
import { bootstrapTokenExpiry } from '../../shared/api/identity/bootstrap-token-expiry';
import type { CoreV1Secret } from '../../shared/api/types/generated/members';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import type { ObjectClient } from '../../shared/client/rest/resource-client';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { BOOTSTRAP_SECRET_PREFIX, BOOTSTRAP_TOKEN_SECRET_TYPE } from '../../shared/names/bootstrap-token';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import type { Random } from '../../shared/runtime/random';
import { appendAll } from '../../shared/values/append';

/** A bootstrap token, and what it may be used for. */
export interface TokenSettings {
  readonly token: BootstrapToken;
  readonly description: string;
  /** Milliseconds since 1970; Infinity for a token that does not expire, -Infinity for a malformed expiration. */
  readonly expiresAt: number;
  readonly usages: readonly BootstrapTokenUsage[];
  /** Groups of the token's user besides `system:bootstrappers`. */
  readonly groups: readonly string[];
}

const SECRETS = resourceOf('core.v1.Secret');
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const USAGE_PREFIX = 'usage-bootstrap-';
/** The length of the parts of a token, as kubeadm has it. */
const ID_LENGTH = 6;
const SECRET_LENGTH = 16;
/** Tokens per request; further ones are on later pages. */
const PAGE_SIZE = 500;

/** A token with a random id and secret. */
export const generateToken = (random: Random): BootstrapToken => ({
  id: random.string(ID_LENGTH, ALPHABET),
  secret: random.string(SECRET_LENGTH, ALPHABET),
});

/** The token as its user passes it: `abcdef.0123456789abcdef`. */
export const formatToken = ({ id, secret }: BootstrapToken): string => `${id}.${secret}`;

/** Rejects with the error of the server, 409 when the id is in use. */
export async function createToken(client: RestClient, settings: TokenSettings, signal: AbortSignal): Promise<void> {
  await secretsOf(client).create(secretOf(client, settings), { signal });
}

function secretOf({ dialect }: RestClient, { token, description, expiresAt, usages, groups }: TokenSettings): CoreV1Secret {
  return {
    metadata: { name: BOOTSTRAP_SECRET_PREFIX + token.id },
    type: BOOTSTRAP_TOKEN_SECRET_TYPE[dialect],
    stringData: {
      'token-id': token.id,
      'token-secret': token.secret,
      ...(description === '' ? {} : { description }),
      ...(expiresAt === Infinity ? {} : { expiration: new Date(expiresAt).toISOString().replace(/\.\d+Z$/, 'Z') }),
      ...Object.fromEntries(usages.map((usage) => [USAGE_PREFIX + usage, 'true'])),
      ...(groups.length === 0 ? {} : { 'auth-extra-groups': groups.join(',') }),
    },
  };
}

/** The tokens, by id. Secrets that hold no token are left out. */
export async function listTokens(client: RestClient, signal: AbortSignal): Promise<readonly TokenSettings[]> {
  const fieldSelector = `type=${BOOTSTRAP_TOKEN_SECRET_TYPE[client.dialect]}`;
  const tokens: TokenSettings[] = [];
  let next: string | undefined;
  do {
    const options = { fieldSelector, limit: PAGE_SIZE, signal };
    const page = await secretsOf(client).list(next === undefined ? options : { ...options, continue: next });
    appendAll(
      tokens,
      page.items.flatMap((secret) => parseTokenSecret(secret) ?? []),
    );
    next = page.continue;
  } while (next !== undefined);
  return tokens.sort((a, b) => (a.token.id < b.token.id ? -1 : 1));
}

/** `undefined` when the Secret has no secret or no valid id, or an id that differs from its name. */
export function parseTokenSecret({ name, body }: ApiObject<CoreV1Secret>): TokenSettings | undefined {
  const valueAt = (key: string): string => Buffer.from(body.data?.[key] ?? '', 'base64').toString();
  const [id, secret, groups] = [valueAt('token-id'), valueAt('token-secret'), valueAt('auth-extra-groups')];
  const hasValidId = isBootstrapTokenId(id) && name === BOOTSTRAP_SECRET_PREFIX + id;
  if (!hasValidId || secret === '') return undefined;
  return {
    token: { id, secret },
    description: valueAt('description'),
    expiresAt: bootstrapTokenExpiry(valueAt('expiration')),
    usages: BOOTSTRAP_TOKEN_USAGES.filter((usage) => valueAt(USAGE_PREFIX + usage) === 'true'),
    groups: groups === '' ? [] : groups.split(','),
  };
}

/** Rejects with the error of the server, 404 when there is no such token. */
export async function deleteToken(client: RestClient, id: string, signal: AbortSignal): Promise<void> {
  await secretsOf(client).delete(BOOTSTRAP_SECRET_PREFIX + id, { signal });
}

const secretsOf = (client: RestClient): ObjectClient<CoreV1Secret> =>
  client.of(SECRETS).namespace(GENERATED_NAMES[client.dialect].systemNamespace);
