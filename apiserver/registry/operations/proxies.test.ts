/** Replays the destinations of proxied requests that were recorded from release 1.31.1 (proxies/requests). */
import type { JsonObject } from '../../../shared/values/json';
import { StatusError } from '../../../shared/api/errors/status';
import { isProxyCase, isProxyHead, OWN_ADDRESS, withOwnAddress } from '../../../test/replay/formats/proxy-destinations';
import { readRecording } from '../../../test/replay/recording';
import { openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import { cachedReader } from '../../../test/support/store/cached-reader';
import { useResource } from '../../../test/support/use-resource';
import { resolveDestination, type ConnectDependencies } from './resolve-destination';

/** Stands for the address of the machine on which the recording was made, which the recording masks. */
const OWN = '192.0.2.7';
const recording = readRecording('proxies/requests', isProxyHead, isProxyCase);
const head = withOwnAddress(recording.head, OWN);

/** The addresses of each host name that resolves. */
const HOSTS: Readonly<Record<string, readonly string[]>> = { localhost: ['::1', '127.0.0.1'] };

/** A fixture with the pods, nodes, Services and Endpoints of the recording. */
const fixture = useResource(async () => {
  const opened = await openWriteFixture();
  await createRecordedObjects(opened);
  await opened.cache.catchUp();
  return opened;
});

async function createRecordedObjects(opened: WriteFixture): Promise<void> {
  for (const name of [head.namespace, head.otherNamespace]) await opened.create('namespaces', { metadata: { name } });
  for (const { namespace, name, addresses } of head.pods) {
    await opened.create('pods', { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } }, { namespace });
    const status = { podIPs: addresses.map((ip) => ({ ip })), ...(addresses[0] === undefined ? {} : { podIP: addresses[0] }) };
    await opened.patch('pods', name, 'merge', { status }, { namespace, subresource: 'status' });
  }
  for (const [name, addresses] of Object.entries(head.nodes))
    await opened.create('nodes', { metadata: { name }, status: { addresses: [...addresses] } });
  for (const [name, { ports, subsets }] of Object.entries(head.services)) {
    if (ports !== undefined)
      await opened.create('services', { metadata: { name }, spec: { ports: [...ports] } }, { namespace: head.namespace });
    if (subsets !== undefined)
      await opened.create('endpoints', { metadata: { name }, subsets: [...subsets] }, { namespace: head.namespace });
  }
}

function connectDependencies(): ConnectDependencies {
  return {
    reader: cachedReader(fixture()),
    nodes: fixture().resource('nodes'),
    endpoints: fixture().resource('endpoints'),
    pods: fixture().resource('pods'),
    resolveHost: (name) => Promise.resolve(HOSTS[name] ?? []),
    addressTypes: ['Hostname', 'InternalIP'],
    // Selects the last of several endpoints.
    random: { float: () => 0.99 },
  };
}

/** The host and port that a request reaches, or its rejection. `requested`: `pods/http:web:80`. */
async function outcomeOf(requested: string): Promise<JsonObject> {
  const slash = requested.indexOf('/');
  const resource = requested.slice(0, slash);
  const key = { namespace: resource === 'nodes' ? '' : head.namespace, name: requested.slice(slash + 1) };
  const request = {
    resource: fixture().resource(resource),
    subresource: 'proxy',
    key,
    container: '',
    kubeletQuery: new URLSearchParams(),
    isUpgrade: false,
  };
  try {
    const destination = await resolveDestination(connectDependencies(), fixture().context, request);
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
