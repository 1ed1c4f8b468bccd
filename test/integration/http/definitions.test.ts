/** The life of definitions of custom resources, over replicas of one cluster: when their objects can be used, what a change does to them, and how they go. */
import { request } from 'node:https';
import { isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { conditionsOf } from '../../../apiserver/custom-resources/conditions';
import { MemoryStore } from '../../support/memory-store';
import { ADMIN } from './call';
import { type Fixture, startFixture } from './fixture';

const GROUP = 'life.example.com';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

let store: MemoryStore;
let one: Fixture;
let two: Fixture;
beforeEach(async () => {
  store = new MemoryStore();
  [one, two] = await Promise.all([startFixture({}, store), startFixture({}, store)]);
});
afterEach(() => Promise.all([one.stop(), two.stop()]));

interface Reply {
  readonly code: number;
  readonly object: JsonObject;
}

async function ask(api: Fixture, method: string, path: string, body?: JsonValue, type = 'application/json'): Promise<Reply> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const { status, text } = await api.call(path, { method, headers: { 'content-type': type }, ...sent });
  const object: JsonValue = text.startsWith('{') ? JSON.parse(text) : {};
  return { code: status, object: isObject(object) ? object : {} };
}

function definition(plural: string, properties: JsonObject, spec: JsonObject = {}): JsonObject {
  const kind = `${plural.charAt(0).toUpperCase()}${plural.slice(1, -1)}`;
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } };
  return {
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
      ...spec,
    },
  };
}

const objects = (plural: string, namespace = 'default'): string => `/apis/${GROUP}/v1/namespaces/${namespace}/${plural}`;
const thing = (name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Thing',
  metadata: { name, ...metadata },
  spec,
});

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
  }
}

async function define(made: JsonObject): Promise<void> {
  expect((await ask(one, 'POST', DEFINITIONS, made)).code).toBe(201);
  const name = stringAt(objectAt(made, 'metadata'), 'name') ?? '';
  await until(async () => {
    const { object } = await ask(one, 'GET', `${DEFINITIONS}/${name}`);
    const conditions = conditionsOf(objectAt(object, 'status') ?? {});
    return conditions.some(({ type, status }) => type === 'Established' && status === 'True') ? true : undefined;
  });
}

it('serves an established kind on every replica at once, and on those that start later', async () => {
  await define(definition('things', { a: { type: 'string' } }));
  expect((await ask(two, 'POST', objects('things'), thing('x', { a: '1' }))).code).toBe(201);
  const three = await startFixture({}, store);
  expect((await ask(three, 'GET', `${objects('things')}/x`)).object['spec']).toEqual({ a: '1' });
  const groups = (await ask(three, 'GET', '/apis')).object['groups'];
  expect(groups).toContainEqual(expect.objectContaining({ name: GROUP }));
  await three.stop();
});

it('registers what it serves, and custom groups for as long as there is a definition', async () => {
  const services = '/apis/apiregistration.k8s.io/v1/apiservices';
  const has = async (name: string): Promise<true | undefined> =>
    (await ask(one, 'GET', `${services}/${name}`)).code === 200 ? true : undefined;
  await until(() => has('v1.apps'));
  await define(definition('things', {}));
  await until(() => has(`v1.${GROUP}`));
  expect((await ask(one, 'GET', `${services}/v1.${GROUP}`)).object).toMatchObject({
    metadata: { labels: { 'kube-aggregator.platform.io/automanaged': 'true' } },
    spec: { group: GROUP, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 },
    status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
  });
  await ask(two, 'DELETE', `${DEFINITIONS}/things.${GROUP}`);
  await until(async () => ((await has(`v1.${GROUP}`)) === undefined ? true : undefined));
  expect(await has('v1.apps')).toBe(true);
});

