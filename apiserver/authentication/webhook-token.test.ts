import type { WebhookAnswer } from '../../shared/client/webhook';
import { ManualClock } from '../../test/support/manual-clock';
import { webhookTokens } from './webhook-token';

const clock = new ManualClock();
const asked: string[] = [];
let answer: WebhookAnswer;
const says = (status: object): WebhookAnswer => ({ type: 'answer', bytes: Buffer.from(JSON.stringify({ status })) });
const ann = { authenticated: true, user: { username: 'ann', uid: '7', groups: ['g'], extra: { k: ['v'] } } };

const tokens = (keptMs = 120_000) =>
  webhookTokens({
    ask: (body) => {
      asked.push(body.toString());
      return Promise.resolve(answer);
    },
    version: 'v1',
    dialect: 'kubernetes',
    keptMs,
    audiences: ['api'],
    clock,
  });
beforeEach(() => {
  asked.length = 0;
  answer = says(ann);
});

it('is told whose a token is, and remembers it for a while', async () => {
  const known = { type: 'user', user: { name: 'ann', uid: '7', groups: ['g'], extra: { k: ['v'] } }, audiences: ['api'] };
  const authenticator = tokens();
  expect(await authenticator.authenticate('t', ['api'])).toEqual(known);
  expect(authenticator.authenticate('t', ['api'])).toEqual(known);
  expect(JSON.parse(asked[0] ?? '')).toMatchObject({
    kind: 'TokenReview',
    apiVersion: 'authentication.k8s.io/v1',
    spec: { token: 't', audiences: ['api'] },
  });
  answer = says({ authenticated: false });
  clock.advance(120_000);
  expect(await authenticator.authenticate('t', ['api'])).toEqual({ type: 'none' });
  expect(asked).toHaveLength(2);
});

it.each<[string, WebhookAnswer, readonly string[], object]>([
  ['does not know a token', says({ authenticated: false }), ['api'], { type: 'none' }],
  ['says what is wrong with it', says({ authenticated: false, error: 'old' }), ['api'], { type: 'failed', reason: 'old' }],
  ['knows it for others', says({ ...ann, audiences: ['them'] }), ['api'], { type: 'failed' }],
  ['knows it for one of several', says({ ...ann, audiences: ['them', 'api'] }), ['x', 'api'], { type: 'user', audiences: ['api'] }],
  ['names nobody', says({ authenticated: true, user: {} }), [], { type: 'failed', reason: 'the webhook named no user' }],
  ['sends rubbish', { type: 'answer', bytes: Buffer.from('<html>') }, [], { type: 'failed', reason: 'the webhook sent no verdict' }],
  ['is away', { type: 'fault', error: new Error('away'), mayPass: true }, [], { type: 'failed', reason: 'away' }],
])('where it %s', async (_title, given, audiences, outcome) => {
  answer = given;
  expect(await tokens().authenticate('t', audiences)).toMatchObject(outcome);
});

it('asks once for all who present a token at a time, and about none that no head could hold', async () => {
  const authenticator = tokens();
  await Promise.all([authenticator.authenticate('t', []), authenticator.authenticate('t', [])]);
  expect(asked).toHaveLength(1);
  expect(authenticator.authenticate('x'.repeat(17_000), [])).toEqual({ type: 'none' });
});
