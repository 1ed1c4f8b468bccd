/**
 * Authorization by a webhook: caching, limits, failure policies and match conditions. Calls are those of a fake.
 */
import { resourceAttributes } from '../../../test/support/objects/attributes';
import type { WebhookResult } from '../../../shared/client/rest/webhook';
import type { Authorizer, Decision } from '../authorizer';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { useForEachTest } from '../../../test/support/use-resource';
import { webhookAuthorizer, type WebhookAuthorizerOptions } from './authorizer';
import { compileMatchConditions } from './match-conditions';

const user = { name: 'ann', uid: '7', groups: ['devs'], extra: { 'example.com/x': ['1', '2'] } };
const getRole = resourceAttributes({ group: 'rbac.authorization.platform.io', resource: 'roles' });

describe('webhook authorizer', () => {
  /** A webhook: how it responds, and the reviews that it has received. */
  interface FakeWebhook {
    result: WebhookResult;
    /** The webhook responds when this resolves. */
    untilResponse: Promise<void>;
    readonly reviews: string[];
  }

  const clock = new ManualClock();
  /** A response with this status of the review. */
  const respondWith = (status: object): WebhookResult => ({ type: 'response', bytes: Buffer.from(JSON.stringify({ status })) });
  const unavailable: WebhookResult = { type: 'failure', error: new Error('away'), status: undefined, isRetryable: true };
  /** In each test the webhook allows, until the test changes it. */
  const webhook = useForEachTest((): FakeWebhook => ({
    result: respondWith({ allowed: true, reason: 'r' }),
    untilResponse: Promise.resolve(),
    reviews: [],
  }));

  function createAuthorizer(changes: Partial<WebhookAuthorizerOptions> = {}): Authorizer {
    return webhookAuthorizer({
      send: async (body) => {
        webhook().reviews.push(body.toString());
        await webhook().untilResponse;
        return webhook().result;
      },
      version: 'v1',
      dialect: 'platform',
      allowedTtlMs: 300_000,
      notAllowedTtlMs: 30_000,
      onFailure: 'NoOpinion',
      matchConditions: undefined,
      clock,
      onError: () => undefined,
      ...changes,
    });
  }

  it('caches allowed decisions longer than other decisions', async () => {
    const authorizer = createAuthorizer();
    expect(await authorizer.authorize(user, getRole)).toEqual({ type: 'allow', reason: 'r' });
    expect(authorizer.authorize(user, getRole)).toEqual({ type: 'allow', reason: 'r' });
    webhook().result = respondWith({ allowed: false, denied: true, reason: 'never' });
    clock.advance(300_000);
    expect(await authorizer.authorize(user, getRole)).toEqual({ type: 'deny', reason: 'never' });
    webhook().result = respondWith({ allowed: true });
    clock.advance(29_999);
    expect(authorizer.authorize(user, getRole)).toEqual({ type: 'deny', reason: 'never' });
    clock.advance(1);
    expect(await authorizer.authorize(user, getRole)).toMatchObject({ type: 'allow' });
    expect(webhook().reviews).toHaveLength(3);
  });

  it('sends one review for concurrent equal requests', async () => {
    let respond: () => void = () => undefined;
    webhook().untilResponse = new Promise((resolve) => (respond = resolve));
    const authorizer = createAuthorizer();
    const first = authorizer.authorize(user, getRole);
    const second = authorizer.authorize(user, getRole);
    expect(webhook().reviews).toHaveLength(1);
    respond();
    expect(await first).toMatchObject({ type: 'allow' });
    expect(await second).toMatchObject({ type: 'allow' });
    expect(webhook().reviews).toHaveLength(1);
  });

  it('has no opinion when 1,000 reviews are in flight', () => {
    webhook().untilResponse = new Promise(() => undefined);
    const authorizer = createAuthorizer();
    for (let index = 0; index < 1_000; index += 1) void authorizer.authorize({ name: `u${index}`, groups: [] }, getRole);
    expect(authorizer.authorize({ name: 'one too many', groups: [] }, getRole)).toEqual({
      type: 'no-opinion',
      reason: 'too many calls are in flight',
    });
  });

  it('logs failures at most once a minute', async () => {
    webhook().result = unavailable;
    const errors: unknown[] = [];
    const authorizer = createAuthorizer({ onError: (_message, error) => void errors.push(error) });
    for (let call = 0; call < 3; call += 1) await authorizer.authorize(user, getRole);
    expect(webhook().reviews).toHaveLength(3);
    expect(errors).toHaveLength(1);
    clock.advance(60_000);
    await authorizer.authorize(user, getRole);
    expect(errors).toHaveLength(2);
  });

  it('does not cache decisions for requests over 10,000 characters', async () => {
    const long = { name: 'x'.repeat(10_001), groups: [] };
    const authorizer = createAuthorizer();
    await authorizer.authorize(long, getRole);
    await authorizer.authorize(long, getRole);
    expect(webhook().reviews).toHaveLength(2);
  });

  it.each([
    ['NoOpinion', unavailable, 'no-opinion'],
    ['Deny', unavailable, 'deny'],
    ['Deny', { type: 'response', bytes: Buffer.from('rubbish') }, 'deny'],
  ] as const)('applies the failure policy %s when the webhook fails', async (onFailure, failure, type) => {
    webhook().result = failure;
    const authorizer = createAuthorizer({ onFailure });
    expect(await authorizer.authorize(user, getRole)).toMatchObject({ type });
    await authorizer.authorize(user, getRole);
    expect(webhook().reviews).toHaveLength(2);
  });

  it.each<[expressions: readonly string[], reviews: number, type: Decision['type']]>([
    [["request.resourceAttributes.namespace == 'n'"], 1, 'allow'],
    [["request.resourceAttributes.namespace == 'm'"], 0, 'no-opinion'],
    [["'devs' in request.groups", 'has(request.nonResourceAttributes)'], 0, 'no-opinion'],
    [["request.extra.nothing[0] == 'a'", "request.user == 'bob'"], 0, 'no-opinion'],
    [["request.extra.nothing[0] == 'a'"], 0, 'deny'],
    [[], 1, 'allow'],
  ])('with match conditions %j sends %d reviews and decides %s', async (expressions, reviews, type) => {
    const compiled = compileMatchConditions(expressions);
    if ('errors' in compiled) throw new Error(JSON.stringify(compiled.errors));
    const authorizer = createAuthorizer({ matchConditions: compiled.conditions, onFailure: 'Deny' });
    expect(await authorizer.authorize(user, getRole)).toMatchObject({ type });
    expect(webhook().reviews).toHaveLength(reviews);
  });

  it('reports the rules of a user as incomplete', () => {
    expect(createAuthorizer().rules(user, 'n')).toMatchObject({ isIncomplete: true });
  });
});
