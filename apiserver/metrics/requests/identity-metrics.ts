/**
 * Metrics of authentication and authorization: attempts, durations, users, and uses of service account tokens. Counted
 * on the path of every request, and copied to prom-client at scrape time.
 */
import { Counter, type Registry } from 'prom-client';
import type { UserInfo } from '../../../shared/api/identity/user';
import type { Clock } from '../../../shared/runtime/clock';
import type { Meters } from '../registry/meters';

/** The credentials of a request, and the duration of its authentication. */
interface PresentedCredentials {
  readonly hasCredentials: boolean;
  readonly ms: number;
  /** `expiresAt` is in milliseconds since 1970. */
  readonly certificate: { readonly isVerified: boolean; readonly expiresAt?: number } | undefined;
}

interface IdentityCounter {
  readonly name: string;
  readonly help: string;
  /** The only label; undefined for a counter without labels. */
  readonly label: string | undefined;
  /** The count for each label value; for a counter without labels, the count under the empty key. */
  readonly counts: Readonly<Record<string, keyof IdentityCounts>>;
}

const IDENTITY_COUNTERS: readonly IdentityCounter[] = [
  {
    name: 'authentication_attempts',
    help: 'Authentication attempts, by result.',
    label: 'result',
    counts: { success: 'authenticated', error: 'invalidCredentials', failure: 'unauthenticated' },
  },
  {
    name: 'authorization_attempts_total',
    help: 'Authorization attempts, by result.',
    label: 'result',
    counts: { allowed: 'allowed', denied: 'denied', 'no-opinion': 'undecided' },
  },
  {
    name: 'authenticated_user_requests',
    help: 'Authenticated requests, by user.',
    label: 'username',
    counts: { admin: 'admin', other: 'other' },
  },
  {
    name: 'serviceaccount_valid_tokens_total',
    help: 'Uses of service account tokens that are not stale.',
    label: undefined,
    counts: { '': 'fresh' },
  },
  {
    name: 'serviceaccount_stale_tokens_total',
    help: 'Uses of service account tokens past the time at which they should have been refreshed.',
    label: undefined,
    counts: { '': 'stale' },
  },
  {
    name: 'serviceaccount_legacy_tokens_total',
    help: 'Uses of service account tokens without an audience.',
    label: undefined,
    counts: { '': 'implicit' },
  },
  {
    name: 'serviceaccount_legacy_auto_token_uses_total',
    help: 'Uses of auto-generated service account tokens in Secrets.',
    label: undefined,
    counts: { '': 'automatic' },
  },
  {
    name: 'serviceaccount_legacy_manual_token_uses_total',
    help: 'Uses of manually created service account tokens in Secrets.',
    label: undefined,
    counts: { '': 'manual' },
  },
  {
    name: 'serviceaccount_invalid_legacy_auto_token_uses_total',
    help: 'Uses of service account tokens in Secrets that are marked as invalid.',
    label: undefined,
    counts: { '': 'invalid' },
  },
];

/** The count of each decision of the authorizer chain. */
const AUTHORIZATION_COUNTS = { allow: 'allowed', deny: 'denied', 'no-opinion': 'undecided' } as const;

/** The counts and observers of one server. */
export class IdentityMetrics {
  private readonly counts = createCounts();
  private readonly times: ReturnType<typeof createIdentityObservers>;

  constructor(
    private readonly clock: Clock,
    private readonly meters: Meters,
  ) {
    this.times = createIdentityObservers(meters);
  }

  /** Records an attempt to authenticate. `user` is undefined when the request is not authenticated. */
  recordAuthentication(user: UserInfo | undefined, { hasCredentials, certificate, ms }: PresentedCredentials): void {
    const { counts, times } = this;
    times.authentication[authenticationResult(user, hasCredentials)].observe(ms / 1000);
    if (certificate?.expiresAt !== undefined && certificate.isVerified) {
      const remainingSeconds = (certificate.expiresAt - this.clock.now()) / 1000;
      this.meters.observer('apiserver_client_certificate_expiration_seconds').observe(remainingSeconds);
    }
    if (user === undefined) {
      if (hasCredentials) counts.invalidCredentials += 1;
      else counts.unauthenticated += 1;
      return;
    }
    counts.authenticated += 1;
    if (user.name === 'admin') counts.admin += 1;
    else counts.other += 1;
  }

  /**
   * Records the use of a service account token. One use can be recorded under several names, such as `fresh` and
   * `implicit`.
   */
  recordTokenUse(use: 'fresh' | 'stale' | 'implicit' | 'automatic' | 'manual' | 'invalid'): void {
    this.counts[use] += 1;
  }

  /** Records the final decision of the authorizer chain. */
  recordAuthorization(type: 'allow' | 'deny' | 'no-opinion', ms: number): void {
    this.counts[AUTHORIZATION_COUNTS[type]] += 1;
    this.times.authorization[type].observe(ms / 1000);
  }

  /** Registers the counters, which are collected at scrape time. Called once. */
  publish(registry: Registry): void {
    const { counts } = this;
    for (const { name, help, label, counts: countNames } of IDENTITY_COUNTERS) {
      new Counter({
        name,
        help,
        labelNames: label === undefined ? [] : [label],
        registers: [registry],
        collect() {
          this.reset();
          for (const [value, count] of Object.entries(countNames)) this.inc(label === undefined ? {} : { [label]: value }, counts[count]);
        },
      });
    }
  }
}

function authenticationResult(user: UserInfo | undefined, hasCredentials: boolean): 'success' | 'error' | 'failure' {
  if (user !== undefined) return 'success';
  return hasCredentials ? 'error' : 'failure';
}

type IdentityCounts = ReturnType<typeof createCounts>;

function createCounts() {
  return {
    authenticated: 0,
    /** Requests with credentials that no authenticator accepts. */
    invalidCredentials: 0,
    /** Requests without credentials. */
    unauthenticated: 0,
    allowed: 0,
    denied: 0,
    /** Requests on which no authorizer has an opinion; they are refused, too. */
    undecided: 0,
    /** Requests of the user `admin`, and of other users. */
    admin: 0,
    other: 0,
    // Uses of service account tokens; see the help texts above.
    fresh: 0,
    stale: 0,
    implicit: 0,
    automatic: 0,
    manual: 0,
    invalid: 0,
  };
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
