/**
 * Authentication by a webhook: the review that is sent, how its response is read, and caching. First with a fake
 * caller, then with a server behind a kubeconfig.
 */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ManualClock, flushPromises } from '../../test/support/clock/manual-clock';
import type { WebhookResult } from '../../shared/client/rest/webhook';
import { createWebhookCaller, KubeconfigWebhook } from '../options/webhooks';
import { systemClock } from '../../shared/runtime/clock';
import type { JsonObject } from '../../shared/values/json';
import { useForEachTest, useResource, useFolder } from '../../test/support/use-resource';
import type { TokenAuthenticator, TokenOutcome } from './authenticator';
import { webhookTokenAuthenticator, type WebhookTokensOptions } from './webhook-token';

const SERVER_AUDIENCES = ['api'];
/** The user of a review, and the same as this server reads it. */
const REVIEWED_USER = { username: 'ann', uid: '7', groups: ['g', ''], extra: { 'Example.com/A': ['x'], e: [] } };
const ANN = { name: 'ann', uid: '7', groups: ['g', ''], extra: { 'Example.com/A': ['x'], e: [] } };
const random = { float: () => 0, uuid: () => '', string: () => '' };

const clock = useForEachTest(() => new ManualClock());
/** The reviews that the current test has sent to a fake webhook, and the reported failures. */
const sent: string[] = [];
const errors: string[] = [];
beforeEach(() => {
  sent.length = 0;
  errors.length = 0;
});

/** The response of the webhook to a review, or the failure of the call. */
type Respond = (review: string) => Promise<string> | string | WebhookResult;

const createAuthenticator = (respond: Respond, options: Partial<WebhookTokensOptions> = {}): TokenAuthenticator =>
  webhookTokenAuthenticator({
    async send(body) {
      sent.push(String(body));
      const response = await respond(String(body));
      return typeof response === 'string' ? { type: 'response', bytes: Buffer.from(response) } : response;
    },
    version: 'v1',
    dialect: 'kubernetes',
    audiences: SERVER_AUDIENCES,
    cacheTtlMs: 120_000,
    clock: clock(),
    onError: (message) => errors.push(message),
    ...options,
  });

/** The response with this status; `changes` replaces members of the review. */
const review = (status: JsonObject, changes: JsonObject = {}): string =>
  JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', status, ...changes });
/** The response that accepts the token. */
const accepted = (status: JsonObject = {}): string => review({ authenticated: true, user: REVIEWED_USER, ...status });
const failed = (reason: string): TokenOutcome => ({ type: 'failed', reason });

