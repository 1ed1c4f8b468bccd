/**
 * Authorization by a webhook: the review that is sent, how its response is read, caching, failure policies and match
 * conditions. Calls are those of a fake.
 */
import { resourceAttributes } from '../../../test/support/objects/attributes';
import type { WebhookResult } from '../../../shared/client/rest/webhook';
import type { UserInfo } from '../../../shared/api/identity/user';
import type { Attributes, Authorizer, Decision } from '../authorizer';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { webhookAuthorizer, type WebhookAuthorizerOptions } from './authorizer';
import { compileMatchConditions, type MatchResult } from './match-conditions';
import { readDecision, subjectAccessReviewBody, subjectAccessReviewSpec } from './subject-access-review';

const user = { name: 'ann', uid: '7', groups: ['devs'], extra: { 'example.com/x': ['1', '2'] } };
const getRole = resourceAttributes({ group: 'rbac.authorization.platform.io', resource: 'roles' });

describe('SubjectAccessReview of the webhook', () => {
  it('contains the user and a resource request in the configured spelling', () => {
    expect(subjectAccessReviewSpec(user, getRole, 'kubernetes')).toEqual({
      resourceAttributes: { namespace: 'n', verb: 'get', group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'roles' },
      user: 'ann',
      uid: '7',
      groups: ['devs'],
      extra: { 'example.com/x': ['1', '2'] },
    });
  });

  it('contains the path and verb of a request outside the resource API', () => {
    expect(subjectAccessReviewSpec({ name: 'x', groups: [] }, { kind: 'path', verb: 'get', path: '/x' }, 'platform')).toEqual({
      user: 'x',
      nonResourceAttributes: { path: '/x', verb: 'get' },
    });
  });

  it('names the configured version and spelling', () => {
    const spec = { user: 'ann', groups: ['devs'] };
    expect(JSON.parse(subjectAccessReviewBody(spec, 'v1', 'kubernetes').toString())).toMatchObject({
      apiVersion: 'authorization.k8s.io/v1',
      spec: { user: 'ann', groups: ['devs'] },
    });
    expect(JSON.parse(subjectAccessReviewBody(spec, 'v1beta1', 'platform').toString())).toMatchObject({
      apiVersion: 'authorization.platform.io/v1beta1',
      spec: { user: 'ann', group: ['devs'] },
    });
  });

  it('spells signer names in the configured spelling', () => {
    const named = (dialect: 'platform' | 'kubernetes') =>
      subjectAccessReviewSpec({ name: 'x', groups: [] }, resourceAttributes({ resource: 'signers', name: 'platform.io/s' }), dialect);
    expect(named('kubernetes')).toMatchObject({ resourceAttributes: { name: 'kubernetes.io/s' } });
    expect(named('platform')).toMatchObject({ resourceAttributes: { name: 'platform.io/s' } });
  });

  it.each<[text: string, type: Decision['type'] | undefined]>([
    ['{"status":{"allowed":true,"reason":"r"}}', 'allow'],
    ['{"status":{"allowed":false}}', 'no-opinion'],
    ['{"status":{"allowed":false,"denied":true}}', 'deny'],
    ['{"status":{"allowed":true,"denied":true}}', undefined],
    ['{"status":{}}', 'no-opinion'],
    ['{}', undefined],
    ['[]', undefined],
    ['<html>', undefined],
  ])('reads the response %s as the decision %s', (text, type) => expect(readDecision(Buffer.from(text))?.type).toBe(type));
});

