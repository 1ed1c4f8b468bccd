/**
 * Records the order in which the endpoints controller writes addresses, ports and subsets of Endpoints (format
 * `endpoints-order`). The server runs with its controllers.
 */
import { setTimeout } from 'node:timers/promises';
import { readRecording } from '../../recording';
import { objectsIn, type Body, type Json } from '../../json-response';
import { anything, oneOf, shape, text } from '../../shape';
import { createObject, CreatedObjects } from './created-objects';
import type { ReferenceServer } from '../reference-server';

/** How long the controllers need to create the service account of a namespace, and later to write all Endpoints. */
const PAUSE_MS = 5_000;
/** Enough that an order by name differs from one by address or by creation. */
const PODS = 24;

const isHead = shape({ format: oneOf('endpoints-order'), about: text });

/**
 * The ports of Services by name. Numbered ports share one subset of all pods. The named target port `web` has one number
 * for every two pods, and so a subset for each pair. Without ports there is one subset that has none.
 */
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

export async function recordEndpointsOrder(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head } = readRecording(recording, isHead, anything);
  const created = new CreatedObjects();
  const namespace = `endpoints-order-${process.pid}`;
  const folder = `/api/v1/namespaces/${namespace}`;
  const lines: unknown[] = [head];
  try {
    await createObject(server, created, '/api/v1/namespaces', { metadata: { name: namespace } });
    await setTimeout(PAUSE_MS);
    for (let index = 0; index < PODS; index += 1) await createPod(server, created, folder, index);
    for (const [name, ports] of Object.entries(SERVICES)) {
      // A Service without ports must be headless.
      const spec: Body = ports.length === 0 ? { clusterIP: 'None', selector: { app: 'a' } } : { selector: { app: 'a' }, ports };
      await createObject(server, created, `${folder}/services`, { metadata: { name }, spec });
    }
    await setTimeout(PAUSE_MS);
    for (const name of Object.keys(SERVICES)) {
      const { subsets } = (await server.sendJson('GET', `${folder}/endpoints/${name}`)).body;
      lines.push({ service: name, subsets: objectsIn(subsets) });
    }
  } finally {
    await created.remove(server);
  }
  return lines;
}

/**
 * Creates a pod and makes its status that of a running one: on one of three nodes, with a port `web`. Two pods each have
 * the same port number. Every fourth pod is not ready.
 */
async function createPod(server: ReferenceServer, created: CreatedObjects, folder: string, index: number): Promise<void> {
  const name = `p${index}`;
  // Every fifth pod has the address of the previous one.
  const ip = `10.8.0.${(index % 5 === 4 ? index - 1 : index) * 7 + 1}`;
  const spec: Body = {
    nodeName: `node${index % 3}`,
    containers: [{ name: 'c', image: 'i', ports: [{ name: 'web', containerPort: 1_000 + Math.floor(index / 2) }] }],
    // A hostname appears in the Endpoints of the Service that the subdomain names, here the Service `both`, and in no others.
    ...(index % 3 === 0 ? { hostname: `h${index}`, subdomain: 'both' } : {}),
  };
  await createObject(server, created, `${folder}/pods`, { metadata: { name, labels: { app: 'a' } }, spec });
  const conditions: Json[] = [{ type: 'Ready', status: index % 4 === 1 ? 'False' : 'True' }];
  const status: Body = { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions };
  await server.mergePatch(`${folder}/pods/${name}/status`, { status });
}