describe('webhook token authentication', () => {
  it('sends a TokenReview in the configured version and spelling', async () => {
    await createAuthenticator(() => accepted()).authenticate('t', SERVER_AUDIENCES);
    await createAuthenticator(() => accepted(), { version: 'v1beta1', dialect: 'platform' }).authenticate('t', []);
    expect(sent).toEqual([
      '{"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","metadata":{"creationTimestamp":null},' +
        '"spec":{"token":"t","audiences":["api"]},"status":{"user":{}}}',
      '{"kind":"TokenReview","apiVersion":"authentication.platform.io/v1beta1","metadata":{"creationTimestamp":null},' +
        '"spec":{"token":"t"},"status":{"user":{}}}',
    ]);
  });

  it.each<[title: string, response: string, audiences: readonly string[], outcome: TokenOutcome]>([
    [
      'accepts the audiences of this server when the response names none',
      accepted(),
      SERVER_AUDIENCES,
      { type: 'user', user: ANN, audiences: SERVER_AUDIENCES },
    ],
    ['accepts a token when no audience is requested', accepted(), [], { type: 'user', user: ANN, audiences: [] }],
    [
      'accepts only the requested audiences that the response names',
      accepted({ audiences: ['b', 'c'] }),
      ['a', 'b'],
      { type: 'user', user: ANN, audiences: ['b'] },
    ],
    ['ignores a token when the response names other audiences', accepted({ audiences: ['b'] }), SERVER_AUDIENCES, { type: 'none' }],
    ['ignores a token for audiences that this server does not have', accepted(), ['zz'], { type: 'none' }],
    [
      'accepts an authenticated token when the response has an error as well',
      accepted({ error: 'but' }),
      SERVER_AUDIENCES,
      { type: 'user', user: ANN, audiences: SERVER_AUDIENCES },
    ],
    ['ignores a token that is not authenticated', review({ authenticated: false }), SERVER_AUDIENCES, { type: 'none' }],
    ['ignores a token when the response has no status', review({}), SERVER_AUDIENCES, { type: 'none' }],
    [
      'accepts a response in the other spelling',
      accepted().replace('k8s.io', 'platform.io'),
      SERVER_AUDIENCES,
      { type: 'user', user: ANN, audiences: SERVER_AUDIENCES },
    ],
    ['rejects a token with the error of the response', review({ authenticated: false, error: 'no no' }), SERVER_AUDIENCES, failed('no no')],
    [
      'rejects a token with an error that is truncated to 1,024 characters',
      review({ error: 'x'.repeat(5000) }),
      SERVER_AUDIENCES,
      failed('x'.repeat(1024)),
    ],
    [
      'rejects a token when the response has another version',
      accepted().replace('/v1', '/v1beta1'),
      SERVER_AUDIENCES,
      failed('the response of the webhook is "TokenReview" of "authentication.k8s.io/v1beta1", expected a TokenReview of v1'),
    ],
    [
      'rejects a token when the response has another kind',
      review({ authenticated: true, user: REVIEWED_USER }, { kind: 'Pod' }),
      SERVER_AUDIENCES,
      failed('the response of the webhook is "Pod" of "authentication.k8s.io/v1", expected a TokenReview of v1'),
    ],
    ['rejects a token when the response is not an object', '[]', SERVER_AUDIENCES, failed('the response of the webhook is not an object')],
    [
      'rejects a token when the user has no name',
      review({ authenticated: true, user: { groups: ['system:masters'] } }),
      SERVER_AUDIENCES,
      failed('the webhook authenticated a request without a user name'),
    ],
    [
      'rejects a token when the user name is not a string',
      review({ authenticated: true, user: { username: 7 } }),
      SERVER_AUDIENCES,
      failed('the response of the webhook has an unexpected value in "username"'),
    ],
    [
      'rejects a token when a group is not a string',
      review({ authenticated: true, user: { username: 'a', groups: [{}] } }),
      SERVER_AUDIENCES,
      failed('the response of the webhook has an unexpected value in "groups"'),
    ],
    [
      'rejects a token when an extra value is not a list',
      review({ authenticated: true, user: { username: 'a', extra: { k: 'v' } } }),
      SERVER_AUDIENCES,
      failed('the response of the webhook has an unexpected value in "k"'),
    ],
    [
      'ignores a token whose authenticated field is a string',
      review({ authenticated: 'true', user: REVIEWED_USER }),
      SERVER_AUDIENCES,
      { type: 'none' },
    ],
  ])('%s', async (_title, response, audiences, expected) => {
    expect(await createAuthenticator(() => response).authenticate('t', audiences)).toEqual(expected);
  });

  it('rejects a token when the response is not JSON', async () => {
    const outcome = await createAuthenticator(() => '{{{').authenticate('t', SERVER_AUDIENCES);
    expect(outcome).toMatchObject({ type: 'failed', reason: expect.stringContaining('is not JSON') });
  });

  it('rejects a token when the response is nested too deeply', async () => {
    const nested = `{"status":${'{"user":'.repeat(100_000)}1${'}'.repeat(100_000)}}`;
    expect(await createAuthenticator(() => nested).authenticate('t', SERVER_AUDIENCES)).toMatchObject({ type: 'failed' });
  });

  it('treats __proto__ as an ordinary key of extra', async () => {
    const response = accepted().replace('"e":[]', '"__proto__":["p"]');
    const outcome = await createAuthenticator(() => response).authenticate('t', []);
    expect(outcome).toMatchObject({ type: 'user' });
    expect(JSON.stringify(outcome)).toContain('"__proto__":["p"]');
  });

  it('caches authenticated and unauthenticated tokens for the configured time', async () => {
    const authenticator = createAuthenticator((body) => (body.includes('good') ? accepted() : review({ authenticated: false })));
    for (const token of ['good', 'bad', 'good', 'bad']) await authenticator.authenticate(token, SERVER_AUDIENCES);
    expect(sent).toHaveLength(2);
    clock().advance(119_999);
    await authenticator.authenticate('good', SERVER_AUDIENCES);
    expect(sent).toHaveLength(2);
    clock().advance(1);
    await authenticator.authenticate('good', SERVER_AUDIENCES);
    expect(sent).toHaveLength(3);
  });

  it('returns the same object synchronously for a cached token', async () => {
    const authenticator = createAuthenticator(() => accepted());
    const outcome = await authenticator.authenticate('t', SERVER_AUDIENCES);
    expect(authenticator.authenticate('t', SERVER_AUDIENCES)).toBe(outcome);
  });

  it('caches a token for each set of audiences separately', async () => {
    const authenticator = createAuthenticator(() => accepted());
    await authenticator.authenticate('t', SERVER_AUDIENCES);
    await authenticator.authenticate('t', []);
    await authenticator.authenticate('t', ['api', 'b']);
    expect(sent).toHaveLength(3);
  });

  it('caches no failure and logs failures at most once a minute', async () => {
    const authenticator = createAuthenticator(() => ({
      type: 'failure',
      error: new Error('the webhook responded with 500'),
      status: 500,
      isRetryable: true,
    }));
    const unavailable = failed('the webhook responded with 500');
    expect(await authenticator.authenticate('t', SERVER_AUDIENCES)).toEqual(unavailable);
    expect(await authenticator.authenticate('t', SERVER_AUDIENCES)).toEqual(unavailable);
    expect(sent).toHaveLength(2);
    expect(errors).toHaveLength(1);
    clock().advance(60_000);
    await authenticator.authenticate('t', SERVER_AUDIENCES);
    expect(errors).toHaveLength(2);
  });

  it('sends one TokenReview for concurrent requests with the same token', async () => {
    let respond: (text: string) => void = () => undefined;
    const authenticator = createAuthenticator(() => new Promise((resolve) => (respond = resolve)));
    const first = authenticator.authenticate('t', SERVER_AUDIENCES);
    const second = authenticator.authenticate('t', SERVER_AUDIENCES);
    await flushPromises();
    respond(accepted());
    expect(await first).toMatchObject({ type: 'user' });
    expect(await second).toMatchObject({ type: 'user' });
    expect(sent).toHaveLength(1);
  });

  it('rejects a token while 256 are in review', () => {
    const authenticator = createAuthenticator(() => new Promise(() => undefined));
    for (let count = 0; count < 256; count += 1) void authenticator.authenticate(`t${count}`, SERVER_AUDIENCES);
    expect(authenticator.authenticate('one more', SERVER_AUDIENCES)).toEqual(failed('too many tokens are being reviewed'));
    expect(sent).toHaveLength(256);
  });

  it('rejects a token over 16 KiB without sending it', () => {
    const authenticator = createAuthenticator(() => accepted());
    expect(authenticator.authenticate('x'.repeat(16 * 1024 + 1), SERVER_AUDIENCES)).toEqual(failed('the token is too long'));
    expect(sent).toEqual([]);
  });
});

