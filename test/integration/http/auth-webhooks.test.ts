/** Authentication and authorization webhooks over HTTPS that respond, hang and fail. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { webhookTokenAuthenticator } from '../../../apiserver/authentication/webhook-token';
import { Meters } from '../../../apiserver/metrics/registry/meters';
import { openAuthorizerLinks } from '../../../apiserver/options/authorizer-links';
import { FLAGS, type ServerFlags } from '../../../apiserver/options/flags/flags';
import { createWebhookCaller, openWebhook } from '../../../apiserver/options/webhooks';
import { ConfigurationFiles } from '../../../shared/configuration/configuration-files';
import { ConfigurationError } from '../../../shared/configuration/configuration-error';
import { systemClock } from '../../../shared/runtime/clock';
import { parseFlags } from '../../../shared/cli/flags';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import { membersOf, textOf, type Body } from '../../replay/json-response';
import type { Reply } from '../../replay/webhooks/behaviours';
import { joinChunks } from '../../support/exposition';
import { kubeconfigOf } from '../../support/kubeconfig';
import { startWebhookServer } from '../../support/servers/webhook-server';
import { useClosable, useFolder } from '../../support/use-resource';
import { ALICE } from './api-call';
import { useStarter, type Fixture } from './fixture';

const meters = new Meters();
const folder = useFolder('webhooks');
const configurations = new ConfigurationFiles(systemClock, silentLogger);
afterAll(() => configurations.close());
const dependencies = { clock: systemClock, random: systemRandom, logger: silentLogger, meters, configurations };

/** What the webhook received in the current test, and its response, which a test sets with {@link replyWith}. */
const webhookState: { readonly reviews: { readonly url: string; readonly body: Body }[]; reply: (body: Body) => Reply } = {
  reviews: [],
  reply: () => 'hang',
};
const webhookServer = useClosable(() =>
  startWebhookServer({
    names: ['127.0.0.1'],
    host: '127.0.0.1',
    reply({ url, text }) {
      const body: Body = JSON.parse(text);
      webhookState.reviews.push({ url, body });
      return webhookState.reply(body);
    },
  }),
);
beforeEach(() => void webhookState.reviews.splice(0));

/** Sets the response of the webhook until the next call. */
function replyWith(reply: (body: Body) => Reply): void {
  webhookState.reply = reply;
}

/** Writes a kubeconfig for the webhook, and returns its path. */
function kubeconfig(): string {
  const file = path.join(folder, 'kubeconfig');
  const { port, caBundle } = webhookServer();
  const cluster = { server: `https://127.0.0.1:${port}/judge?x=1`, 'certificate-authority-data': caBundle };
  writeFileSync(file, JSON.stringify(kubeconfigOf({ cluster, user: { token: 'secret' } })));
  return file;
}

function flagsOf(...argv: readonly string[]): ServerFlags {
  const parsed = parseFlags({ name: 'p', description: '' }, FLAGS, [...argv]);
  if (parsed.kind !== 'values') throw new Error(JSON.stringify(parsed));
  return parsed.values;
}

/** Writes an AuthorizationConfiguration with RBAC and the webhook, and returns its path. */
function configuration(webhook: object, name = 'w'): string {
  const file = path.join(folder, 'authorization.yaml');
  const authorizers = [
    { type: 'RBAC', name: 'rbac' },
    { type: 'Webhook', name, webhook },
  ];
  writeFileSync(file, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1beta1', kind: 'AuthorizationConfiguration', authorizers }));
  return file;
}
/** The webhook of a configuration, with changed members. */
const webhook = (changes: object = {}): object => ({
  timeout: '3s',
  subjectAccessReviewVersion: 'v1',
  matchConditionSubjectAccessReviewVersion: 'v1',
  failurePolicy: 'NoOpinion',
  connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: kubeconfig() },
  ...changes,
});

const start = useStarter();
const startWithFlags = async (...flags: readonly string[]): Promise<Fixture> =>
  start({ authorization: await openAuthorizerLinks(flagsOf(...flags), dependencies) });

