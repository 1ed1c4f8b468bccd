/** Replays the destinations of proxied requests, recorded from the reference server by test/replay/proxies.ts. */
import type { JsonObject } from '../../../shared/values/json';
import { notFound, StatusError } from '../../../shared/api/errors/status';
import { REQUESTED_NAMES, NAMESPACE, nodesAt, OTHER_NAMESPACE, OWN_ADDRESS, podsAt, servicesAt } from '../../../test/replay/proxies/cases';
import { casesOf } from '../../../test/replay/recording';
import { number, shape, text } from '../../../test/replay/shape';
import { writeFixture, type Fixture } from '../../../test/support/write-fixture';
import { connect, type ConnectParts } from './connect';

const OWN = '192.0.2.7';
const recorded = casesOf('proxies/requests', shape({ asked: text }, { reached: text, code: number, message: text }));

let fixture: Fixture;
let parts: ConnectParts;

const HOSTS: Readonly<Record<string, readonly string[]>> = { localhost: ['::1', '127.0.0.1'] };

beforeAll(async () => {
  fixture = await writeFixture();
  for (const name of [NAMESPACE, OTHER_NAMESPACE]) await fixture.create('namespaces', { metadata: { name } });
  for (const { namespace, name, addresses } of podsAt(OWN)) {
    await fixture.create('pods', { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } }, { namespace });
    const status = { podIPs: addresses.map((ip) => ({ ip })), ...(addresses[0] === undefined ? {} : { podIP: addresses[0] }) };
    await fixture.patch('pods', name, 'merge', { status }, { namespace, subresource: 'status' });
  }
  for (const [name, addresses] of Object.entries(nodesAt(OWN)))
    await fixture.create('nodes', { metadata: { name }, status: { addresses: [...addresses] } });
  for (const [name, { ports, subsets }] of Object.entries(servicesAt(OWN))) {
    if (ports !== undefined)
      await fixture.create('services', { metadata: { name }, spec: { ports: [...ports] } }, { namespace: NAMESPACE });
    if (subsets !== undefined) await fixture.create('endpoints', { metadata: { name }, subsets: [...subsets] }, { namespace: NAMESPACE });
  }
  await fixture.cache.catchUp();
  const get: ConnectParts['reader']['get'] = (_, resource, { namespace, name }) => {
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

async function outcomeOf(asked: string): Promise<JsonObject> {
  const slash = asked.indexOf('/');
  const resource = asked.slice(0, slash);
  const key = { namespace: resource === 'nodes' ? '' : NAMESPACE, name: asked.slice(slash + 1) };
  const connection = {
    resource: fixture.resource(resource),
    subresource: 'proxy',
    key,
    container: '',
    told: new URLSearchParams(),
    upgrades: false,
  };
  try {
    const destination = await connect(parts, fixture.context, connection);
    return { reached: destination?.url.host.replace(OWN, OWN_ADDRESS) ?? null };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { code: error.code, message: error.message };
  }
}

it('the recording covers every requested name', () => {
  const names = Object.entries(REQUESTED_NAMES).flatMap(([resource, asked]) => asked.map((name) => `${resource}/${name}`));
  expect(recorded.map(({ asked }) => asked)).toEqual(names);
});

it.each(recorded.map(({ asked, ...answer }) => [asked, answer] as const))(
  'connect resolves %s as the reference server does',
  async (asked, answer) => expect(await outcomeOf(asked)).toEqual(answer),
);