describe('token webhook', () => {
  const file = path.join(useFolder('token-webhook'), 'kubeconfig');
  const requests: { readonly url: string; readonly authorization: string | undefined }[] = [];
  /** How the server handles the requests of a test; `nothing` leaves the request without a response. */
  let behaviour: { readonly status: number; readonly body: string } | 'nothing' | 'reset' = 'nothing';
  beforeEach(() => (requests.length = 0));

  useResource(startServer, (server) => {
    server.closeAllConnections();
    server.close();
  });

  async function startServer(): Promise<Server> {
    const server = createServer((request, response) => {
      requests.push({ url: request.url ?? '', authorization: request.headers.authorization });
      request.resume();
      if (behaviour === 'reset') request.socket.destroy();
      else if (behaviour !== 'nothing') response.writeHead(behaviour.status).end(behaviour.body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    writeKubeconfig(typeof address === 'object' && address !== null ? address.port : 0);
    return server;
  }

  function writeKubeconfig(port: number): void {
    writeFileSync(
      file,
      JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}/review?x=1` } }],
        users: [{ name: 'u', user: { token: 'mine' } }],
        contexts: [{ name: 'k', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'k',
      }),
    );
  }

  /** The outcome of a token that the server reviews. */
  const reviewToken = async (timeoutMs = 30_000): Promise<TokenOutcome> => {
    const webhook = new KubeconfigWebhook(file, systemClock);
    webhook.read();
    return createAuthenticator(() => '', {
      send: createWebhookCaller(webhook, { clock: systemClock, random }, { timeoutMs }),
    }).authenticate('t', SERVER_AUDIENCES);
  };

  it('receives requests with the path and the credentials of its kubeconfig', async () => {
    behaviour = { status: 201, body: accepted() };
    expect(await reviewToken()).toEqual({ type: 'user', user: ANN, audiences: SERVER_AUDIENCES });
    expect(requests).toEqual([{ url: '/review?x=1', authorization: 'Bearer mine' }]);
  });

  it.each([302, 400, 401, 404])('is called once when it responds with %d', async (status) => {
    behaviour = { status, body: accepted() };
    expect(await reviewToken()).toEqual(failed(`the webhook responded with ${status}`));
    expect(requests).toHaveLength(1);
  });

  it('is called once when it resets the connection', async () => {
    behaviour = 'reset';
    expect(await reviewToken()).toMatchObject({ type: 'failed' });
    expect(requests).toHaveLength(1);
  });

  it('fails the review when it does not respond before the timeout', async () => {
    behaviour = 'nothing';
    // The message rounds the timeout up to whole seconds.
    expect(await reviewToken(50)).toEqual(failed('no response within 1 s'));
  });

  it('fails the review when its response is longer than 1 MiB', async () => {
    behaviour = { status: 200, body: accepted().padEnd(1024 * 1024 + 1) };
    expect(await reviewToken()).toEqual(failed('the response of the server is longer than 1048576 bytes'));
  });
});
