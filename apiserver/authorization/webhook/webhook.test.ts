import { resourceAttributes } from '../../../test/support/attributes';
import type { WebhookAnswer } from '../../../shared/client/rest/webhook';
import type { Authorizer } from '../authorizer';
import { ManualClock } from '../../../test/support/manual-clock';
import { webhookAuthorizer, type WebhookAuthorizerOptions } from './authorizer';
import { compileConditions, type Match } from './conditions';
import { readVerdict, reviewBody, reviewSpec } from './review';

const user = { name: 'ann', uid: '7', groups: ['devs'], extra: { 'example.com/x': ['1', '2'] } };
const pods = resourceAttributes({ group: 'rbac.authorization.platform.io', resource: 'roles' });

describe('SubjectAccessReview of the webhook', () => {
  it('contains the user and the request in the configured spelling and version', () => {
    const spec = reviewSpec(user, pods, 'kubernetes');
    expect(spec).toEqual({
      resourceAttributes: { namespace: 'n', verb: 'get', group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'roles' },
      user: 'ann',
      uid: '7',
      groups: ['devs'],
      extra: { 'example.com/x': ['1', '2'] },
    });
    expect(JSON.parse(reviewBody(spec, 'v1', 'kubernetes').toString())).toMatchObject({ apiVersion: 'authorization.k8s.io/v1', spec });
    const { groups, ...rest } = spec;
    expect(JSON.parse(reviewBody(spec, 'v1beta1', 'platform').toString())).toMatchObject({
      apiVersion: 'authorization.platform.io/v1beta1',
      spec: { ...rest, group: groups },
    });
    expect(reviewSpec({ name: 'x', groups: [] }, { kind: 'path', verb: 'get', path: '/x' }, 'platform')).toEqual({
      user: 'x',
      nonResourceAttributes: { path: '/x', verb: 'get' },
    });
  });

  it('spells signer names in the configured spelling', () => {
    const named = (dialect: 'platform' | 'kubernetes') =>
      reviewSpec({ name: 'x', groups: [] }, resourceAttributes({ resource: 'signers', name: 'platform.io/s' }), dialect);
    expect(named('kubernetes')).toMatchObject({ resourceAttributes: { name: 'kubernetes.io/s' } });
    expect(named('platform')).toMatchObject({ resourceAttributes: { name: 'platform.io/s' } });
  });

  it.each<[string, string | undefined]>([
    ['{"status":{"allowed":true,"reason":"r"}}', 'allow'],
    ['{"status":{"allowed":false}}', 'no-opinion'],
    ['{"status":{"allowed":false,"denied":true}}', 'deny'],
    ['{"status":{"allowed":true,"denied":true}}', undefined],
    ['{"status":{}}', 'no-opinion'],
    ['{}', undefined],
    ['[]', undefined],
    ['<html>', undefined],
  ])('response %s is read as %s', (text, type) => expect(readVerdict(Buffer.from(text))?.type).toBe(type));
});