it('says of the APIs of other servers whether they can be asked', async () => {
  const services = '/apis/apiregistration.platform.io/v1/apiservices';
  const spec = { group: 'foreign.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 };
  const made = {
    metadata: { name: 'v1.foreign.example.com' },
    spec: { ...spec, service: { namespace: 'a', name: 'b' }, caBundle: 'eA==' },
  };
  expect((await ask(one, 'POST', services, made)).code).toBe(201);
  const conditions = await until(async () => {
    const { object } = await ask(two, 'GET', `${services}/v1.foreign.example.com`);
    const found = conditionsOf(objectAt(object, 'status') ?? {});
    return found.length > 0 ? found : undefined;
  });
  const message = 'service/b in "a" is not present';
  expect(conditions).toMatchObject([{ type: 'Available', status: 'False', reason: 'ServiceNotFound', message }]);
});

it('keeps kinds apart whose names collide', async () => {
  await define(definition('things', {}));
  const rival = definition('others', {}, { names: { plural: 'others', singular: 'other', kind: 'Thing' } });
  await ask(two, 'POST', DEFINITIONS, rival);
  const conditions = await until(async () => {
    const { object } = await ask(two, 'GET', `${DEFINITIONS}/others.${GROUP}`);
    const found = conditionsOf(objectAt(object, 'status') ?? {});
    return found.length > 0 ? found : undefined;
  });
  expect(conditions).toMatchObject([
    { type: 'NamesAccepted', status: 'False', reason: 'ListKindConflict' },
    { type: 'Established', status: 'False', reason: 'NotAccepted' },
  ]);
  expect((await ask(one, 'GET', objects('others'))).code).toBe(404);
  await ask(one, 'DELETE', `${DEFINITIONS}/things.${GROUP}`);
  await until(async () => ((await ask(one, 'GET', objects('others'))).code === 200 ? true : undefined));
});

it('shows old objects as a changed schema would have them, and ends the watches that show the old one', async () => {
  await define(definition('things', { a: { type: 'string' }, b: { type: 'string' } }));
  await ask(one, 'POST', objects('things'), thing('x', { a: '1', b: '2' }));
  const watch = watchOf(one, `${objects('things')}?watch=true`);
  await watch.event();
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { a: { type: 'string' }, c: { type: 'integer', default: 3 } } } },
    },
  };
  const patch = { spec: { versions: [{ name: 'v1', served: true, storage: true, schema }] } };
  expect((await ask(one, 'PATCH', `${DEFINITIONS}/things.${GROUP}`, patch, 'application/merge-patch+json')).code).toBe(200);
  await watch.ended;
  expect((await ask(one, 'GET', `${objects('things')}/x`)).object['spec']).toEqual({ a: '1', c: 3 });
  const { object: list } = await ask(two, 'GET', objects('things'));
  expect(list['items']).toMatchObject([{ spec: { a: '1', c: 3 } }]);
  const patched = await ask(two, 'PATCH', `${objects('things')}/x`, { spec: { a: '2' } }, 'application/merge-patch+json');
  expect(patched.object['spec']).toEqual({ a: '2', c: 3 });
});

it('prints rows that were printed before with the columns that the definition has now', async () => {
  await define(definition('things', { a: { type: 'string' }, b: { type: 'string' } }));
  await ask(one, 'POST', objects('things'), thing('x', { a: '1', b: '2' }));
  const cells = async (): Promise<unknown> => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { text } = await one.get(objects('things'), { accept });
    const { rows }: { rows: { cells: unknown[] }[] } = JSON.parse(text);
    return rows.map((row) => row.cells);
  };
  expect(await cells()).toEqual([['x', expect.any(String)]]);
  const columns = [
    { op: 'add', path: '/spec/versions/0/additionalPrinterColumns', value: [{ name: 'B', type: 'string', jsonPath: '.spec.b' }] },
  ];
  await ask(one, 'PATCH', `${DEFINITIONS}/things.${GROUP}`, columns, 'application/json-patch+json');
  expect(await cells()).toEqual([['x', '2']]);
});

