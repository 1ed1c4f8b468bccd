/**
 * A metrics API server behind APIServices. It responds with the body of the last PUT to the same path, so that
 * scenarios set metrics through the API server in front of it, and lists the distinct requests in a namespace at
 * `…/asked`.
 */
import { systemClock, type Clock } from '../../../shared/runtime/clock';
import { isBody, type Body, type Json } from '../../replay/json-response';
import type { ScenarioSend } from '../../replay/scenarios/scenario-session';
import type { Reply } from '../../replay/webhooks/behaviours';
import { startWebhookServer } from './webhook-server';

const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const NAMESPACE = 'metrics';
const SERVICE = 'metrics-server';
const JSON_TYPE = { 'content-type': 'application/json' } as const;
const GROUPS = [
  { group: 'metrics.k8s.io', version: 'v1beta1', resources: ['pods'] },
  { group: 'custom.metrics.k8s.io', version: 'v1beta2', resources: ['pods/requests'] },
  { group: 'external.metrics.k8s.io', version: 'v1beta1', resources: ['queue'] },
] as const;
/** How often an APIService is read until it is available: half a minute in all. */
const POLL_MS = 100;
const MAX_POLLS = 300;

/**
 * Serves metrics to the server behind `send`. Resolves when its APIServices are available, with a function that removes
 * them and closes the server.
 */
export async function serveMetrics(send: ScenarioSend, clock: Clock = systemClock): Promise<() => Promise<void>> {
  const metrics = new MetricValues();
  const { port, close } = await startWebhookServer({
    reply: ({ method, url, text }) => metrics.respond(method, url, text),
  });
  const names = GROUPS.map(({ group, version }) => `${version}.${group}`);
  await send('POST', '/api/v1/namespaces', JSON_TYPE, { metadata: { name: NAMESPACE } });
  await send('POST', `/api/v1/namespaces/${NAMESPACE}/services`, JSON_TYPE, {
    metadata: { name: SERVICE },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  for (const { group, version } of GROUPS) {
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
  for (const name of names) await waitUntilAvailable(send, name, clock);
  return async () => {
    for (const name of names) await send('DELETE', `${SERVICES}/${name}`, JSON_TYPE);
    await send('DELETE', `/api/v1/namespaces/${NAMESPACE}`, JSON_TYPE);
    await close();
  };
}

async function waitUntilAvailable(send: ScenarioSend, name: string, clock: Clock): Promise<void> {
  let status: Json = null;
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const { body } = await send('GET', `${SERVICES}/${name}`, JSON_TYPE);
    status = isBody(body) ? (body['status'] ?? null) : null;
    const conditions = isBody(status) && Array.isArray(status['conditions']) ? status['conditions'].filter(isBody) : [];
    if (conditions.some((condition) => condition['type'] === 'Available' && condition['status'] === 'True')) return;
    await clock.sleep(POLL_MS);
  }
  throw new Error(`${name} is not available: ${JSON.stringify(status)}`);
}

/** The bodies of PUT requests, and the requests for metrics. */
class MetricValues {
  /** By path; at first the discovery documents. */
  private readonly values = new Map<string, Json>(
    GROUPS.map(({ group, version, resources }): [string, Json] => [
      `/apis/${group}/${version}`,
      {
        kind: 'APIResourceList',
        apiVersion: 'v1',
        groupVersion: `${group}/${version}`,
        resources: resources.map((name) => ({ name, singularName: '', namespaced: true, kind: 'MetricValueList', verbs: ['get'] })),
      },
    ]),
  );
  /** Method and target of requests, by namespace. */
  private readonly requests = new Map<string, Set<string>>();

  respond(method: string, target: string, text: string): Reply {
    const [encoded = ''] = target.split('?', 1);
    // A custom metric of all pods, which a scenario sets under a name without a wildcard.
    const path = decodeURIComponent(encoded).replace('/*', '/all');
    const namespace = /\/namespaces\/([^/]+)/.exec(path)?.[1] ?? '';
    if (method === 'PUT') {
      this.values.set(path, JSON.parse(text));
      return { body: {} };
    }
    if (path.endsWith('/asked')) return { body: { kind: 'List', apiVersion: 'v1', items: this.requestsIn(namespace) } };
    const requests = this.requests.get(namespace) ?? new Set();
    this.requests.set(namespace, requests.add(`${method} ${target}`));
    const body = this.values.get(path);
    if (body === undefined) return { status: 404, body: notFound(path) };
    // A Status has its own code.
    return { status: isBody(body) && typeof body['code'] === 'number' ? body['code'] : 200, body };
  }

  private requestsIn(namespace: string): Body[] {
    return [...(this.requests.get(namespace) ?? [])].map((name) => ({ metadata: { namespace, name } }));
  }
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