describe('webhook authorizer', () => {
  const clock = new ManualClock();
  const asked: string[] = [];
  let answer: WebhookAnswer;
  let arrive: (() => void) | undefined;
  beforeEach(() => {
    asked.length = 0;
    arrive = undefined;
    answer = says({ allowed: true, reason: 'r' });
  });
  const says = (status: object): WebhookAnswer => ({ type: 'answer', bytes: Buffer.from(JSON.stringify({ status })) });
  const broken: WebhookAnswer = { type: 'fault', error: new Error('away'), status: undefined, mayPass: true };

  function authorizer(changes: Partial<WebhookAuthorizerOptions> = {}): Authorizer {
    return webhookAuthorizer({
      ask: async (body) => {
        asked.push(body.toString());
        if (arrive !== undefined) await new Promise<void>((resolve) => (arrive = resolve));
        return answer;
      },
      version: 'v1',
      dialect: 'platform',
      allowedMs: 300_000,
      notAllowedMs: 30_000,
      onFailure: 'NoOpinion',
      conditions: undefined,
      clock,
      failed: () => undefined,
      ...changes,
    });
  }

  it('caches allowed decisions longer than other decisions', async () => {
    const asks = authorizer();
    expect(await asks.authorize(user, pods)).toEqual({ type: 'allow', reason: 'r' });
    expect(asks.authorize(user, pods)).toEqual({ type: 'allow', reason: 'r' });
    answer = says({ allowed: false, denied: true, reason: 'never' });
    clock.advance(300_000);
    expect(await asks.authorize(user, pods)).toEqual({ type: 'deny', reason: 'never' });
    answer = says({ allowed: true });
    clock.advance(29_999);
    expect(asks.authorize(user, pods)).toEqual({ type: 'deny', reason: 'never' });
    clock.advance(1);
    expect(await asks.authorize(user, pods)).toMatchObject({ type: 'allow' });
    expect(asked).toHaveLength(3);
  });

  it('sends one review for concurrent equal requests, and has no opinion when too many reviews are in flight', async () => {
    arrive = () => undefined;
    const asks = authorizer();
    const all = Array.from({ length: 5 }, async () => asks.authorize(user, pods));
    expect(asked).toHaveLength(1);
    arrive();
    expect(await Promise.all(all)).toHaveLength(5);
    arrive = () => undefined;
    for (let n = 0; n < 1_000; n += 1) void asks.authorize({ name: `u${n}`, groups: [] }, pods);
    expect(asks.authorize({ name: 'one too many', groups: [] }, pods)).toEqual({
      type: 'no-opinion',
      reason: 'too many questions are under way',
    });
  });

  it('logs failures at most once a minute', async () => {
    answer = broken;
    const told: unknown[] = [];
    const asks = authorizer({ failed: (_message, error) => void told.push(error) });
    for (let n = 0; n < 3; n += 1) await asks.authorize(user, pods);
    expect([asked.length, told.length]).toEqual([3, 1]);
    clock.advance(60_000);
    await asks.authorize(user, pods);
    expect(told).toHaveLength(2);
  });

  it('does not cache decisions for requests over 10,000 characters', async () => {
    const long = { name: 'x'.repeat(10_001), groups: [] };
    const asks = authorizer();
    await asks.authorize(long, pods);
    await asks.authorize(long, pods);
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['NoOpinion', broken, 'no-opinion'],
    ['Deny', broken, 'deny'],
    ['Deny', { type: 'answer', bytes: Buffer.from('rubbish') }, 'deny'],
  ] as const)('applies the failure policy %s when the webhook fails', async (onFailure, given, type) => {
    answer = given;
    const asks = authorizer({ onFailure });
    expect(await asks.authorize(user, pods)).toMatchObject({ type });
    await asks.authorize(user, pods);
    expect(asked).toHaveLength(2);
  });

  it.each<[readonly string[], number, string]>([
    [["request.resourceAttributes.namespace == 'n'"], 1, 'allow'],
    [["request.resourceAttributes.namespace == 'm'"], 0, 'no-opinion'],
    [["'devs' in request.groups", 'has(request.nonResourceAttributes)'], 0, 'no-opinion'],
    [["request.extra.nothing[0] == 'a'", "request.user == 'bob'"], 0, 'no-opinion'],
    [["request.extra.nothing[0] == 'a'"], 0, 'deny'],
    [[], 1, 'allow'],
  ])('with match conditions %j sends %d reviews and decides %s', async (expressions, times, type) => {
    const compiled = compileConditions(expressions);
    if ('faults' in compiled) throw new Error(JSON.stringify(compiled.faults));
    const asks = authorizer({ conditions: compiled.conditions, onFailure: 'Deny' });
    expect(await asks.authorize(user, pods)).toMatchObject({ type });
    expect(asked).toHaveLength(times);
  });

  /** Messages with which release 1.31.1 rejects them at start. */
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
    expect(compileConditions([expression])).toEqual({
      faults: [{ index: 0, reason: `Invalid value: ${JSON.stringify(expression)}: ${reason}` }],
    });
  });

  it('rejects blank and duplicate match conditions', () => {
    expect(compileConditions(['true', ' ', 'true'])).toEqual({
      faults: [
        { index: 1, reason: 'Required value' },
        { index: 2, reason: 'Duplicate value: "true"' },
      ],
    });
  });

  it('accepts match conditions on selectors only when the AuthorizeWithSelectors feature gate is on', () => {
    const expression = "request.resourceAttributes.fieldSelector.requirements.exists(r, r.key == 'a' && 'b' in r.values)";
    expect(compileConditions([expression])).toHaveProperty('faults');
    const compiled = compileConditions([expression], true);
    if ('faults' in compiled) throw new Error(JSON.stringify(compiled.faults));
    const selecting = (value: string) => ({
      fieldSelector: { requirements: [{ key: 'a', operator: 'In', values: [value] }] },
    });
    const matched = (value: string) =>
      compiled.conditions(reviewSpec(user, resourceAttributes({ selectors: selecting(value) }), 'platform'));
    expect([matched('b'), matched('c')]).toEqual(['yes', 'no']);
  });

  /** Results of release 1.31.1 for a plain request for pods, one with all fields set, and a non-resource request. */
  it.each<[expression: string, plain: Match, full: Match, path: Match]>([
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
    const compiled = compileConditions([expression]);
    if ('faults' in compiled) throw new Error(JSON.stringify(compiled.faults));
    const all = { name: 'ann', uid: '7', groups: ['devs'], extra: { scopes: ['a'] } };
    const specs = [
      reviewSpec({ name: 'ann', groups: [] }, resourceAttributes(), 'platform'),
      reviewSpec(all, resourceAttributes({ subresource: 'log', name: 'p' }), 'platform'),
      reviewSpec({ name: 'ann', groups: [] }, { kind: 'path', verb: 'get', path: '/x' }, 'platform'),
    ];
    expect(specs.map((spec) => compiled.conditions(spec))).toEqual([plain, full, path]);
  });

  it('reports the rules of a user as incomplete', () => {
    expect(authorizer().rules(user, 'n')).toMatchObject({ incomplete: true });
  });
});
