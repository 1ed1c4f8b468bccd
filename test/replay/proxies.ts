/**
 * Records the destinations of proxied requests to pods, nodes and Services on the reference server, and what it rejects:
 *   node deploy/scripts/run.mjs test/replay/proxies.js
 * It makes namespaces and nodes whose names begin with `proxy-recordings` and `proxied-`, and deletes them; the reference server must run on this machine.
 * proxies.test.ts replays the recording.
 */
import { networkInterfaces } from 'node:os';
import { REQUESTED_NAMES, NAMESPACE, nodesAt, OTHER_NAMESPACE, OWN_ADDRESS, podsAt, servicesAt } from './proxies/cases';
import { writeRecording } from './recording';
import { call, hangUp, type Body } from './reference';

const JSON_TYPE = 'application/json';
const NAMESPACES = [NAMESPACE, OTHER_NAMESPACE];

function ownAddress(): string {
  const found = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const own = found.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  if (own === undefined) throw new Error('this machine has no address but loopback');
  return own;
}

const pathOf = (namespace: string, resource: string): string =>
  namespace === '' ? `/api/v1/${resource}` : `/api/v1/namespaces/${namespace}/${resource}`;

async function create(path: string, body: Body): Promise<void> {
  const reply = await call('POST', path, JSON_TYPE, body);
  if (reply.code >= 300 && reply.code !== 409) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
}

async function prepare(own: string): Promise<void> {
  for (const namespace of NAMESPACES) {
    await create('/api/v1/namespaces', { metadata: { name: namespace } });
    await create(pathOf(namespace, 'serviceaccounts'), { metadata: { name: 'default' } });
  }
  const spec = { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] };
  for (const { namespace, name, addresses } of podsAt(own)) {
    await create(pathOf(namespace, 'pods'), { metadata: { name }, spec });
    const status = { podIP: addresses[0] ?? null, podIPs: addresses.map((ip) => ({ ip })) };
    await call('PATCH', `${pathOf(namespace, 'pods')}/${name}/status`, 'application/merge-patch+json', { status });
  }
  for (const [name, addresses] of Object.entries(nodesAt(own)))
    await create('/api/v1/nodes', { metadata: { name }, status: { addresses: [...addresses] } });
  for (const [name, { ports, subsets }] of Object.entries(servicesAt(own))) {
    if (ports !== undefined) await create(pathOf(NAMESPACE, 'services'), { metadata: { name }, spec: { ports: [...ports] } });
    if (subsets !== undefined) await create(pathOf(NAMESPACE, 'endpoints'), { metadata: { name }, subsets: [...subsets] });
  }
}

async function cleanUp(own: string): Promise<void> {
  for (const name of Object.keys(nodesAt(own))) await call('DELETE', `/api/v1/nodes/${name}`, JSON_TYPE);
  for (const { namespace, name } of podsAt(own))
    await call('DELETE', `${pathOf(namespace, 'pods')}/${name}?gracePeriodSeconds=0`, JSON_TYPE);
  for (const name of Object.keys(servicesAt(own))) {
    await call('DELETE', `${pathOf(NAMESPACE, 'services')}/${name}`, JSON_TYPE);
    await call('DELETE', `${pathOf(NAMESPACE, 'endpoints')}/${name}`, JSON_TYPE);
  }
}

const REACHED = /^error trying to reach service: dial tcp ([^ ]+): connect: connection refused$/;

async function main(): Promise<void> {
  const own = ownAddress();
  const lines: object[] = [];
  try {
    await prepare(own);
    for (const [resource, names] of Object.entries(REQUESTED_NAMES)) {
      for (const name of names) {
        const path = `${pathOf(resource === 'nodes' ? '' : NAMESPACE, resource)}/${encodeURIComponent(name)}/proxy/x`;
        const { code, body } = await call('GET', path, {});
        // The message names the DNS resolver of this machine.
        const said = typeof body['message'] === 'string' ? body['message'] : '';
        const message = said.replaceAll(own, OWN_ADDRESS).replace(/ on [^ ]+:\d+(?=: no such host)/, '');
        const reached = REACHED.exec(message)?.[1];
        lines.push({ asked: `${resource}/${name}`, ...(reached === undefined ? { code, message } : { reached }) });
      }
    }
  } finally {
    await cleanUp(own);
    hangUp();
  }
  writeRecording('proxies/requests', lines);
}

void main();
