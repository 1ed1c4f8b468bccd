/**
 * Records in which order the reference's controller writes addresses, ports and subsets of Endpoints:
 *   node deploy/scripts/run.mjs test/replay/endpoints-order.js
 * The reference runs with its controllers. controllers/endpoints/canonical-order.test.ts replays the recording.
 */
import { writeRecording } from './recording';
import { call, hangUp, isBody, type Body, type Json } from './reference';

const JSON_TYPE = 'application/json';
const SETTLED_MS = 5_000;

/** Services by name: some have one subset of many ports, some a subset for each pod. */
const SERVICES: Readonly<Record<string, Json[]>> = {
  'many-ports': [
    { name: 'http', port: 80 },
    { name: 'https', port: 81, appProtocol: 'kubernetes.io/h2c' },
    { name: 'dns', port: 82, protocol: 'UDP' },
    { name: 'dns-tcp', port: 83 },
    { name: 'metrics', port: 84, appProtocol: 'http' },
    { name: 'a', port: 85 },
    { name: 'b', port: 86, protocol: 'SCTP' },
  ],
  'many-subsets': [{ name: 'x', port: 99, targetPort: 'web' }],
  both: [
    { name: 'x', port: 99, targetPort: 'web' },
    { name: 'y', port: 98 },
    { name: 'z', port: 97 },
  ],
  'without-ports': [],
};

async function pod(folder: string, index: number): Promise<void> {
  const name = `p${index}`;
  // Every fifth pod has the address of the previous one.
  const ip = `10.8.0.${(index % 5 === 4 ? index - 1 : index) * 7 + 1}`;
  const spec: Body = {
    nodeName: `node${index % 3}`,
    containers: [{ name: 'c', image: 'i', ports: [{ name: 'web', containerPort: 1_000 + Math.floor(index / 2) }] }],
    ...(index % 3 === 0 ? { hostname: `h${index}`, subdomain: 'both' } : {}),
  };
  await call('POST', `${folder}/pods`, JSON_TYPE, { metadata: { name, labels: { app: 'a' } }, spec });
  const conditions: Json[] = [{ type: 'Ready', status: index % 4 === 1 ? 'False' : 'True' }];
  const status: Body = { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions };
  await call('PATCH', `${folder}/pods/${name}/status`, 'application/merge-patch+json', { status });
}

async function main(): Promise<void> {
  const namespace = `endpoints-order-${Math.random().toString(36).slice(2, 7)}`;
  const folder = `/api/v1/namespaces/${namespace}`;
  await call('POST', '/api/v1/namespaces', JSON_TYPE, { metadata: { name: namespace } });
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  for (let index = 0; index < 24; index += 1) await pod(folder, index);
  for (const [name, ports] of Object.entries(SERVICES)) {
    const spec: Body = ports.length === 0 ? { clusterIP: 'None', selector: { app: 'a' } } : { selector: { app: 'a' }, ports };
    await call('POST', `${folder}/services`, JSON_TYPE, { metadata: { name }, spec });
  }
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  const lines: object[] = [];
  for (const name of Object.keys(SERVICES)) {
    const { body } = await call('GET', `${folder}/endpoints/${name}`, JSON_TYPE);
    const subsets = body['subsets'];
    lines.push({ service: name, subsets: (Array.isArray(subsets) ? subsets : []).filter(isBody) });
  }
  writeRecording('controllers/endpoints-order', lines);
  await call('DELETE', `/api/v1/namespaces/${namespace}`, JSON_TYPE);
  hangUp();
}

void main();
