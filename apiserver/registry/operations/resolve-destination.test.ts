/** Rejections and destinations of requests to nodes, pods and Services. */
import type { JsonObject } from '../../../shared/values/json';
import { refusalStatus, openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import { cachedReader } from '../../../test/support/store/cached-reader';
import { useResource } from '../../../test/support/use-resource';
import { resolveDestination, type ConnectRequest } from './resolve-destination';
import type { Destination } from './destination';

const internalIp = (address: string): JsonObject => ({ type: 'InternalIP', address });
const hostname = (address: string): JsonObject => ({ type: 'Hostname', address });
const kubeletPort = (port: number): JsonObject => ({ daemonEndpoints: { kubeletEndpoint: { Port: port } } });

/** The status of each node. */
const NODES: Readonly<Record<string, JsonObject>> = {
  'no-address': {},
  m: { addresses: [internalIp('192.0.2.5'), hostname('m.example')] },
  loopback: { addresses: [internalIp('127.0.0.1')] },
  named: { addresses: [hostname('named.example')] },
  rebound: { addresses: [hostname('rebound.example')] },
  userinfo: { addresses: [internalIp('192.0.2.5:1@127.0.0.1')] },
  nat64: { addresses: [internalIp('64:ff9b::169.254.169.254')] },
  ipv6: { addresses: [internalIp('2001:db8::1')], ...kubeletPort(1234) },
  'invalid-port': { addresses: [internalIp('192.0.2.5')], ...kubeletPort(70_000) },
};

const container = (name: string): JsonObject => ({ name, image: 'i' });

/** The spec of each pod without an address. */
const PODS: Readonly<Record<string, JsonObject>> = {
  unscheduled: { containers: [container('c')] },
  'on-missing-node': { nodeName: 'missing', containers: [container('c')] },
  'two-containers': { nodeName: 'no-address', containers: [container('c'), container('d')] },
  'one-container': { nodeName: 'no-address', containers: [container('c')] },
};

/** The addresses of pods on the node `m` that have the port `web`. */
const POD_ADDRESSES: Readonly<Record<string, string>> = { running: '192.0.2.7', 'link-local': '169.254.1.1', endpoint: '192.0.2.9' };

async function createNodesAndPods(fixture: WriteFixture): Promise<void> {
  for (const [name, status] of Object.entries(NODES)) await fixture.create('nodes', { metadata: { name }, status });
  for (const [name, spec] of Object.entries(PODS)) await fixture.create('pods', { metadata: { name }, spec });
  for (const [name, podIP] of Object.entries(POD_ADDRESSES)) {
    const spec = { nodeName: 'm', containers: [{ ...container('c'), ports: [{ name: 'web', containerPort: 8080 }] }] };
    await fixture.create('pods', { metadata: { name }, spec });
    await fixture.patch('pods', name, 'merge', { status: { podIP, podIPs: [{ ip: podIP }] } }, { subresource: 'status' });
  }
}

/** The Service `s` has no Endpoints; `web` has an address without a pod and that of the pod `endpoint`. */
async function createServices(fixture: WriteFixture): Promise<void> {
  await fixture.create('services', { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
  const ports = (web: number, admin: number): JsonObject[] => [
    { name: 'web', port: web },
    { name: 'admin', port: admin },
  ];
  await fixture.create('services', { metadata: { name: 'web' }, spec: { ports: ports(80, 81) } });
  const targetRef = { kind: 'Pod', namespace: 'ns', name: 'endpoint' };
  const addresses = [{ ip: '192.0.2.8' }, { ip: '192.0.2.9', targetRef }];
  await fixture.create('endpoints', { metadata: { name: 'web' }, subsets: [{ addresses, ports: ports(9090, 9091) }] });
}

const fixture = useResource(async () => {
  const opened = await openWriteFixture();
  await createNodesAndPods(opened);
  await createServices(opened);
  await opened.cache.catchUp();
  return opened;
});

/** The addresses of each host name that resolves. */
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  'm.example': ['192.0.2.5', '2001:db8::5'],
  'named.example': ['192.0.2.6'],
  'rebound.example': ['192.0.2.6', '::ffff:127.0.0.1'],
};

/** `path`: resource, name and subresource, such as `pods/https:web:443/proxy`. */
async function destinationOf(path: string, more: Partial<ConnectRequest> = {}): Promise<Destination | undefined> {
  const [resource = '', name = '', subresource = ''] = path.split('/');
  const key = { namespace: resource === 'nodes' ? '' : 'ns', name };
  const request = {
    resource: fixture().resource(resource),
    subresource,
    key,
    container: '',
    kubeletQuery: new URLSearchParams({ follow: 'true' }),
    isUpgrade: false,
    ...more,
  };
  const deps = {
    reader: cachedReader(fixture()),
    nodes: fixture().resource('nodes'),
    endpoints: fixture().resource('endpoints'),
    pods: fixture().resource('pods'),
    resolveHost: (hostName: string) => Promise.resolve(HOSTS[hostName] ?? []),
    addressTypes: ['Hostname', 'InternalIP'],
    // Selects the last candidate: of the two addresses of `web`, that of the pod `endpoint`.
    random: { float: () => 0.99 },
  };
  return resolveDestination(deps, fixture().context, request);
}

/** The type, certificate verification and URL of the destination. */
async function describeDestination(path: string, more: Partial<ConnectRequest> = {}): Promise<string | undefined> {
  const destination = await destinationOf(path, more);
  return destination === undefined ? undefined : `${destination.type} ${destination.trust} ${destination.url.href}`;
}

/** The rejections are those of the reference server. */
test.each<[path: string, request: Partial<ConnectRequest>, code: number, message: string]>([
  ['pods/none/log', {}, 404, 'pods "none" not found'],
  ['pods/unscheduled/log', { container: 'z' }, 400, 'container z is not valid for pod unscheduled'],
  ['pods/unscheduled/exec', {}, 400, 'pod unscheduled does not have a host assigned'],
  ['pods/unscheduled/portforward', {}, 400, 'pod unscheduled does not have a host assigned'],
  ['pods/on-missing-node/log', {}, 404, 'pods "missing" not found'],
  ['pods/two-containers/attach', {}, 400, 'a container name must be specified for pod two-containers, choose one of: [c d]'],
  ['pods/two-containers/exec', { container: 'd' }, 400, 'Upgrade request required'],
  ['pods/two-containers/portforward', {}, 400, 'Upgrade request required'],
  ['pods/one-container/proxy', {}, 400, 'address not allowed'],
  ['services/none/proxy', {}, 404, 'services "none" not found'],
  ['services/a:b:c:d/proxy', {}, 400, 'invalid service request "a:b:c:d"'],
  ['services/s:81/proxy', {}, 503, 'no service port 81 found for service "s"'],
  ['nodes/none/proxy', {}, 404, 'nodes "none" not found'],
  ['pods/one-container/exec', { isUpgrade: true }, 500, 'no preferred addresses found; known addresses: []'],
  ['services/http:s:80/proxy', {}, 404, 'services "s" not found'],
  ['pods/link-local/proxy', {}, 400, 'address not allowed'],
  ['nodes/loopback/proxy', {}, 400, 'address not allowed'],
])('resolveDestination rejects %s %j with %i: %s', async (path, more, code, message) => {
  expect(await refusalStatus(describeDestination(path, more))).toMatchObject({ code, message });
});

test('the log of an unscheduled pod is empty', async () => {
  await expect(describeDestination('pods/unscheduled/log')).resolves.toBeUndefined();
});

test.each<[path: string, request: Partial<ConnectRequest>, destination: string]>([
  ['pods/running/log', {}, 'log kubelet https://m.example:10250/containerLogs/ns/running/c?follow=true'],
  ['pods/running/exec', { isUpgrade: true }, 'stream kubelet https://m.example:10250/exec/ns/running/c?follow=true'],
  ['pods/running/portforward', { isUpgrade: true }, 'stream kubelet https://m.example:10250/portForward/ns/running?follow=true'],
  ['pods/running/proxy', {}, 'proxy any http://192.0.2.7:8080/'],
  ['pods/https:running:443/proxy', {}, 'proxy any https://192.0.2.7/'],
  ['nodes/m/proxy', {}, 'proxy kubelet https://m.example:10250/'],
  ['nodes/m:10250/proxy', {}, 'proxy kubelet https://m.example:10250/'],
  ['nodes/m:9100/proxy', {}, 'proxy any http://m.example:9100/'],
  ['nodes/ipv6/proxy', {}, 'proxy kubelet https://[2001:db8::1]:1234/'],
  ['services/web:web/proxy', {}, 'proxy any http://192.0.2.9:9090/'],
  ['pods/running:web/proxy', {}, 'proxy any http://192.0.2.7:8080/'],
  ['services/https:web:admin/proxy', {}, 'proxy any https://192.0.2.9:9091/'],
  ['services/web:81/proxy', {}, 'proxy any http://192.0.2.9:9091/'],
])('resolveDestination resolves %s with %j to %s', async (path, more, expected) => {
  expect(await describeDestination(path, more)).toBe(expected);
});

/** Ports with which a client could try to reach another machine. */
// prettier-ignore
const PORTS = [
  '80@127.0.0.1', '1@HOST', ':', '80?', '80#', '80\\', ' 80', '80 ', '+80', '-1', '0', '65536', '8e1', '0x50', '80.0',
  '[::1]', '@', '%40', '80%40127.0.0.1', 'http', 'unknown', '\r\n', '80\t', '٨٠', '99999999999999999999',
];

describe('a port that is neither a valid number nor declared', () => {
  it.each(PORTS)('is rejected in proxy requests to pods and nodes: %j', async (port) => {
    for (const [kind, name] of [
      ['pod', 'running'],
      ['pod', 'https:running'],
      ['node', 'm'],
      ['node', 'https:m'],
    ])
      expect(await refusalStatus(describeDestination(`${kind}s/${name}:${port}/proxy`))).toMatchObject({
        code: 400,
        message: expect.stringMatching(`^invalid ${kind} request "`),
      });
  });

  // Upstream accepts a sign before the number of a Service port.
  it.each(PORTS.filter((port) => port !== '+80'))('is rejected in proxy requests to Services: %j', async (port) => {
    expect(await refusalStatus(describeDestination(`services/web:${port}/proxy`))).toMatchObject({ code: expect.any(Number) });
  });
});

describe('the host name of a node', () => {
  it('is resolved once, and only the checked addresses are dialled', async () => {
    expect(await destinationOf('nodes/m/proxy')).toMatchObject({ pinnedAddresses: ['192.0.2.5', '2001:db8::5'] });
    expect(await destinationOf('nodes/named:9100/proxy')).toMatchObject({ trust: 'any', pinnedAddresses: ['192.0.2.6'] });
  });

  it('is rejected when any address that it resolves to is not allowed', async () => {
    expect(await refusalStatus(describeDestination('nodes/rebound/proxy'))).toMatchObject({ code: 400, message: 'address not allowed' });
  });
});

/** The reference server does not reject these. */
test.each([
  ['nodes/userinfo/proxy', 400, 'lookup 192.0.2.5:1@127.0.0.1: no such host'],
  ['nodes/nat64/proxy', 400, 'address not allowed'],
  ['nodes/invalid-port/proxy', 500, 'dial tcp: address 70000: invalid port'],
])('resolveDestination rejects %s with %i: %s', async (path, code, message) => {
  expect(await refusalStatus(describeDestination(path))).toMatchObject({ code, message });
});
