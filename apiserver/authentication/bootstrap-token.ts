/**
 * Bootstrap tokens, with which a machine that wants to join a cluster introduces itself: an id and a secret, which stand in a Secret of the system namespace.
 * Whatever is wrong with one, it is as if there were none.
 */
import { timingSafeEqual } from 'node:crypto';
import { bootstrapTokenExpiry } from '../../shared/api/identity/token-end';
import type { UserInfo } from '../../shared/api/identity/user';
import type { Clock } from '../../shared/runtime/clock';
import { fingerprint } from './fingerprint';
import { NOT_MINE, type TokenAuthenticator } from './authenticator';

/** The data of the Secret of a token, decoded; undefined = there is none of the right type, or it is being deleted. */
export type BootstrapSecrets = (id: string) => Readonly<Record<string, string>> | undefined;

export interface BootstrapTokenOptions {
  readonly secrets: BootstrapSecrets;
  readonly clock: Pick<Clock, 'now'>;
  /** What this server answers to. */
  readonly audiences: readonly string[];
}

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const EVERY_GROUP = 'system:bootstrappers';

export function bootstrapTokens({ secrets, clock, audiences: own }: BootstrapTokenOptions): TokenAuthenticator {
  return {
    authenticate(token, audiences) {
      const [, id, secret] = TOKEN.exec(token) ?? [];
      const data = id === undefined ? undefined : secrets(id);
      if (id === undefined || secret === undefined || data === undefined) return NOT_MINE;
      const user = userOf(id, secret, data, clock.now());
      const common = audiences.filter((audience) => own.includes(audience));
      if (user === undefined || (common.length === 0 && audiences.length > 0)) return NOT_MINE;
      return { type: 'user', user, audiences: common };
    },
  };
}

function userOf(id: string, secret: string, data: Readonly<Record<string, string>>, now: number): UserInfo | undefined {
  const isRight =
    data['token-id'] === id && isSame(data['token-secret'] ?? '', secret) && data['usage-bootstrap-authentication'] === 'true';
  if (!isRight || bootstrapTokenExpiry(data['expiration'] ?? '') <= now) return undefined;
  const named = data['auth-extra-groups'] ?? '';
  const extra = named === '' ? [] : named.split(',');
  if (!extra.every((group) => GROUP.test(group))) return undefined;
  return { name: `system:bootstrap:${id}`, groups: [...new Set([EVERY_GROUP, ...extra])].sort() };
}

/** Takes as long wherever they differ. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(fingerprint(one)), Buffer.from(fingerprint(other)));
