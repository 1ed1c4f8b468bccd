/** Replays the destinations of proxied requests that were recorded from release 1.31.1 (proxies/requests). */
import type { JsonObject } from '../../../shared/values/json';
import { notFound, StatusError } from '../../../shared/api/errors/status';
import { isProxyCase, isProxyHead, OWN_ADDRESS, withOwnAddress } from '../../../test/replay/formats/proxy-destinations';
import { readRecording } from '../../../test/replay/recording';
import { openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import { resolveDestination, type ConnectDependencies } from './resolve-destination';

const OWN = '192.0.2.7';
const recording = readRecording('proxies/requests', isProxyHead, isProxyCase);
const head = withOwnAddress(recording.head, OWN);

let fixture: WriteFixture;
let parts: ConnectDependencies;

const HOSTS: Readonly<Record<string, readonly string[]>> = { localhost: ['::1', '127.0.0.1'] };

beforeAll(async () => {
  fixture = await openWriteFixture();
  for (const name of [head.namespace, head.otherNamespace]) await fixture.create('namespaces', { metadata: { name } });
  for (const { namespace, name, addresses } of head.pods) {
    await fixture.create('pods', { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } }, { namespace });
    const status = { podIPs: addresses.map((ip) => ({ ip })), ...(addresses[0] === undefined ? {} : { podIP: addresses[0] }) };
    await fixture.patch('pods', name, 'merge', { status }, { namespace, subresource: 'status' });
  }
  for (const [name, addresses] of Object.entries(head.nodes))
    await fixture.create('nodes', { metadata: { name }, status: { addresses: [...addresses] } });
  for (const [name, { ports, subsets }] of Object.entries(head.services)) {
    if (ports !== undefined)
      await fixture.create('services', { metadata: { name }, spec: { ports: [...ports] } }, { namespace: head.namespace });
    if (subsets !== undefined)
      await fixture.create('endpoints', { metadata: { name }, subsets: [...subsets] }, { namespace: head.namespace });
  }
  await fixture.cache.catchUp();
  const get: ConnectDependencies['reader']['get'] = (_, resource, { namespace, name }) => {
    const entry = fixture.cache.get(resource.stored, namespace === '' ? name : `${namespace}/${name}`);
    return entry === undefined ? Promise.reject(notFound(resource.row, name)) : Promise.resolve(entry);
  };
  parts = {
    reader: { get },
    nodes: fixture.resource('nodes'),
    endpoints: fixture.resource('endpoints'),
    pods: fixture.resource('pods'),
    resolveHost: (name) => Promise.resolve(HOSTS[name] ?? []),
    addressTypes: ['Hostname', 'InternalIP'],
    random: { float: () => 0.99 },
  };
});

async function outcomeOf(requested: string): Promise<JsonObject> {
  const slash = requested.indexOf('/');
  const resource = requested.slice(0, slash);
  const key = { namespace: resource === 'nodes' ? '' : head.namespace, name: requested.slice(slash + 1) };
  const request = {
    resource: fixture.resource(resource),
    subresource: 'proxy',
    key,
    container: '',
    kubeletQuery: new URLSearchParams(),
    isUpgrade: false,
  };
  try {
    const destination = await resolveDestination(parts, fixture.context, request);
    return { reached: destination?.url.host.replace(OWN, OWN_ADDRESS) ?? null };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { code: error.code, message: error.message };
  }
}

it.each(recording.cases.map(({ requested, ...answer }) => [requested, answer] as const))(
  'resolveDestination resolves %s as the reference server does',
  async (requested, answer) => expect(await outcomeOf(requested)).toEqual(answer),
);