describe('an authorization webhook', () => {
  it('allows what no role allows, with one call for equal requests', async () => {
    replyWith(() => ({ status: 200, body: { status: { allowed: true, reason: 'why not' } } }));
    const api = await startWithFlags('--authorization-mode=RBAC,Webhook', `--authorization-webhook-config-file=${kubeconfig()}`);
    for (let time = 1; time <= 2; time += 1) expect((await api.get('/api/v1/nodes', { token: ALICE })).status).toBe(200);
    // The version that the flag --authorization-webhook-version has by default; in v1, `group` is `groups`.
    const spec = { user: 'alice', group: ['devs', 'system:authenticated'] };
    expect(webhookState.reviews).toMatchObject([{ url: '/judge?x=1', body: { apiVersion: 'authorization.platform.io/v1beta1', spec } }]);
    expect(joinChunks(meters.expose())).toContain('apiserver_authorization_webhook_evaluations_total{name="default",result="success"} 1\n');
  });

  describe('with a match condition', () => {
    const forbidden = (resource: string): string =>
      `${resource} is forbidden: User "alice" cannot list resource "${resource}" in API group "" at the cluster scope`;
    const expression = "has(request.resourceAttributes) && request.resourceAttributes.resource == 'nodes'";

    it.each([
      ['denies with its reason a request that meets it', 'nodes', `${forbidden('nodes')}: no`, 1],
      ['is not called for a request that does not meet it', 'pods', forbidden('pods'), 0],
    ])('%s', async (_title, resource, message, calls) => {
      replyWith(() => ({ status: 200, body: { status: { allowed: false, denied: true, reason: 'no' } } }));
      const file = configuration(webhook({ matchConditions: [{ expression }] }));
      const api = await startWithFlags(`--authorization-config=${file}`);
      expect((await api.get(`/api/v1/${resource}`, { token: ALICE })).message).toBe(message);
      expect(webhookState.reviews).toHaveLength(calls);
    });
  });

  const broken: Reply = { status: 400, body: {} };
  const notJson: Reply = { status: 200, body: '<html>' };
  it.each<[title: string, reply: Reply, failurePolicy: string]>([
    ['fails', broken, 'NoOpinion'],
    ['fails', broken, 'Deny'],
    ['sends no JSON', notJson, 'NoOpinion'],
    ['sends no JSON', notJson, 'Deny'],
  ])('that %s (%j) grants nothing beyond RBAC and system:masters with the failure policy %s', async (_title, reply, failurePolicy) => {
    replyWith(() => reply);
    const api = await startWithFlags(`--authorization-config=${configuration(webhook({ failurePolicy }))}`);
    expect((await api.get('/api/v1/nodes', { token: ALICE })).status).toBe(403);
    expect((await api.get('/api', { token: ALICE })).status).toBe(200);
    expect((await api.get('/api/v1/nodes')).status).toBe(200);
  });

  it('that never responds holds a request no longer than its timeout', async () => {
    replyWith(() => 'hang');
    const api = await startWithFlags(`--authorization-config=${configuration(webhook({ timeout: '10ms' }))}`);
    const sentAt = performance.now();
    expect((await api.get('/api/v1/nodes', { token: ALICE })).status).toBe(403);
    // Much less than the limit of 30 s for a call with its retries.
    expect(performance.now() - sentAt).toBeLessThan(20_000);
    // A call without a response is not retried; the webhook may not even have read it in time.
    expect(webhookState.reviews.length).toBeLessThanOrEqual(1);
    for (const name of ['evaluations_total', 'duration_seconds_count', 'evaluations_fail_open_total'])
      expect(joinChunks(meters.expose())).toContain(`apiserver_authorization_webhook_${name}{name="w",result="timeout"} 1\n`);
  }, 30_000);

  const WEBHOOK_PATH = 'authorizers[1].webhook.';
  it.each<[object, string]>([
    [{ timeout: '31s' }, 'timeout: must be more than 0s and at most 30s'],
    [
      { connectionInfo: { type: 'InClusterConfig' } },
      'connectionInfo.type: InClusterConfig is not supported: the API server would call itself',
    ],
    [{ matchConditions: [{ expression: 'request.' }] }, 'matchConditions[0].expression: Invalid value: "request.": compilation failed'],
    [
      { matchConditions: [{ expression: 'true' }, { expression: 'request.user' }] },
      'matchConditions[1].expression: Invalid value: "request.user": must evaluate to bool but got string',
    ],
    [{ failurePolicy: 'Allow' }, 'failurePolicy'],
  ])('with %j is an invalid configuration: %s', async (changes, text) => {
    const opened = openAuthorizerLinks(flagsOf(`--authorization-config=${configuration(webhook(changes))}`), dependencies);
    const rejection: unknown = await opened.catch((error: unknown) => error);
    expect(rejection).toBeInstanceOf(ConfigurationError);
    expect(String(rejection)).toContain(WEBHOOK_PATH + text);
  });
});

it('an authentication webhook authenticates tokens that the server does not know', async () => {
  const tokenOf = (body: Body): string => textOf(membersOf(body['spec'])['token']);
  replyWith((body) => {
    const status = tokenOf(body) === 'theirs' ? { authenticated: true, user: { username: 'ann' } } : { authenticated: false };
    return { status: 201, body: { apiVersion: body['apiVersion'] ?? '', kind: 'TokenReview', status } };
  });
  const tokenWebhook = webhookTokenAuthenticator({
    send: createWebhookCaller(await openWebhook('token', kubeconfig(), dependencies), dependencies, { timeoutMs: 3_000 }),
    version: 'v1',
    dialect: 'kubernetes',
    cacheTtlMs: 120_000,
    audiences: [],
    clock: systemClock,
    onError: () => undefined,
  });
  const api = await start({ tokenWebhook });
  expect((await api.get('/api', { token: 'theirs' })).status).toBe(200);
  expect((await api.get('/api', { token: 'nobody' })).status).toBe(401);
  expect(webhookState.reviews.map(({ body }) => tokenOf(body))).toEqual(['theirs', 'nobody']);
});
