/**
 * Who may read what a process serves about itself: some paths are open to everybody, of all others the API server is asked – whose token it is, and whether he
 * may. Answers are kept for a moment, because scrapers come often. Never decides anything by itself.
 */
import { createHash } from 'node:crypto';
import { forbiddenPath, internalError, unauthorized } from '../../shared/api/errors/status';
import type { UserInfo } from '../../shared/api/identity/user';
import { resourceOf, type Resource } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/logger';
import { arrayAt, objectAt, stringAt, type JsonObject } from '../../shared/values/json';

export interface Caller {
  /** The header, as it came. */
  readonly authorization: string | undefined;
  /** Whom a certificate of a trusted authority names. */
  readonly certified: UserInfo | undefined;
}

export interface PathAccessOptions {
  /** Asks whose a token is. */
  readonly tokens: RestClient;
  /** Asks what somebody may do. */
  readonly rights: RestClient;
  /** Open to everybody; one that ends with `*` opens all that begin so. */
  readonly openPaths: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
}

const TOKENS = resourceOf('authentication.v1.TokenReview');
const RIGHTS = resourceOf('authorization.v1.SubjectAccessReview');
const KEPT_MS = 10_000;
const MOST_KEPT = 1_000;
const MOST_TOKEN = 16_384;
const ASKING_MS = 10_000;
const BEARER = /^bearer +(\S+) *$/i;
const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

export class PathAccess {
  private readonly users: KeptAnswers<UserInfo | undefined>;
  private readonly decisions: KeptAnswers<boolean>;

  constructor(private readonly options: PathAccessOptions) {
    this.users = new KeptAnswers(options.clock);
    this.decisions = new KeptAnswers(options.clock);
  }

  /** Throws a StatusError: 401 for a token that nobody knows, 403, or 500 where the API server does not say. */
  async check(caller: Caller, method: string, path: string): Promise<void> {
    const user = await this.userOf(caller);
    if (this.isOpen(path)) return;
    const verb = method.toLowerCase();
    const allowed = await this.decisions.get(JSON.stringify([user, verb, path]), () => this.mayRead(user, verb, path));
    if (!allowed) throw forbiddenPath(`User ${JSON.stringify(user.name)} cannot ${verb} path ${JSON.stringify(path)}`);
  }

  private isOpen(path: string): boolean {
    return this.options.openPaths.some((open) => (open.endsWith('*') ? path.startsWith(open.slice(0, -1)) : path === open));
  }

  private async userOf({ authorization, certified }: Caller): Promise<UserInfo> {
    if (certified !== undefined) return certified;
    if (authorization === undefined) return ANONYMOUS;
    const token = BEARER.exec(authorization)?.[1];
    // What is no bearer token names nobody.
    if (token === undefined) return ANONYMOUS;
    if (token.length > MOST_TOKEN) throw unauthorized();
    const user = await this.users.get(createHash('sha256').update(token).digest('base64'), () => this.review(token));
    if (user === undefined) throw unauthorized();
    return user;
  }

  private async review(token: string): Promise<UserInfo | undefined> {
    const status = await this.ask(this.options.tokens, TOKENS, { spec: { token } });
    if (status['authenticated'] !== true) return undefined;
    const user = objectAt(status, 'user');
    const groups = (arrayAt(user, 'groups') ?? []).filter((group) => typeof group === 'string');
    const uid = stringAt(user, 'uid');
    return { name: stringAt(user, 'username') ?? '', groups, ...(uid === undefined ? {} : { uid }) };
  }

  private async mayRead({ name, groups, uid }: UserInfo, verb: string, path: string): Promise<boolean> {
    const spec: JsonObject = {
      user: name,
      groups: [...groups],
      ...(uid === undefined ? {} : { uid }),
      nonResourceAttributes: { verb, path },
    };
    return (await this.ask(this.options.rights, RIGHTS, { spec }))['allowed'] === true;
  }

  private async ask(client: RestClient, resource: Resource, question: JsonObject): Promise<JsonObject> {
    try {
      return objectAt(await client.review(resource, question, { timeoutMs: ASKING_MS }), 'status') ?? {};
    } catch (error) {
      this.options.logger.warn('the API server does not say who may read metrics', { error });
      throw internalError('the API server could not be asked');
    }
  }
}

/** Answers that count for a moment; whoever asks the same meanwhile waits for the same answer. Failures are not kept. */
class KeptAnswers<T> {
  private readonly answers = new Map<string, { readonly answer: Promise<T>; readonly since: number }>();

  constructor(private readonly clock: Clock) {}

  get(question: string, ask: () => Promise<T>): Promise<T> {
    const now = this.clock.monotonic();
    const known = this.answers.get(question);
    if (known !== undefined && now - known.since < KEPT_MS) return known.answer;
    if (this.answers.size >= MOST_KEPT) this.answers.clear();
    const answer = ask();
    this.answers.set(question, { answer, since: now });
    answer.catch(() => this.answers.delete(question));
    return answer;
  }
}
