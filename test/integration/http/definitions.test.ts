/** The life of definitions of custom resources, over replicas of one cluster: when their objects can be used, what a change does to them, and how they end. */
import { request } from 'node:https';
import { conditionsOf } from '../../../apiserver/custom-resources/conditions';
import { objectAt, type JsonObject } from '../../../shared/values/json';
import { MemoryStore } from '../../support/memory-store';
import { ADMIN, JSON_PATCH, TABLE } from './call';
import { definitionOf, startFixture, type Fixture } from './fixture';

const GROUP = 'life.example.com';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const DEFINITION = `${DEFINITIONS}/things.${GROUP}`;
const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const THINGS = `/apis/${GROUP}/v1/namespaces/default/things`;
const OTHERS = `/apis/${GROUP}/v1/namespaces/default/others`;
const TEXT = { type: 'string' };

let store: MemoryStore;
let one: Fixture;
let two: Fixture;
beforeEach(async () => {
  store = new MemoryStore();
  [one, two] = await Promise.all([startFixture({}, store), startFixture({}, store)]);
});
afterEach(() => Promise.all([one.stop(), two.stop()]));

const specOf = (properties: object): object => ({ properties: { spec: { type: 'object', properties } } });
const thingsOf = (properties: object, more: object = {}): object => definitionOf('things', 'Thing', GROUP, specOf(properties), more);
const thing = (name: string, spec: object = {}, metadata: object = {}): object => ({
  ...{ apiVersion: `${GROUP}/v1`, kind: 'Thing', metadata: { name, ...metadata }, spec },
});
const HELD = thing('held', {}, { finalizers: ['example.com/held'] });
const release = () => one.merge(`${THINGS}/held`, { metadata: { finalizers: null } });

async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
  }
}

const untilStatus = (api: Fixture, path: string, status: number) => until(async () => (await api.get(path)).status === status);

async function conditionsAt(api: Fixture, path: string) {
  const object: JsonObject = JSON.parse((await api.get(path)).text);
  return conditionsOf(objectAt(object, 'status') ?? {});
}

/** The first conditions that the object has. */
const firstConditions = (api: Fixture, path: string) =>
  until(async () => {
    const found = await conditionsAt(api, path);
    return found.length > 0 && found;
  });

async function define(definition: object): Promise<void> {
  await one.create(DEFINITIONS, definition);
  await until(async () => (await conditionsAt(one, DEFINITION)).some(({ type, status }) => type === 'Established' && status === 'True'));
}

it('an established kind is served on every replica at once, and on those that start later', async () => {
  await define(thingsOf({ a: TEXT }));
  await two.create(THINGS, thing('x', { a: '1' }));
  const three = await startFixture({}, store);
  expect((await three.read(`${THINGS}/x`))['spec']).toEqual({ a: '1' });
  expect((await three.read('/apis'))['groups']).toContainEqual(expect.objectContaining({ name: GROUP }));
  await three.stop();
});

it('APIServices are registered for the groups that are served, and for custom groups as long as there is a definition', async () => {
  await untilStatus(one, `${SERVICES}/v1.apps`, 200);
  await define(thingsOf({}));
  await untilStatus(one, `${SERVICES}/v1.${GROUP}`, 200);
  expect(await one.read(`${SERVICES}/v1.${GROUP}`)).toMatchObject({
    metadata: { labels: { 'kube-aggregator.platform.io/automanaged': 'true' } },
    spec: { group: GROUP, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 },
    status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
  });
  await two.delete(DEFINITION);
  await untilStatus(one, `${SERVICES}/v1.${GROUP}`, 404);
  expect((await one.get(`${SERVICES}/v1.apps`)).status).toBe(200);
});

