/**
 * Records the destinations of proxied requests to pods, nodes and Services (format `proxy-destinations`). Creates the
 * objects of the head and deletes them afterwards. The server must run on this machine.
 */
import { networkInterfaces } from 'node:os';
import { isProxyCase, isProxyHead, OWN_ADDRESS, withOwnAddress, type ProxyHead } from '../../formats/proxy-destinations';
import { readRecording } from '../../recording';
import { textOf } from '../../json-response';
import type { ReferenceServer } from '../reference-server';

/** The message about a destination on which nothing listens, with the destination. */
const REACHED = /^error trying to reach service: dial tcp ([^ ]+): connect: connection refused$/;

export async function recordProxyDestinations(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isProxyHead, isProxyCase);
  const own = ownAddress();
  const objects = withOwnAddress(head, own);
  try {
    await createObjects(server, objects);
    const lines: unknown[] = [head];
    for (const { requested } of cases) {
      const { resource, name } = parseRequested(requested);
      const path = `${pathOf(resource === 'nodes' ? '' : head.namespace, resource)}/${encodeURIComponent(name)}/proxy/x`;
      const { code, body } = await server.sendJson('GET', path);
      // The message names the DNS resolver of this machine.
      const message = textOf(body['message'])
        .replaceAll(own, OWN_ADDRESS)
        .replace(/ on [^ ]+:\d+(?=: no such host)/, '');
      const reached = REACHED.exec(message)?.[1];
      lines.push({ requested, ...(reached === undefined ? { code, message } : { reached }) });
    }
    return lines;
  } finally {
    await deleteObjects(server, objects);
  }
}

/** Parses `<resource>/<name in the request>`; the name may contain slashes. */
function parseRequested(requested: string): { readonly resource: string; readonly name: string } {
  const slash = requested.indexOf('/');
  return { resource: requested.slice(0, slash), name: requested.slice(slash + 1) };
}

/** An IPv4 address of this machine that is not loopback. */
function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const own = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  if (own === undefined) throw new Error('this machine has only loopback addresses');
  return own;
}

/** The path of a collection; `namespace` is '' for cluster-scoped resources. */
const pathOf = (namespace: string, resource: string): string =>
  namespace === '' ? `/api/v1/${resource}` : `/api/v1/namespaces/${namespace}/${resource}`;

async function createObjects(server: ReferenceServer, { namespace, otherNamespace, pods, nodes, services }: ProxyHead): Promise<void> {
  for (const name of [namespace, otherNamespace]) await server.createNamespace(name);
  const podSpec = { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] };
  for (const { namespace: podNamespace, name, addresses } of pods) {
    await server.createIfAbsent(pathOf(podNamespace, 'pods'), { metadata: { name }, spec: podSpec });
    const status = { podIP: addresses[0] ?? null, podIPs: addresses.map((ip) => ({ ip })) };
    await server.mergePatch(`${pathOf(podNamespace, 'pods')}/${name}/status`, { status });
  }
  for (const [name, addresses] of Object.entries(nodes))
    await server.createIfAbsent(pathOf('', 'nodes'), { metadata: { name }, status: { addresses: [...addresses] } });
  for (const [name, { ports, subsets }] of Object.entries(services)) {
    if (ports !== undefined)
      await server.createIfAbsent(pathOf(namespace, 'services'), { metadata: { name }, spec: { ports: [...ports] } });
    if (subsets !== undefined) await server.createIfAbsent(pathOf(namespace, 'endpoints'), { metadata: { name }, subsets: [...subsets] });
  }
}

async function deleteObjects(server: ReferenceServer, { namespace, pods, nodes, services }: ProxyHead): Promise<void> {
  for (const name of Object.keys(nodes)) await server.sendJson('DELETE', `${pathOf('', 'nodes')}/${name}`);
  for (const { namespace: podNamespace, name } of pods)
    await server.sendJson('DELETE', `${pathOf(podNamespace, 'pods')}/${name}?gracePeriodSeconds=0`);
  for (const name of Object.keys(services)) {
    await server.sendJson('DELETE', `${pathOf(namespace, 'services')}/${name}`);
    await server.sendJson('DELETE', `${pathOf(namespace, 'endpoints')}/${name}`);
  }
}
