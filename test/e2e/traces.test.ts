/**
 * Trace export of an API server process: exported spans, an unresponsive receiver, configuration reloads, and invalid
 * configurations.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ApiClient } from '../support/http/api-client';
import { findEtcd, startEtcd } from '../support/external/etcd';
import { freePort } from '../support/ports';
import { startApiServer, startProgram, waitUntil, type ApiServer } from '../support/programs';
import { startSilentServer } from '../support/servers/silent-server';
import { startTraceReceiver } from '../support/servers/trace-receiver';
import { useFolder } from '../support/use-resource';

const CONFIGURATION = 'apiVersion: apiserver.config.platform.io/v1beta1\nkind: TracingConfiguration\n';
const NAMESPACE = '/api/v1/namespaces/default';
const MAX_SHUTDOWN_MS = 20_000;

const folder = useFolder('traces');
const file = path.join(folder, 'tracing.yaml');

/** Writes a configuration that exports to the receiver at this port. */
const configure = (port: number, rate = 1_000_000): void =>
  writeFileSync(file, `${CONFIGURATION}endpoint: 127.0.0.1:${port}\nsamplingRatePerMillion: ${rate}\n`);

async function startTracedServer(etcdServers?: string): Promise<{ readonly server: ApiServer; readonly client: ApiClient }> {
  const store = etcdServers === undefined ? {} : { etcdServers };
  const server = await startApiServer({
    folder,
    securePort: await freePort(),
    args: [`--tracing-config-file=${file}`],
    ...store,
  });
  return { server, client: new ApiClient(server.address, server.certificates) };
}

test('a server that stops sends the spans that have ended, with those of store calls', async () => {
  const receiver = await startTraceReceiver();
  configure(receiver.port);
  const etcd = findEtcd() === undefined ? undefined : await startEtcd();
  const { server, client } = await startTracedServer(etcd?.endpoint);
  expect((await client.get(NAMESPACE, { headers: { 'user-agent': 'tracer' } })).status).toBe(200);
  expect(await server.process.stop()).toBe(0);
  const request = receiver.spans.find(({ attributes }) => attributes['user_agent.original'] === 'tracer');
  const names = receiver.spans.filter(({ traceId }) => traceId === request?.traceId).map(({ name }) => name);
  // The embedded store has spans of its own.
  const storeCall = etcd === undefined ? 'store Range' : 'etcdserverpb.KV/Range';
  expect(names.sort()).toEqual([request?.name ?? '', 'Get', 'SerializeObject', 'authentication', storeCall].sort());
  await etcd?.stop();
  await receiver.close();
});

test('a receiver that never responds holds up neither requests nor the shutdown', async () => {
  const silent = await startSilentServer();
  configure(silent.port);
  const { server, client } = await startTracedServer();
  for (let index = 0; index < 20; index += 1) expect((await client.get(NAMESPACE)).status).toBe(200);
  const before = performance.now();
  expect(await server.process.stop()).toBe(0);
  expect(performance.now() - before).toBeLessThan(MAX_SHUTDOWN_MS);
  await silent.close();
});

test('a changed configuration is used after an invalid one has been rejected', async () => {
  const [previous, current] = await Promise.all([startTraceReceiver(), startTraceReceiver()]);
  configure(previous.port, 0);
  const { server, client } = await startTracedServer();
  writeFileSync(file, `${CONFIGURATION}endpoint: https://nowhere\n`);
  await waitUntil('the error', async () => (await client.get('/readyz/configuration/tracing')).text.includes('unsupported scheme: https'));
  configure(current.port);
  await waitUntil('the change', async () => (await client.get('/readyz/configuration/tracing')).status === 200);
  expect((await client.get(NAMESPACE)).status).toBe(200);
  expect(await server.process.stop()).toBe(0);
  expect(previous.spans).toEqual([]);
  expect(current.spans.map(({ name }) => name)).toContain('Get');
  await Promise.all([previous.close(), current.close()]);
});

test.each([
  ['bogus: 1\n', /bogus/],
  ['samplingRatePerMillion: 1000001\n', /samplingRatePerMillion/],
  ['endpoint: unix:///run/collector.sock\n', /Unix sockets are not supported/],
])('a server does not start with the configuration %j', async (members, message) => {
  writeFileSync(file, CONFIGURATION + members);
  const args = ['--storage-backend=embedded', `--storage-dir=${path.join(folder, 'store')}`, `--tracing-config-file=${file}`];
  const program = startProgram('apiserver/main.js', args);
  expect((await program.exited).code).toBe(78);
  expect(program.output).toMatch(message);
});
