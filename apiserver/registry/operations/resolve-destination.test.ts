/**
 * Rejections and destinations of requests to nodes, pods and Services. The rejections are those of the reference
 * server, except for those of the last test.
 */
import type { JsonObject } from '../../../shared/values/json';
import { notFound } from '../../../shared/api/errors/status';
import { refusalStatus, openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import type { Reader } from '../verbs';
import { resolveDestination, type ConnectRequest } from './resolve-destination';
import type { Destination } from './destination';

let fixture: WriteFixture;
let reader: Pick<Reader, 'get'>;

const internalIp = (address: string): JsonObject => ({ type: 'InternalIP', address });
const hostname = (address: string): JsonObject => ({ type: 'Hostname', address });
const kubeletPort = (port: number): JsonObject => ({ daemonEndpoints: { kubeletEndpoint: { Port: port } } });

/** The status of each node. */
const NODES: Readonly<Record<string, JsonObject>> = {
  n: {},
  m: { addresses: [internalIp('192.0.2.5'), hostname('m.example')] },
  own: { addresses: [internalIp('127.0.0.1')] },
  named: { addresses: [hostname('named.example')] },
  rebound: { addresses: [hostname('rebound.example')] },
  userinfo: { addresses: [internalIp('192.0.2.5:1@127.0.0.1')] },
  nat64: { addresses: [internalIp('64:ff9b::169.254.169.254')] },
  six: { addresses: [internalIp('2001:db8::1')], ...kubeletPort(1234) },
  beyond: { addresses: [internalIp('192.0.2.5')], ...kubeletPort(70_000) },
};

const container = (name: string): JsonObject => ({ name, image: 'i' });

/** The spec of each pod without an address. */
const PODS: Readonly<Record<string, JsonObject>> = {
  waiting: { containers: [container('c')] },
  lost: { nodeName: 'gone', containers: [container('c')] },
  two: { nodeName: 'n', containers: [container('c'), container('d')] },
  one: { nodeName: 'n', containers: [container('c')] },
};

/** The addresses of pods on the node `m` that have the port `web`. */
const POD_ADDRESSES: Readonly<Record<string, string>> = { there: '192.0.2.7', own: '169.254.1.1', behind: '192.0.2.9' };

async function createNodesAndPods(): Promise<void> {
  for (const [name, status] of Object.entries(NODES)) await fixture.create('nodes', { metadata: { name }, status });
  for (const [name, spec] of Object.entries(PODS)) await fixture.create('pods', { metadata: { name }, spec });
  for (const [name, podIP] of Object.entries(POD_ADDRESSES)) {
    const spec = { nodeName: 'm', containers: [{ ...container('c'), ports: [{ name: 'web', containerPort: 8080 }] }] };
    await fixture.create('pods', { metadata: { name }, spec });
    await fixture.patch('pods', name, 'merge', { status: { podIP, podIPs: [{ ip: podIP }] } }, { subresource: 'status' });
  }
}

/** The Service `s` has no Endpoints; `web` has an address without a pod and that of the pod `behind`. */
async function createServices(): Promise<void> {
  await fixture.create('services', { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
  const ports = (web: number, admin: number): JsonObject[] => [
    { name: 'web', port: web },
    { name: 'admin', port: admin },
  ];
  await fixture.create('services', { metadata: { name: 'web' }, spec: { ports: ports(80, 81) } });
  const targetRef = { kind: 'Pod', namespace: 'ns', name: 'behind' };
  const addresses = [{ ip: '192.0.2.8' }, { ip: '192.0.2.9', targetRef }];
  await fixture.create('endpoints', { metadata: { name: 'web' }, subsets: [{ addresses, ports: ports(9090, 9091) }] });
}

beforeAll(async () => {
  fixture = await openWriteFixture();
  await createNodesAndPods();
  await createServices();
  await fixture.cache.catchUp();
  reader = {
    get: (_, resource, { namespace, name }) => {
      const entry = fixture.cache.get(resource.stored, namespace === '' ? name : `${namespace}/${name}`);
      return entry === undefined ? Promise.reject(notFound(resource.row, name)) : Promise.resolve(entry);
    },
  };
});

const HOSTS: Readonly<Record<string, readonly string[]>> = {
  'm.example': ['192.0.2.5', '2001:db8::5'],
  'named.example': ['192.0.2.6'],
  'rebound.example': ['192.0.2.6', '::ffff:127.0.0.1'],
};

async function destinationOf(path: string, more: Partial<ConnectRequest> = {}): Promise<Destination | undefined> {
  const [resource = '', name = '', subresource = ''] = path.split('/');
  const key = { namespace: resource === 'nodes' ? '' : 'ns', name };
  const request = {
    resource: fixture.resource(resource),
    subresource,
    key,
    container: '',
    kubeletQuery: new URLSearchParams({ follow: 'true' }),
    isUpgrade: false,
    ...more,
  };
  const parts = {
    reader,
    nodes: fixture.resource('nodes'),
    endpoints: fixture.resource('endpoints'),
    pods: fixture.resource('pods'),
    resolveHost: (name: string) => Promise.resolve(HOSTS[name] ?? []),
    addressTypes: ['Hostname', 'InternalIP'],
    // Selects the last candidate: of the two addresses of `web`, that of the pod `behind`.
    random: { float: () => 0.99 },
  };
  return resolveDestination(parts, fixture.context, request);
}

/** The type, certificate verification and URL of the destination. */
async function describeDestination(path: string, more: Partial<ConnectRequest> = {}): Promise<string | undefined> {
  const destination = await destinationOf(path, more);
  return destination === undefined ? undefined : `${destination.type} ${destination.trust} ${destination.url.href}`;
}

test.each<[string, Partial<ConnectRequest>, number, string]>([
  ['pods/none/log', {}, 404, 'pods "none" not found'],
  ['pods/waiting/log', { container: 'z' }, 400, 'container z is not valid for pod waiting'],
  ['pods/waiting/exec', {}, 400, 'pod waiting does not have a host assigned'],
  ['pods/waiting/portforward', {}, 400, 'pod waiting does not have a host assigned'],
  ['pods/lost/log', {}, 404, 'pods "gone" not found'],
  ['pods/two/attach', {}, 400, 'a container name must be specified for pod two, choose one of: [c d]'],
  ['pods/two/exec', { container: 'd' }, 400, 'Upgrade request required'],
  ['pods/two/portforward', {}, 400, 'Upgrade request required'],
  ['pods/one/proxy', {}, 400, 'address not allowed'],
  ['services/none/proxy', {}, 404, 'services "none" not found'],
  ['services/a:b:c:d/proxy', {}, 400, 'invalid service request "a:b:c:d"'],
  ['services/s:81/proxy', {}, 503, 'no service port 81 found for service "s"'],
  ['nodes/none/proxy', {}, 404, 'nodes "none" not found'],
  ['pods/one/exec', { isUpgrade: true }, 500, 'no preferred addresses found; known addresses: []'],
  ['services/http:s:80/proxy', {}, 404, 'services "s" not found'],
  ['pods/own/proxy', {}, 400, 'address not allowed'],
  ['nodes/own/proxy', {}, 400, 'address not allowed'],
])('resolveDestination rejects %s %j with %i: %s', async (path, more, code, message) => {
  expect(await refusalStatus(describeDestination(path, more))).toMatchObject({ code, message });
});

test('the log of an unscheduled pod is empty', async () => {
  await expect(describeDestination('pods/waiting/log')).resolves.toBeUndefined();
});

test.each<[string, Partial<ConnectRequest>, string]>([
  ['pods/there/log', {}, 'log kubelet https://m.example:10250/containerLogs/ns/there/c?follow=true'],
  ['pods/there/exec', { isUpgrade: true }, 'stream kubelet https://m.example:10250/exec/ns/there/c?follow=true'],
  ['pods/there/portforward', { isUpgrade: true }, 'stream kubelet https://m.example:10250/portForward/ns/there?follow=true'],
  ['pods/there/proxy', {}, 'proxy any http://192.0.2.7:8080/'],
  ['pods/https:there:443/proxy', {}, 'proxy any https://192.0.2.7/'],
  ['nodes/m/proxy', {}, 'proxy kubelet https://m.example:10250/'],
  ['nodes/m:10250/proxy', {}, 'proxy kubelet https://m.example:10250/'],
  ['nodes/m:9100/proxy', {}, 'proxy any http://m.example:9100/'],
  ['nodes/six/proxy', {}, 'proxy kubelet https://[2001:db8::1]:1234/'],
  ['services/web:web/proxy', {}, 'proxy any http://192.0.2.9:9090/'],
  ['pods/there:web/proxy', {}, 'proxy any http://192.0.2.7:8080/'],
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
      ['pod', 'there'],
      ['pod', 'https:there'],
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

test.each([
  ['nodes/userinfo/proxy', 400, 'lookup 192.0.2.5:1@127.0.0.1: no such host'],
  ['nodes/nat64/proxy', 400, 'address not allowed'],
  ['nodes/beyond/proxy', 500, 'dial tcp: address 70000: invalid port'],
])('resolveDestination rejects %s with %i: %s', async (path, code, message) => {
  expect(await refusalStatus(describeDestination(path))).toMatchObject({ code, message });
});
