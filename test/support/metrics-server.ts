/**
 * An API server that serves metrics, as APIServices register it: it answers with what was put at the same path before, by whoever plays a scenario, so that the API
 * server in front of it is all that a scenario needs to know. It measures nothing, and leaves it to the reader of a list to choose.
 */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemClock, type Clock } from '../../shared/runtime/clock';
import { createAuthority, issueCertificate } from '../../shared/runtime/pki';
import { isBody, type Body, type Json } from '../replay/reference';
import type { Send } from '../replay/scenarios/stage';

const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const NAMESPACE = 'metrics';
const SERVICE = 'metrics-server';
const JSON_TYPE = { 'content-type': 'application/json' } as const;
const GROUPS: readonly (readonly [group: string, version: string, resources: readonly string[]])[] = [
  ['metrics.k8s.io', 'v1beta1', ['pods']],
  ['custom.metrics.k8s.io', 'v1beta2', ['pods/requests']],
  ['external.metrics.k8s.io', 'v1beta1', ['queue']],
];
const WAIT_MS = 100;
const TRIES = 300;

/** Serves metrics to the server behind `send`; resolves when the server can ask it, with a function that ends it. */
export async function serveMetrics(send: Send, clock: Clock = systemClock): Promise<() => Promise<void>> {
  const server = await listening();
  const { port }: AddressInfo = Object(server.address());
  const names = GROUPS.map(([group, version]) => `${version}.${group}`);
  await send('POST', '/api/v1/namespaces', JSON_TYPE, { metadata: { name: NAMESPACE } });
  await send('POST', `/api/v1/namespaces/${NAMESPACE}/services`, JSON_TYPE, {
    metadata: { name: SERVICE },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  for (const [group, version] of GROUPS) {
    await send('POST', SERVICES, JSON_TYPE, {
      metadata: { name: `${version}.${group}` },
      spec: {
        group,
        version,
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { namespace: NAMESPACE, name: SERVICE, port },
      },
    });
  }
  for (const name of names) await available(send, name, clock);
  return async () => {
    for (const name of names) await send('DELETE', `${SERVICES}/${name}`, JSON_TYPE);
    await send('DELETE', `/api/v1/namespaces/${NAMESPACE}`, JSON_TYPE);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
}

async function available(send: Send, name: string, clock: Clock): Promise<void> {
  let seen: Json = null;
  for (let left = TRIES; left > 0; left -= 1) {
    const { body } = await send('GET', `${SERVICES}/${name}`, JSON_TYPE);
    seen = isBody(body) ? (body['status'] ?? null) : null;
    const conditions = isBody(seen) && Array.isArray(seen['conditions']) ? seen['conditions'].filter(isBody) : [];
    if (conditions.some(({ type, status }) => type === 'Available' && status === 'True')) return;
    await clock.sleep(WAIT_MS);
  }
  throw new Error(`${name} cannot be asked: ${JSON.stringify(seen)}`);
}

async function listening(): Promise<Server> {
  const lifetimeMs = 86_400_000;
  const authority = await createAuthority({ subject: { commonName: 'metrics' }, lifetimeMs, clock: systemClock });
  const subject = { commonName: 'metrics' };
  const serving = await issueCertificate({ subject, lifetimeMs, clock: systemClock, authority, usage: 'server', names: ['localhost'] });
  const shelf = new Shelf();
  const server = createServer({ cert: serving.certificate, key: serving.key });
  server.on('request', (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { code, body } = shelf.answer(request.method ?? '', request.url ?? '', Buffer.concat(chunks).toString());
      response.writeHead(code, JSON_TYPE).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

interface Reply {
  readonly code: number;
  readonly body: Json;
}

/** What was put there, by path, and what was asked for, by namespace. */
class Shelf {
  private readonly put = new Map<string, Json>(
    GROUPS.map(([group, version, resources]): [string, Json] => [
      `/apis/${group}/${version}`,
      {
        kind: 'APIResourceList',
        apiVersion: 'v1',
        groupVersion: `${group}/${version}`,
        resources: resources.map((name) => ({ name, singularName: '', namespaced: true, kind: 'MetricValueList', verbs: ['get'] })),
      },
    ]),
  );
  private readonly asked = new Map<string, Set<string>>();

  answer(method: string, target: string, text: string): Reply {
    const [encoded = ''] = target.split('?', 1);
    const path = decodeURIComponent(encoded).replace('/*', '/all');
    const namespace = /\/namespaces\/([^/]+)/.exec(path)?.[1] ?? '';
    if (method === 'PUT') {
      this.put.set(path, JSON.parse(text));
      return { code: 200, body: {} };
    }
    if (path.endsWith('/asked')) return { code: 200, body: { kind: 'List', apiVersion: 'v1', items: this.askedIn(namespace) } };
    const asked = this.asked.get(namespace) ?? new Set();
    this.asked.set(namespace, asked.add(`${method} ${target}`));
    return refusalIn(this.put.get(path)) ?? { code: 404, body: notFound(path) };
  }

  private askedIn(namespace: string): Body[] {
    return [...(this.asked.get(namespace) ?? [])].map((name) => ({ metadata: { namespace, name } }));
  }
}

/** What was put there is sent with the code that it has itself, where it is a Status. */
function refusalIn(body: Json | undefined): Reply | undefined {
  if (body === undefined) return undefined;
  return { code: isBody(body) && typeof body['code'] === 'number' ? body['code'] : 200, body };
}

const notFound = (path: string): Body => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `nothing is measured at ${path.split('/').slice(3).join('/')}`,
  reason: 'NotFound',
  code: 404,
});