it('the APIService of another server has a condition that says whether it is available', async () => {
  const version = { group: 'foreign.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 };
  const spec = { ...version, service: { namespace: 'a', name: 'b' }, caBundle: 'eA==' };
  await one.create(SERVICES, { metadata: { name: 'v1.foreign.example.com' }, spec });
  const message = 'service/b in "a" is not present';
  const unavailable = { type: 'Available', status: 'False', reason: 'ServiceNotFound', message };
  expect(await firstConditions(two, `${SERVICES}/v1.foreign.example.com`)).toMatchObject([unavailable]);
});

it('a definition whose names are taken is not served until the other definition is deleted', async () => {
  await define(thingsOf({}));
  const names = { plural: 'others', singular: 'other', kind: 'Thing' };
  await two.create(DEFINITIONS, definitionOf('others', 'Thing', GROUP, specOf({}), { names }));
  expect(await firstConditions(two, `${DEFINITIONS}/others.${GROUP}`)).toMatchObject([
    { type: 'NamesAccepted', status: 'False', reason: 'ListKindConflict' },
    { type: 'Established', status: 'False', reason: 'NotAccepted' },
  ]);
  expect((await one.get(OTHERS)).status).toBe(404);
  await one.delete(DEFINITION);
  await untilStatus(one, OTHERS, 200);
});

it('a changed schema applies to stored objects, and ends the watches that began with the previous one', async () => {
  await define(thingsOf({ a: TEXT, b: TEXT }));
  await one.create(THINGS, thing('x', { a: '1', b: '2' }));
  const watch = watchOf(one, `${THINGS}?watch=true`);
  await watch.event();
  expect((await one.merge(DEFINITION, thingsOf({ a: TEXT, c: { type: 'integer', default: 3 } }))).status).toBe(200);
  await watch.ended;
  expect((await one.read(`${THINGS}/x`))['spec']).toEqual({ a: '1', c: 3 });
  expect((await two.read(THINGS))['items']).toMatchObject([{ spec: { a: '1', c: 3 } }]);
  expect((await two.merge(`${THINGS}/x`, { spec: { a: '2' } })).json['spec']).toEqual({ a: '2', c: 3 });
});

it('rows that were printed before are printed with the columns that the definition has now', async () => {
  await define(thingsOf({ a: TEXT, b: TEXT }));
  await one.create(THINGS, thing('x', { a: '1', b: '2' }));
  const cells = async (): Promise<unknown> =>
    Object(await one.read(THINGS, { accept: TABLE })).rows.map((row: { cells: unknown }) => row.cells);
  expect(await cells()).toEqual([['x', expect.any(String)]]);
  const value = [{ name: 'B', type: 'string', jsonPath: '.spec.b' }];
  await one.patch(DEFINITION, [{ op: 'add', path: '/spec/versions/0/additionalPrinterColumns', value }], JSON_PATCH);
  expect(await cells()).toEqual([['x', '2']]);
});

it('a deleted definition deletes its objects, waits for their finalizers, and rejects new ones meanwhile', async () => {
  await define(thingsOf({}));
  for (let i = 0; i < 40; i += 1) await (i % 2 === 0 ? one : two).create(THINGS, thing(`x${i}`));
  await one.create(THINGS, HELD);
  expect((await two.delete(DEFINITION)).json).toMatchObject({ metadata: { deletionTimestamp: expect.any(String) } });
  const message = 'create not allowed while custom resource definition is terminating';
  expect((await one.post(THINGS, thing('late'))).refusal).toEqual([405, message]);
  await until(async () => Object(await one.read(THINGS)).items.length === 1);
  expect(await conditionsAt(one, DEFINITION)).toContainEqual(expect.objectContaining({ type: 'Terminating', status: 'True' }));
  await release();
  await untilStatus(one, DEFINITION, 404);
  expect((await two.get(THINGS)).status).toBe(404);
});

it('no object is left behind when objects are created while the definition is deleted', async () => {
  await define(thingsOf({}));
  const creations = Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? one : two).post(THINGS, thing(`x${i}`)));
  const [deleted, ...made] = await Promise.all([one.delete(DEFINITION), ...creations]);
  expect(deleted?.status).toBe(200);
  for (const { status } of made) expect([201, 404, 405]).toContain(status);
  await untilStatus(one, DEFINITION, 404);
  const { kvs } = await store.range({ start: `/registry/${GROUP}/`, end: `/registry/${GROUP}0` });
  expect(kvs).toEqual([]);
  // The same names may come back in another scope.
  await define(thingsOf({}, { scope: 'Cluster' }));
  await two.create(`/apis/${GROUP}/v1/things`, thing('x'));
});

it('watches of the objects of a deleted definition have the deletion of each before they end', async () => {
  await define(thingsOf({}));
  await one.create(THINGS, thing('x'));
  await one.create(THINGS, HELD);
  const watches = [one, two].map((api) => watchOf(api, `${THINGS}?watch=true`));
  await Promise.all(watches.map((watch) => watch.event()));
  await one.delete(DEFINITION);
  await untilStatus(two, `${THINGS}/x`, 404);
  await release();
  for (const { ended, text } of watches) {
    await ended;
    const events = text().trim().split('\n');
    const told = events.map((event) => /"type":"(\w+)".*?"name":"(\w+)"/.exec(event)?.slice(1).join(' '));
    expect(told).toEqual(expect.arrayContaining(['DELETED x', 'MODIFIED held', 'DELETED held']));
  }
});

/** A watch over HTTP: its first event, its end, and its text so far. */
function watchOf(api: Fixture, path: string): { event(): Promise<void>; text(): string; readonly ended: Promise<void> } {
  let wake: () => void = () => undefined;
  let end: () => void = () => undefined;
  let text = '';
  const ended = new Promise<void>((resolve) => (end = resolve));
  const headers = { authorization: `Bearer ${ADMIN}` };
  request({ host: '127.0.0.1', port: api.server.port, path, rejectUnauthorized: false, headers }, (response) => {
    response.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      wake();
    });
    response.on('end', () => end());
  }).end();
  const event = (): Promise<void> => (text !== '' ? Promise.resolve() : new Promise((resolve) => (wake = resolve)));
  return { ended, text: () => text, event };
}
