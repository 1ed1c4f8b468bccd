/**
 * Authenticates bootstrap tokens, with which a new machine joins the cluster. A token is an id and a secret, and valid while
 * a Secret of the system namespace contains both. An invalid token counts as unknown, not as failed, so that another
 * authenticator may accept it.
 */
import { timingSafeEqual } from 'node:crypto';
import {
  BOOTSTRAPPERS_GROUP,
  isBootstrapperGroup,
  parseBootstrapToken,
  type BootstrapToken,
} from '../../shared/api/identity/bootstrap-token';
import { bootstrapTokenExpiry } from '../../shared/api/identity/bootstrap-token-expiry';
import type { UserInfo } from '../../shared/api/identity/user';
import type { Clock } from '../../shared/runtime/clock';
import { tokenFingerprint } from './token-fingerprint';
import { outcomeForAudiences, UNKNOWN_TOKEN, type TokenAuthenticator } from './authenticator';

/**
 * Returns the decoded data of the Secret of the token with this id. `undefined` when there is no such Secret, when it has
 * another type, or when it is being deleted.
 */
export type BootstrapSecrets = (id: string) => Readonly<Record<string, string>> | undefined;

/** The Secrets of tokens, and the audiences of this server. */
export interface BootstrapTokenOptions {
  readonly secrets: BootstrapSecrets;
  readonly clock: Pick<Clock, 'now'>;
  /** The audiences of this server. */
  readonly audiences: readonly string[];
}

/** Reads the Secret of a token at every request, so that a deleted Secret invalidates it at once. */
export function bootstrapTokenAuthenticator({ secrets, clock, audiences: serverAudiences }: BootstrapTokenOptions): TokenAuthenticator {
  return {
    authenticate(token, audiences) {
      const parsed = parseBootstrapToken(token);
      const data = parsed === undefined ? undefined : secrets(parsed.id);
      if (parsed === undefined || data === undefined) return UNKNOWN_TOKEN;
      const user = userOf(parsed, data, clock.now());
      return user === undefined ? UNKNOWN_TOKEN : outcomeForAudiences(user, audiences, serverAudiences);
    },
  };
}

/** `undefined` when the data does not allow the token at `now` (milliseconds since 1970). */
function userOf({ id, secret }: BootstrapToken, data: Readonly<Record<string, string>>, now: number): UserInfo | undefined {
  const isValid =
    data['token-id'] === id &&
    isEqualInConstantTime(data['token-secret'] ?? '', secret) &&
    data['usage-bootstrap-authentication'] === 'true';
  if (!isValid || bootstrapTokenExpiry(data['expiration'] ?? '') <= now) return undefined;
  const extraGroups = data['auth-extra-groups'] ?? '';
  const groups = extraGroups === '' ? [] : extraGroups.split(',');
  if (!groups.every(isBootstrapperGroup)) return undefined;
  return { name: `system:bootstrap:${id}`, groups: [...new Set([BOOTSTRAPPERS_GROUP, ...groups])].sort() };
}

/** The time that this takes does not depend on where the texts differ. Digests are compared, since they have one length. */
const isEqualInConstantTime = (a: string, b: string): boolean =>
  timingSafeEqual(Buffer.from(tokenFingerprint(a)), Buffer.from(tokenFingerprint(b)));