describe('webhook authorizer', () => {
  const clock = new ManualClock();
  const sentReviews: string[] = [];
  /** The outcome of the next calls. */
  let result: WebhookResult;
  /** Resolves when the webhook responds to the calls. */
  let untilResponse: Promise<void>;
  beforeEach(() => {
    sentReviews.length = 0;
    untilResponse = Promise.resolve();
    result = respondWith({ allowed: true, reason: 'r' });
  });
  const respondWith = (status: object): WebhookResult => ({ type: 'response', bytes: Buffer.from(JSON.stringify({ status })) });
  const unavailable: WebhookResult = { type: 'failure', error: new Error('away'), status: undefined, isRetryable: true };

  function createAuthorizer(changes: Partial<WebhookAuthorizerOptions> = {}): Authorizer {
    return webhookAuthorizer({
      send: async (body) => {
        sentReviews.push(body.toString());
        await untilResponse;
        return result;
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
    result = respondWith({ allowed: false, denied: true, reason: 'never' });
    clock.advance(300_000);
    expect(await authorizer.authorize(user, getRole)).toEqual({ type: 'deny', reason: 'never' });
    result = respondWith({ allowed: true });
    clock.advance(29_999);
    expect(authorizer.authorize(user, getRole)).toEqual({ type: 'deny', reason: 'never' });
    clock.advance(1);
    expect(await authorizer.authorize(user, getRole)).toMatchObject({ type: 'allow' });
    expect(sentReviews).toHaveLength(3);
  });

  it('sends one review for concurrent equal requests', async () => {
    let respond: () => void = () => undefined;
    untilResponse = new Promise((resolve) => (respond = resolve));
    const authorizer = createAuthorizer();
    const first = authorizer.authorize(user, getRole);
    const second = authorizer.authorize(user, getRole);
    expect(sentReviews).toHaveLength(1);
    respond();
    expect(await first).toMatchObject({ type: 'allow' });
    expect(await second).toMatchObject({ type: 'allow' });
    expect(sentReviews).toHaveLength(1);
  });

  it('has no opinion when 1,000 reviews are in flight', () => {
    untilResponse = new Promise(() => undefined);
    const authorizer = createAuthorizer();
    for (let index = 0; index < 1_000; index += 1) void authorizer.authorize({ name: `u${index}`, groups: [] }, getRole);
    expect(authorizer.authorize({ name: 'one too many', groups: [] }, getRole)).toEqual({
      type: 'no-opinion',
      reason: 'too many calls are in flight',
    });
  });

  it('logs failures at most once a minute', async () => {
    result = unavailable;
    const errors: unknown[] = [];
    const authorizer = createAuthorizer({ onError: (_message, error) => void errors.push(error) });
    for (let call = 0; call < 3; call += 1) await authorizer.authorize(user, getRole);
    expect(sentReviews).toHaveLength(3);
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
    expect(sentReviews).toHaveLength(2);
  });

  it.each([
    ['NoOpinion', unavailable, 'no-opinion'],
    ['Deny', unavailable, 'deny'],
    ['Deny', { type: 'response', bytes: Buffer.from('rubbish') }, 'deny'],
  ] as const)('applies the failure policy %s when the webhook fails', async (onFailure, failure, type) => {
    result = failure;
    const authorizer = createAuthorizer({ onFailure });
    expect(await authorizer.authorize(user, getRole)).toMatchObject({ type });
    await authorizer.authorize(user, getRole);
    expect(sentReviews).toHaveLength(2);
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
    expect(sentReviews).toHaveLength(reviews);
  });

  /** Messages with which release 1.31.1 rejects the expressions at start. */
  it.each<[expression: string, reason: string]>([
    ['request', 'must evaluate to bool but got kubernetes.SubjectAccessReviewSpec'],
    ['request.resourceAttributes', 'must evaluate to bool but got kubernetes.ResourceAttributes'],
    ['request.nonResourceAttributes', 'must evaluate to bool but got kubernetes.NonResourceAttributes'],
    ['request.user', 'must evaluate to bool but got string'],
    ['request.groups', 'must evaluate to bool but got list(string)'],
    ['request.extra', 'must evaluate to bool but got map(string, list(string))'],
    ['request.?user', 'must evaluate to bool but got optional_type(string)'],
    ['1', 'must evaluate to bool but got int'],
    ['null', 'must evaluate to bool but got null_type'],
    ['dyn(true)', 'must evaluate to bool but got dyn'],
    ["request.usr == 'a'", "compilation failed: ERROR: <input>:1:8: undefined field 'usr'\n | request.usr == 'a'\n | .......^"],
    ['has(request.usr)', "compilation failed: ERROR: <input>:1:4: undefined field 'usr'\n | has(request.usr)\n | ...^"],
    [
      "request.resourceAttributes.fieldSelector == 'a'",
      "compilation failed: ERROR: <input>:1:27: undefined field 'fieldSelector'\n | request.resourceAttributes.fieldSelector == 'a'\n | ..........................^",
    ],
    [
      'request.user == 1',
      "compilation failed: ERROR: <input>:1:14: found no matching overload for '_==_' applied to '(string, int)'\n | request.user == 1\n | .............^",
    ],
    [
      'request.groups.all(g, g)',
      "compilation failed: ERROR: <input>:1:23: expected type 'bool' but found 'string'\n | request.groups.all(g, g)\n | ......................^",
    ],
    [
      "object.user == 'a'",
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'object' (in container '')\n | object.user == 'a'\n | ^",
    ],
  ])('rejects the match condition %j', (expression, reason) => {
    expect(compileMatchConditions([expression])).toEqual({
      errors: [{ index: 0, reason: `Invalid value: ${JSON.stringify(expression)}: ${reason}` }],
    });
  });

  it('rejects blank and duplicate match conditions', () => {
    expect(compileMatchConditions(['true', ' ', 'true'])).toEqual({
      errors: [
        { index: 1, reason: 'Required value' },
        { index: 2, reason: 'Duplicate value: "true"' },
      ],
    });
  });

  it('accepts match conditions on selectors only when the AuthorizeWithSelectors feature gate is on', () => {
    const expression = "request.resourceAttributes.fieldSelector.requirements.exists(r, r.key == 'a' && 'b' in r.values)";
    expect(compileMatchConditions([expression])).toHaveProperty('errors');
    const compiled = compileMatchConditions([expression], { hasSelectors: true });
    if ('errors' in compiled) throw new Error(JSON.stringify(compiled.errors));
    const selecting = (value: string) => ({
      fieldSelector: { requirements: [{ key: 'a', operator: 'In', values: [value] }] },
    });
    const matchResult = (value: string) =>
      compiled.conditions(subjectAccessReviewSpec(user, resourceAttributes({ selectors: selecting(value) }), 'platform'));
    expect(matchResult('b')).toBe('yes');
    expect(matchResult('c')).toBe('no');
  });

  /**
   * Results of release 1.31.1 for three reviews:
   *
   * - `plain`: a resource without subresource, a user with nothing but a name.
   * - `full`: a resource with subresource and name, a user with all members.
   * - `path`: a path outside the resource API, a user with nothing but a name.
   */
  it.each<[expression: string, plain: MatchResult, full: MatchResult, path: MatchResult]>([
    ['has(request.resourceAttributes)', 'yes', 'yes', 'no'],
    ['has(request.nonResourceAttributes)', 'no', 'no', 'yes'],
    ['has(request.resourceAttributes.subresource)', 'yes', 'yes', 'error'],
    ['has(request.uid)', 'yes', 'yes', 'yes'],
    ['has(request.extra)', 'yes', 'yes', 'yes'],
    ["request.uid == ''", 'yes', 'no', 'yes'],
    ['size(request.extra) == 0', 'yes', 'no', 'yes'],
    ["request.resourceAttributes.subresource == ''", 'yes', 'no', 'error'],
    ["request.resourceAttributes.namespace == 'n'", 'yes', 'yes', 'error'],
    ["'scopes' in request.extra", 'no', 'yes', 'no'],
    ["request.extra.scopes[0] == 'a'", 'error', 'yes', 'error'],
    ["request.groups.exists(g, g == 'devs')", 'no', 'yes', 'no'],
    ["request.nonResourceAttributes.verb == 'get'", 'error', 'error', 'yes'],
    ["request.?uid.orValue('none') == ''", 'yes', 'no', 'yes'],
    ['request.?nonResourceAttributes.hasValue()', 'no', 'no', 'yes'],
    ['request == request', 'yes', 'yes', 'yes'],
  ])('evaluates the match condition %j as release 1.31.1 does', (expression, plain, full, path) => {
    const compiled = compileMatchConditions([expression]);
    if ('errors' in compiled) throw new Error(JSON.stringify(compiled.errors));
    const match = (requester: UserInfo, attributes: Attributes): MatchResult =>
      compiled.conditions(subjectAccessReviewSpec(requester, attributes, 'platform'));
    const plainUser = { name: 'ann', groups: [] };
    const fullUser = { name: 'ann', uid: '7', groups: ['devs'], extra: { scopes: ['a'] } };
    expect(match(plainUser, resourceAttributes())).toBe(plain);
    expect(match(fullUser, resourceAttributes({ subresource: 'log', name: 'p' }))).toBe(full);
    expect(match(plainUser, { kind: 'path', verb: 'get', path: '/x' })).toBe(path);
  });

  it('reports the rules of a user as incomplete', () => {
    expect(createAuthorizer().rules(user, 'n')).toMatchObject({ isIncomplete: true });
  });
});
