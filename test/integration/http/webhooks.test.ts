/** Servers that are asked whose a token is and what is allowed: real ones over HTTP, that answer, hang and break. */
import { joined } from '../../support/exposition';
import { Meters } from '../../../apiserver/metrics/meters';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { webhookTokens } from '../../../apiserver/authentication/webhook-token';
import { openAuthorizerLinks } from '../../../apiserver/options/authorizer-links';
import { FLAGS, type ServerFlags } from '../../../apiserver/options/flags';
import { asking, openWebhook } from '../../../apiserver/options/webhooks';
import { ConfigurationFiles } from '../../../shared/configuration/configuration-files';
import { ConfigurationError } from '../../../shared/configuration/fault';
import { systemClock } from '../../../shared/runtime/clock';
import { parseFlags } from '../../../shared/runtime/flags';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import { type Fixture, startFixture } from './fixture';

const meters = new Meters();
const parts = { clock: systemClock, random: systemRandom, logger: silentLogger, meters };
let folder: string;
let server: Server;
let configurations: ConfigurationFiles;
let api: Fixture | undefined;
/** What was asked, and what is answered. */
const asked: { readonly url: string; readonly body: Record<string, unknown> }[] = [];
let answer: (body: Record<string, unknown>) => { readonly status: number; readonly body: object | string } | 'nothing';

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'webhooks-'));
  configurations = new ConfigurationFiles(systemClock, silentLogger);
  asked.length = 0;
  server = createServer((request, reply) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
      asked.push({ url: request.url ?? '', body });
      const given = answer(body);
      if (given === 'nothing') return;
      reply.writeHead(given.status).end(typeof given.body === 'string' ? given.body : JSON.stringify(given.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await api?.server.shutdown();
  api = undefined;
  configurations.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

function kubeconfig(): string {
  const file = path.join(folder, 'kubeconfig');
  const { port } = server.address() as AddressInfo;
  const cluster = { server: `http://127.0.0.1:${port}/judge?x=1` };
  const config = {
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { token: 'secret' } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'c',
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

function flagsOf(...argv: readonly string[]): ServerFlags {
  const parsed = parseFlags({ name: 'p', description: '' }, FLAGS, [...argv]);
  if (parsed.kind !== 'values') throw new Error(JSON.stringify(parsed));
  return parsed.values;
}

function configuration(webhook: object, name = 'w'): string {
  const file = path.join(folder, 'authorization.yaml');
  const authorizers = [
    { type: 'RBAC', name: 'rbac' },
    { type: 'Webhook', name, webhook },
  ];
  writeFileSync(file, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1beta1', kind: 'AuthorizationConfiguration', authorizers }));
  return file;
}
const webhook = (changes: object = {}): object => ({
  timeout: '3s',
  subjectAccessReviewVersion: 'v1',
  matchConditionSubjectAccessReviewVersion: 'v1',
  failurePolicy: 'NoOpinion',
  connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: kubeconfig() },
  ...changes,
});

it('allow what no role allows, and are asked at their address with a name', async () => {
  answer = () => ({ status: 200, body: { status: { allowed: true, reason: 'why not' } } });
  const links = await openAuthorizerLinks(
    flagsOf('--authorization-mode=RBAC,Webhook', `--authorization-webhook-config-file=${kubeconfig()}`),
    {
      ...parts,
      configurations,
    },
  );
  api = await startFixture({ authorization: links });
  const get = () => (api as Fixture).get('/api/v1/nodes', { token: 'alice-token' });
  expect([(await get()).status, (await get()).status]).toEqual([200, 200]);
  expect(asked).toHaveLength(1);
  expect(joined(meters.exposed())).toContain('apiserver_authorization_webhook_evaluations_total{name="default",result="success"} 1\n');
  expect(asked[0]).toMatchObject({
    url: '/judge?x=1',
    body: { apiVersion: 'authorization.platform.io/v1beta1', spec: { user: 'alice', group: ['devs', 'system:authenticated'] } },
  });
});

it('are asked as a file says, which is taken up while the server runs', async () => {
  answer = () => ({ status: 200, body: { status: { allowed: false, denied: true, reason: 'no' } } });
  const conditions = [{ expression: "has(request.resourceAttributes) && request.resourceAttributes.resource == 'nodes'" }];
  const file = configuration(webhook({ matchConditions: conditions }));
  const links = await openAuthorizerLinks(flagsOf(`--authorization-config=${file}`), { ...parts, configurations });
  api = await startFixture({ authorization: links });
  const answerOf = async (at: string): Promise<unknown> => (await (api as Fixture).get(at, { token: 'alice-token' })).message;
  expect(await answerOf('/api/v1/nodes')).toBe(
    'nodes is forbidden: User "alice" cannot list resource "nodes" in API group "" at the cluster scope: no',
  );
  expect(await answerOf('/api/v1/pods')).toBe(
    'pods is forbidden: User "alice" cannot list resource "pods" in API group "" at the cluster scope',
  );
  expect(asked).toHaveLength(1);
});

it.each<[string, typeof answer]>([
  ['break', () => ({ status: 400, body: {} })],
  ['send rubbish', () => ({ status: 200, body: '<html>' })],
])('that %s leave it at the failure policy', async (_title, given) => {
  answer = given;
  for (const [failurePolicy, status] of [
    ['NoOpinion', 403],
    ['Deny', 403],
  ] as const) {
    const links = await openAuthorizerLinks(flagsOf(`--authorization-config=${configuration(webhook({ failurePolicy }))}`), {
      ...parts,
      configurations,
    });
    api = await startFixture({ authorization: links });
    expect((await api.get('/api/v1/nodes', { token: 'alice-token' })).status).toBe(status);
    // What a role allows is allowed all the same, and so is everything to the masters.
    expect((await api.get('/api', { token: 'alice-token' })).status).toBe(200);
    expect((await api.get('/api/v1/nodes')).status).toBe(200);
    await api.server.shutdown();
    api = undefined;
  }
});

it('that never answer hold a request no longer than their time', async () => {
  answer = () => 'nothing';
  const links = await openAuthorizerLinks(flagsOf(`--authorization-config=${configuration(webhook({ timeout: '10ms' }))}`), {
    ...parts,
    configurations,
  });
  api = await startFixture({ authorization: links });
  const start = performance.now();
  expect((await api.get('/api/v1/nodes', { token: 'alice-token' })).status).toBe(403);
  expect(performance.now() - start).toBeLessThan(20_000);
  expect(asked.length).toBeLessThanOrEqual(5);
  expect(joined(meters.exposed())).toContain('apiserver_authorization_webhook_evaluations_total{name="w",result="timeout"} 1\n');
  expect(joined(meters.exposed())).toContain('apiserver_authorization_webhook_duration_seconds_count{name="w",result="timeout"} 1\n');
  expect(joined(meters.exposed())).toContain('apiserver_authorization_webhook_evaluations_fail_open_total{name="w",result="timeout"} 1\n');
}, 30_000);

it.each<[object, string]>([
  [{ timeout: '31s' }, 'authorizers[1].webhook.timeout: must be more than 0s and at most 30s'],
  [
    { connectionInfo: { type: 'InClusterConfig' } },
    'authorizers[1].webhook.connectionInfo.type: InClusterConfig is not for an API server: it would ask itself',
  ],
  [
    { matchConditions: [{ expression: 'request.' }] },
    'authorizers[1].webhook.matchConditions[0].expression: Invalid value: "request.": compilation failed',
  ],
  [
    { matchConditions: [{ expression: 'true' }, { expression: 'request.user' }] },
    'authorizers[1].webhook.matchConditions[1].expression: Invalid value: "request.user": must evaluate to bool but got string',
  ],
  [{ failurePolicy: 'Allow' }, 'authorizers[1].webhook.failurePolicy'],
])('cannot be set up with %j', async (changes, text) => {
  const file = configuration(webhook(changes));
  const opened = openAuthorizerLinks(flagsOf(`--authorization-config=${file}`), { ...parts, configurations });
  await expect(opened).rejects.toThrow(ConfigurationError);
  await expect(openAuthorizerLinks(flagsOf(`--authorization-config=${file}`), { ...parts, configurations })).rejects.toThrow(text);
});

it('know tokens that nobody here knows', async () => {
  answer = (body) => {
    const { token } = body['spec'] as { token: string };
    return {
      status: 201,
      body: {
        apiVersion: body['apiVersion'],
        kind: 'TokenReview',
        status: token === 'theirs' ? { authenticated: true, user: { username: 'ann' } } : { authenticated: false },
      },
    };
  };
  const tokenWebhook = webhookTokens({
    ask: asking(await openWebhook('token', kubeconfig(), { ...parts, configurations }), 3_000, parts),
    version: 'v1',
    dialect: 'kubernetes',
    keptMs: 120_000,
    audiences: [],
    clock: systemClock,
    failed: () => undefined,
  });
  api = await startFixture({ tokenWebhook });
  expect((await api.get('/api', { token: 'theirs' })).status).toBe(200);
  expect((await api.get('/api', { token: 'nobody' })).status).toBe(401);
  expect(asked.map(({ body }) => (body['spec'] as { token: string }).token)).toEqual(['theirs', 'nobody']);
});
