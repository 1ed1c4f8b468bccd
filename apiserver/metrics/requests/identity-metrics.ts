/**
 * Metrics of authentication and authorization: attempts, durations, users, and uses of service account tokens. Counted on
 * the path of every request, and copied to prom-client at scrape time.
 */
import { Counter, type Registry } from 'prom-client';
import type { UserInfo } from '../../../shared/api/identity/user';
import type { Clock } from '../../../shared/runtime/clock';
import type { Meters } from '../registry/meters';

/** The credentials of a request. */
interface PresentedCredentials {
  readonly hasCredentials: boolean;
  readonly ms: number;
  readonly certificate: { readonly isVerified: boolean; readonly expiresAt?: number } | undefined;
}

/** Counters of authentication and authorization: name, help, label, and the count for each label value. */
const IDENTITY_COUNTERS = [
  [
    'authentication_attempts',
    'Authentication attempts, by result.',
    'result',
    { success: 'authenticated', error: 'mistaken', failure: 'unauthenticated' },
  ],
  [
    'authorization_attempts_total',
    'Authorization attempts, by result.',
    'result',
    { allowed: 'allowed', denied: 'denied', 'no-opinion': 'refused' },
  ],
  ['authenticated_user_requests', 'Authenticated requests, by user.', 'username', { admin: 'admin', other: 'other' }],
  ['serviceaccount_valid_tokens_total', 'Uses of service account tokens that are not stale.', undefined, { '': 'fresh' }],
  [
    'serviceaccount_stale_tokens_total',
    'Uses of service account tokens past the time at which they should have been refreshed.',
    undefined,
    { '': 'stale' },
  ],
  ['serviceaccount_legacy_tokens_total', 'Uses of service account tokens without an audience.', undefined, { '': 'implicit' }],
  [
    'serviceaccount_legacy_auto_token_uses_total',
    'Uses of auto-generated service account tokens in Secrets.',
    undefined,
    { '': 'automatic' },
  ],
  [
    'serviceaccount_legacy_manual_token_uses_total',
    'Uses of manually created service account tokens in Secrets.',
    undefined,
    { '': 'manual' },
  ],
  [
    'serviceaccount_invalid_legacy_auto_token_uses_total',
    'Uses of service account tokens in Secrets that are marked as invalid.',
    undefined,
    { '': 'invalid' },
  ],
] as const;

const AUTHORIZATION_COUNTS = { allow: 'allowed', deny: 'denied', 'no-opinion': 'refused' } as const;

export class IdentityMetrics {
  private readonly counts = {
    authenticated: 0,
    mistaken: 0,
    unauthenticated: 0,
    allowed: 0,
    denied: 0,
    refused: 0,
    admin: 0,
    other: 0,
    fresh: 0,
    stale: 0,
    implicit: 0,
    automatic: 0,
    manual: 0,
    invalid: 0,
  };
  private readonly times: ReturnType<typeof createIdentityObservers>;

  constructor(
    private readonly clock: Clock,
    private readonly meters: Meters,
  ) {
    this.times = createIdentityObservers(meters);
  }

  recordAuthentication(user: UserInfo | undefined, { hasCredentials, certificate, ms }: PresentedCredentials): void {
    const { counts, times } = this;
    const outcome = user !== undefined ? 'success' : hasCredentials ? 'error' : 'failure';
    times.authentication[outcome].observe(ms / 1000);
    if (certificate?.expiresAt !== undefined && certificate.isVerified) {
      const remainingSeconds = (certificate.expiresAt - this.clock.now()) / 1000;
      this.meters.observer('apiserver_client_certificate_expiration_seconds').observe(remainingSeconds);
    }
    if (user === undefined) {
      if (hasCredentials) counts.mistaken += 1;
      else counts.unauthenticated += 1;
      return;
    }
    counts.authenticated += 1;
    if (user.name === 'admin') counts.admin += 1;
    else counts.other += 1;
  }

  /** Records the use of a service account token. */
  recordTokenUse(use: 'fresh' | 'stale' | 'implicit' | 'automatic' | 'manual' | 'invalid'): void {
    this.counts[use] += 1;
  }

  recordAuthorization(type: 'allow' | 'deny' | 'no-opinion', ms: number): void {
    this.counts[AUTHORIZATION_COUNTS[type]] += 1;
    this.times.authorization[type].observe(ms / 1000);
  }

  publish(registry: Registry): void {
    const { counts } = this;
    for (const [name, help, label, values] of IDENTITY_COUNTERS) {
      new Counter({
        name,
        help,
        labelNames: label === undefined ? [] : [label],
        registers: [registry],
        collect() {
          this.reset();
          for (const [value, count] of Object.entries(values)) this.inc(label === undefined ? {} : { [label]: value }, counts[count]);
        },
      });
    }
  }
}

function createIdentityObservers(meters: Meters) {
  return {
    authentication: {
      success: meters.observer('authentication_duration_seconds', 'success'),
      failure: meters.observer('authentication_duration_seconds', 'failure'),
      error: meters.observer('authentication_duration_seconds', 'error'),
    },
    authorization: {
      allow: meters.observer('authorization_duration_seconds', 'allowed'),
      deny: meters.observer('authorization_duration_seconds', 'denied'),
      'no-opinion': meters.observer('authorization_duration_seconds', 'no-opinion'),
    },
  };
}