it('takes its objects along, waits for their finalizers, and lets nothing be created meanwhile', async () => {
  await define(definition('things', {}));
  for (let i = 0; i < 40; i += 1) await ask(i % 2 === 0 ? one : two, 'POST', objects('things'), thing(`x${i}`));
  await ask(one, 'POST', objects('things'), thing('held', {}, { finalizers: ['example.com/held'] }));
  expect((await ask(two, 'DELETE', `${DEFINITIONS}/things.${GROUP}`)).object).toMatchObject({
    metadata: { deletionTimestamp: expect.any(String) },
  });
  const refused = await ask(one, 'POST', objects('things'), thing('late'));
  expect([refused.code, refused.object['message']]).toEqual([405, 'create not allowed while custom resource definition is terminating']);
  await until(async () => {
    const { items } = (await ask(one, 'GET', objects('things'))).object;
    return Array.isArray(items) && items.length === 1 ? true : undefined;
  });
  const { object } = await ask(one, 'GET', `${DEFINITIONS}/things.${GROUP}`);
  expect(conditionsOf(objectAt(object, 'status') ?? {})).toContainEqual(expect.objectContaining({ type: 'Terminating', status: 'True' }));
  await ask(one, 'PATCH', `${objects('things')}/held`, { metadata: { finalizers: null } }, 'application/merge-patch+json');
  await until(async () => ((await ask(one, 'GET', `${DEFINITIONS}/things.${GROUP}`)).code === 404 ? true : undefined));
  expect((await ask(two, 'GET', objects('things'))).code).toBe(404);
});

it('leaves no object behind, however creations and the deletion fall together', async () => {
  await define(definition('things', {}));
  const creations = Array.from({ length: 60 }, (_, i) => ask(i % 2 === 0 ? one : two, 'POST', objects('things'), thing(`x${i}`)));
  const [deleted, ...made] = await Promise.all([ask(one, 'DELETE', `${DEFINITIONS}/things.${GROUP}`), ...creations]);
  expect(deleted?.code).toBe(200);
  for (const { code } of made) expect([201, 404, 405]).toContain(code);
  await until(async () => ((await ask(one, 'GET', `${DEFINITIONS}/things.${GROUP}`)).code === 404 ? true : undefined));
  const { kvs } = await store.range({ start: `/registry/${GROUP}/`, end: `/registry/${GROUP}0` });
  expect(kvs).toEqual([]);
  // The same names may come back in another scope.
  await define(definition('things', {}, { scope: 'Cluster' }));
  expect((await ask(two, 'POST', `/apis/${GROUP}/v1/things`, thing('x'))).code).toBe(201);
});

it('tells those who watch its objects of the end of each before their watches end', async () => {
  await define(definition('things', {}));
  await ask(one, 'POST', objects('things'), thing('x'));
  await ask(one, 'POST', objects('things'), thing('held', {}, { finalizers: ['example.com/held'] }));
  const watches = [one, two].map((api) => watchOf(api, `${objects('things')}?watch=true`));
  await Promise.all(watches.map((watch) => watch.event()));
  await ask(one, 'DELETE', `${DEFINITIONS}/things.${GROUP}`);
  await until(async () => ((await ask(two, 'GET', `${objects('things')}/x`)).code === 404 ? true : undefined));
  await ask(one, 'PATCH', `${objects('things')}/held`, { metadata: { finalizers: null } }, 'application/merge-patch+json');
  for (const { ended, text } of watches) {
    await ended;
    const events = text().trim().split('\n');
    const told = events.map((event) => /"type":"(\w+)".*?"name":"(\w+)"/.exec(event)?.slice(1).join(' '));
    expect(told).toEqual(expect.arrayContaining(['DELETED x', 'MODIFIED held', 'DELETED held']));
  }
});

/** A watch over HTTP: its first event, its end, and what it has told. */
function watchOf(api: Fixture, path: string): { event(): Promise<void>; text(): string; readonly ended: Promise<void> } {
  let wake: () => void = () => undefined;
  let end: () => void = () => undefined;
  let text = '';
  const ended = new Promise<void>((resolve) => (end = resolve));
  const options = {
    host: '127.0.0.1',
    port: api.server.port,
    path,
    rejectUnauthorized: false,
    headers: { authorization: `Bearer ${ADMIN}` },
  };
  request(options, (response) => {
    response.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      wake();
    });
    response.on('end', () => end());
  }).end();
  return {
    ended,
    text: () => text,
    event: () => (text !== '' ? Promise.resolve() : new Promise((resolve) => (wake = resolve))),
  };
}
