/**
 * Authenticates and authorizes requests to the paths that a process serves about itself, by TokenReviews and
 * SubjectAccessReviews that are sent to the API server. Paths of an allow list need no authorization, but an invalid token
 * is rejected there as well. The results are cached for a short time, because metrics are scraped often. The rules about
 * users and paths are those of the API server.
 */
import { createHash } from 'node:crypto';
import { forbiddenPath, internalError, unauthorized } from '../../shared/api/errors/status';
import type { UserInfo } from '../../shared/api/identity/user';
import type { AuthenticationV1TokenReviewStatus, AuthorizationV1SubjectAccessReviewStatus } from '../../shared/api/types/generated/members';
import { resourceOf } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/logger';

/** The credentials of a request; the certificate takes precedence. */
export interface PathCredentials {
  /** The Authorization header. */
  readonly authorization: string | undefined;
  /** The user of a client certificate from a trusted authority. */
  readonly certificateUser: UserInfo | undefined;
}

/** The clients that send reviews, and the paths that need none. */
export interface PathAccessOptions {
  /** Sends TokenReviews. */
  readonly authenticationClient: RestClient;
  /** Sends SubjectAccessReviews. */
  readonly authorizationClient: RestClient;
  /** Paths that need no authorization; one that ends with `*` is a prefix. */
  readonly openPaths: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
}

const TOKEN_REVIEWS = resourceOf('authentication.v1.TokenReview');
const ACCESS_REVIEWS = resourceOf('authorization.v1.SubjectAccessReview');
/** How long the result of a review holds, as in upstream's delegated authentication and authorization. */
const CACHE_MS = 10_000;
/** Results in each cache. A full one is emptied. */
const MAX_CACHED = 1_000;
/** Longer tokens are rejected without a review. */
const MAX_TOKEN_LENGTH = 16_384;
/** Upstream's time limit for a request of delegated authentication and authorization. */
const REVIEW_TIMEOUT_MS = 10_000;
/** `Bearer abc`, in any case; captures `abc`. */
const BEARER = /^bearer +(\S+) *$/i;
const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** Shared by all connections of the server. */
export class PathAccess {
  private readonly users: ReviewCache<UserInfo | undefined>;
  private readonly decisions: ReviewCache<boolean>;

  constructor(private readonly options: PathAccessOptions) {
    this.users = new ReviewCache(options.clock);
    this.decisions = new ReviewCache(options.clock);
  }

  /** Throws a StatusError: 401 for an invalid token, 403 for a forbidden path, 500 when a review fails. */
  async check(credentials: PathCredentials, method: string, path: string): Promise<void> {
    const user = await this.authenticate(credentials);
    if (this.isOpen(path)) return;
    const verb = method.toLowerCase();
    const isAllowed = await this.decisions.get(JSON.stringify([user, verb, path]), () => this.reviewAccess(user, verb, path));
    if (!isAllowed) throw forbiddenPath(`User ${JSON.stringify(user.name)} cannot ${verb} path ${JSON.stringify(path)}`);
  }

  private isOpen(path: string): boolean {
    return this.options.openPaths.some((open) => (open.endsWith('*') ? path.startsWith(open.slice(0, -1)) : path === open));
  }

  private async authenticate({ authorization, certificateUser }: PathCredentials): Promise<UserInfo> {
    if (certificateUser !== undefined) return certificateUser;
    if (authorization === undefined) return ANONYMOUS;
    const token = BEARER.exec(authorization)?.[1];
    // A request with another authentication scheme is anonymous.
    if (token === undefined) return ANONYMOUS;
    if (token.length > MAX_TOKEN_LENGTH) throw unauthorized();
    const user = await this.users.get(createHash('sha256').update(token).digest('base64'), () => this.reviewToken(token));
    if (user === undefined) throw unauthorized();
    return user;
  }

  private async reviewToken(token: string): Promise<UserInfo | undefined> {
    const { authenticationClient } = this.options;
    const status = await this.reviewStatus<AuthenticationV1TokenReviewStatus>(() =>
      authenticationClient.of(TOKEN_REVIEWS).review({ spec: { token } }, { timeoutMs: REVIEW_TIMEOUT_MS }),
    );
    if (status.authenticated !== true) return undefined;
    const { username = '', groups = [], uid } = status.user ?? {};
    return { name: username, groups, ...(uid === undefined ? {} : { uid }) };
  }

  private async reviewAccess({ name, groups, uid }: UserInfo, verb: string, path: string): Promise<boolean> {
    const { authorizationClient } = this.options;
    const spec = { user: name, groups: [...groups], ...(uid === undefined ? {} : { uid }), nonResourceAttributes: { verb, path } };
    const status = await this.reviewStatus<AuthorizationV1SubjectAccessReviewStatus>(() =>
      authorizationClient.of(ACCESS_REVIEWS).review({ spec }, { timeoutMs: REVIEW_TIMEOUT_MS }),
    );
    return status.allowed === true;
  }

  /** Throws a StatusError (500) for a failed review: its cause is logged and not sent to the client. */
  private async reviewStatus<Status>(review: () => Promise<{ readonly status?: Status }>): Promise<Partial<Status>> {
    try {
      return (await review()).status ?? {};
    } catch (error) {
      this.options.logger.warn('the API server could not authorize access to metrics', { error });
      throw internalError('the API server could not be called');
    }
  }
}

/** Results by key, for a short time. Concurrent requests share one review. Failures are not cached. */
class ReviewCache<T> {
  /** `since`: when the review was sent, in milliseconds of the monotonic clock. */
  private readonly entries = new Map<string, { readonly result: Promise<T>; readonly since: number }>();

  constructor(private readonly clock: Clock) {}

  get(key: string, review: () => Promise<T>): Promise<T> {
    const now = this.clock.monotonic();
    const cached = this.entries.get(key);
    if (cached !== undefined && now - cached.since < CACHE_MS) return cached.result;
    if (this.entries.size >= MAX_CACHED) this.entries.clear();
    const result = review();
    this.entries.set(key, { result, since: now });
    result.catch(() => this.entries.delete(key));
    return result;
  }
}
