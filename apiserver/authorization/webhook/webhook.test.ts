import { resourceAttributes } from '../../../test/support/attributes';
import type { WebhookAnswer } from '../../../shared/client/webhook';
import type { Authorizer } from '../authorizer';
import { ManualClock } from '../../../test/support/manual-clock';
import { webhookAuthorizer, type WebhookAuthorizerOptions } from './authorizer';
import { compileConditions } from './conditions';
import { readVerdict, reviewBody, reviewSpec } from './review';

const user = { name: 'ann', uid: '7', groups: ['devs'], extra: { 'example.com/x': ['1', '2'] } };
const pods = resourceAttributes({ group: 'rbac.authorization.platform.io', resource: 'roles' });

describe('a review', () => {
  it('says who asks for what, in the spelling and version that is wanted', () => {
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

  it('names signers in the same spelling', () => {
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
  ])('%s is %s', (text, type) => expect(readVerdict(Buffer.from(text))?.type).toBe(type));
});

describe('the authorizer', () => {
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

  it('keeps what it was told, what is allowed longer than what is not', async () => {
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

  it('asks once for all who ask the same at a time, and not about everybody at once', async () => {
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

  it('is told to fail once a minute, however often it is asked', async () => {
    answer = broken;
    const told: unknown[] = [];
    const asks = authorizer({ failed: (_message, error) => void told.push(error) });
    for (let n = 0; n < 3; n += 1) await asks.authorize(user, pods);
    expect([asked.length, told.length]).toEqual([3, 1]);
    clock.advance(60_000);
    await asks.authorize(user, pods);
    expect(told).toHaveLength(2);
  });

  it('does not keep questions that somebody made long', async () => {
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
  ] as const)('goes by %s where it is not answered', async (onFailure, given, type) => {
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
    [['request.nothing.here', "request.user == 'bob'"], 0, 'no-opinion'],
    [['request.nothing.here'], 0, 'deny'],
    [[], 1, 'allow'],
  ])('asks only where %j', async (expressions, times, type) => {
    const compiled = compileConditions(expressions);
    if ('faults' in compiled) throw new Error(JSON.stringify(compiled.faults));
    const asks = authorizer({ conditions: compiled.conditions, onFailure: 'Deny' });
    expect(await asks.authorize(user, pods)).toMatchObject({ type });
    expect(asked).toHaveLength(times);
  });

  it('says which condition is none', () => {
    expect(compileConditions(['true', 'request.', '1'])).toMatchObject({
      faults: [{ index: 1 }, { index: 2, reason: 'must evaluate to bool' }],
    });
  });

  it('cannot say what somebody may do without being asked about it', () => {
    expect(authorizer().rules(user, 'n')).toMatchObject({ incomplete: true });
  });
});
