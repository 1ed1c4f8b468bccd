/**
 * CustomResourceDefinitions over two replicas of one cluster: when their objects are served, what a changed definition
 * does to them, and their deletion.
 */
import { conditionsOf } from '../../../apiserver/custom-resources/conditions';
import { objectAt, type JsonObject } from '../../../shared/values/json';
import { waitUntil } from '../../support/programs';
import { MemoryStore } from '../../support/store/memory-store';
import { useForEachTest } from '../../support/use-resource';
import { customResourceDefinition } from '../../support/objects/custom-resource-definition';
import { JSON_PATCH, TABLE } from './api-call';
import { requireSuccess, useStarter, type Fixture } from './fixture';
import { openWatch, type OpenWatch } from './open-watch';

const GROUP = 'life.example.com';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const DEFINITION = `${DEFINITIONS}/things.${GROUP}`;
const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const THINGS = `/apis/${GROUP}/v1/namespaces/default/things`;
const OTHER_THINGS = `/apis/${GROUP}/v1/namespaces/default/others`;
const TEXT = { type: 'string' };

const store = useForEachTest(() => new MemoryStore());
const start = useStarter();
const first = useForEachTest(() => start({}, { store: store() }));
const second = useForEachTest(() => start({}, { store: store() }));

const specSchema = (properties: object): object => ({ properties: { spec: { type: 'object', properties } } });
const thingsDefinition = (properties: object, spec: object = {}): object =>
  customResourceDefinition({ plural: 'things', kind: 'Thing', group: GROUP, schema: specSchema(properties), spec });
const thing = (name: string, spec: object = {}, metadata: object = {}): object => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Thing',
  metadata: { name, ...metadata },
  spec,
});
const HELD_THING = thing('held', {}, { finalizers: ['example.com/held'] });
const releaseHeldThing = () => first().mergePatch(`${THINGS}/held`, { metadata: { finalizers: null } });

const waitForStatus = (api: Fixture, path: string, status: number) =>
  waitUntil(`${status} for ${path}`, async () => (await api.get(path)).status === status);

const waitForEvent = ({ events }: OpenWatch) => waitUntil('an event', () => events.length > 0);

async function conditionsAt(api: Fixture, path: string) {
  const object: JsonObject = JSON.parse((await api.get(path)).text);
  return conditionsOf(objectAt(object, 'status') ?? {});
}

/** Waits until the object has conditions, and returns them. */
const firstConditions = (api: Fixture, path: string) =>
  waitUntil(`conditions of ${path}`, async () => {
    const conditions = await conditionsAt(api, path);
    return conditions.length > 0 && conditions;
  });

async function define(definition: object): Promise<void> {
  await first().create(DEFINITIONS, definition);
  await waitUntil('the definition to be established', async () =>
    (await conditionsAt(first(), DEFINITION)).some(({ type, status }) => type === 'Established' && status === 'True'),
  );
}

describe('serving a custom kind', () => {
  it('an established kind is served on every replica, also on one that starts later', async () => {
    await define(thingsDefinition({ a: TEXT }));
    await second().create(THINGS, thing('x', { a: '1' }));
    const third = await start({}, { store: store() });
    expect((await third.read(`${THINGS}/x`))['spec']).toEqual({ a: '1' });
    expect((await third.read('/apis'))['groups']).toContainEqual(expect.objectContaining({ name: GROUP }));
  });
});

describe('APIServices', () => {
  it('a built-in group has an APIService', async () => {
    await waitForStatus(first(), `${SERVICES}/v1.apps`, 200);
  });

  it('a custom group has an APIService as long as it has a definition', async () => {
    await define(thingsDefinition({}));
    await waitForStatus(first(), `${SERVICES}/v1.${GROUP}`, 200);
    expect(await first().read(`${SERVICES}/v1.${GROUP}`)).toMatchObject({
      metadata: { labels: { 'kube-aggregator.platform.io/automanaged': 'true' } },
      spec: { group: GROUP, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 },
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
    });
    await second().delete(DEFINITION);
    await waitForStatus(first(), `${SERVICES}/v1.${GROUP}`, 404);
  });

  it('the APIService of another server that cannot be found has the condition Available with the status False', async () => {
    const version = { group: 'foreign.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 };
    const spec = { ...version, service: { namespace: 'a', name: 'b' }, caBundle: 'eA==' };
    await first().create(SERVICES, { metadata: { name: 'v1.foreign.example.com' }, spec });
    const message = 'service/b in "a" is not present';
    const unavailable = { type: 'Available', status: 'False', reason: 'ServiceNotFound', message };
    expect(await firstConditions(second(), `${SERVICES}/v1.foreign.example.com`)).toMatchObject([unavailable]);
  });
});

describe('conflicting definitions', () => {
  it('a definition whose names are taken is not served until the other definition is deleted', async () => {
    await define(thingsDefinition({}));
    const spec = { names: { plural: 'others', singular: 'other', kind: 'Thing' } };
    const other = customResourceDefinition({ plural: 'others', kind: 'Thing', group: GROUP, schema: specSchema({}), spec });
    await second().create(DEFINITIONS, other);
    expect(await firstConditions(second(), `${DEFINITIONS}/others.${GROUP}`)).toMatchObject([
      { type: 'NamesAccepted', status: 'False', reason: 'ListKindConflict' },
      { type: 'Established', status: 'False', reason: 'NotAccepted' },
    ]);
    expect((await first().get(OTHER_THINGS)).status).toBe(404);
    await first().delete(DEFINITION);
    await waitForStatus(first(), OTHER_THINGS, 200);
  });
});

describe('changes of a definition', () => {
  it('a changed schema ends the watches that began with the previous one', async () => {
    await define(thingsDefinition({ a: TEXT }));
    await first().create(THINGS, thing('x'));
    const watch = await openWatch(first(), `${THINGS}?watch=true`);
    await waitForEvent(watch);
    requireSuccess(await first().mergePatch(DEFINITION, thingsDefinition({ b: TEXT })));
    await waitUntil('the end of the watch', watch.isEnded);
  });

  it('a changed schema applies to stored objects on every replica', async () => {
    await define(thingsDefinition({ a: TEXT, b: TEXT }));
    await first().create(THINGS, thing('x', { a: '1', b: '2' }));
    requireSuccess(await first().mergePatch(DEFINITION, thingsDefinition({ a: TEXT, c: { type: 'integer', default: 3 } })));
    await waitUntil('the default', async () => Object(await second().read(`${THINGS}/x`))['spec'].c === 3);
    expect((await first().read(`${THINGS}/x`))['spec']).toEqual({ a: '1', c: 3 });
    expect((await second().read(THINGS))['items']).toMatchObject([{ spec: { a: '1', c: 3 } }]);
    expect((await second().mergePatch(`${THINGS}/x`, { spec: { a: '2' } })).json['spec']).toEqual({ a: '2', c: 3 });
  });

  it('rows that were printed before are printed with the columns that the definition has now', async () => {
    await define(thingsDefinition({ a: TEXT, b: TEXT }));
    await first().create(THINGS, thing('x', { a: '1', b: '2' }));
    const cells = async (): Promise<unknown> =>
      Object(await first().read(THINGS, { accept: TABLE })).rows.map((row: { cells: unknown }) => row.cells);
    expect(await cells()).toEqual([['x', expect.any(String)]]);
    const value = [{ name: 'B', type: 'string', jsonPath: '.spec.b' }];
    await first().patch(DEFINITION, [{ op: 'add', path: '/spec/versions/0/additionalPrinterColumns', value }], JSON_PATCH);
    expect(await cells()).toEqual([['x', '2']]);
  });
});

describe('deletion of a definition', () => {
  it('a deleted definition deletes its objects', async () => {
    await define(thingsDefinition({}));
    for (let i = 0; i < 40; i += 1) await (i % 2 === 0 ? first() : second()).create(THINGS, thing(`x${i}`));
    await second().delete(DEFINITION);
    await waitForStatus(first(), DEFINITION, 404);
    expect((await second().get(THINGS)).status).toBe(404);
  });

  it('a deleted definition rejects new objects while a finalizer keeps it', async () => {
    await define(thingsDefinition({}));
    await first().create(THINGS, HELD_THING);
    expect((await second().delete(DEFINITION)).json).toMatchObject({ metadata: { deletionTimestamp: expect.any(String) } });
    const message = 'create not allowed while custom resource definition is terminating';
    expect((await first().post(THINGS, thing('late'))).refusal).toEqual([405, message]);
    await waitUntil('one object to remain', async () => Object(await first().read(THINGS)).items.length === 1);
    expect(await conditionsAt(first(), DEFINITION)).toContainEqual(expect.objectContaining({ type: 'Terminating', status: 'True' }));
    await releaseHeldThing();
    await waitForStatus(first(), DEFINITION, 404);
    expect((await second().get(THINGS)).status).toBe(404);
  });

  it('no object is left behind when objects are created while the definition is deleted', async () => {
    await define(thingsDefinition({}));
    const creations = Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? first() : second()).post(THINGS, thing(`x${i}`)));
    const [deleted, ...created] = await Promise.all([first().delete(DEFINITION), ...creations]);
    expect(deleted?.status).toBe(200);
    for (const { status } of created) expect([201, 404, 405]).toContain(status);
    await waitForStatus(first(), DEFINITION, 404);
    const { kvs } = await store().range({ start: `/registry/${GROUP}/`, end: `/registry/${GROUP}0` });
    expect(kvs).toEqual([]);
  });

  it('the names of a deleted definition can be defined again with another scope', async () => {
    await define(thingsDefinition({}));
    await first().create(THINGS, thing('x'));
    await first().delete(DEFINITION);
    await waitForStatus(first(), DEFINITION, 404);
    await define(thingsDefinition({}, { scope: 'Cluster' }));
    await second().create(`/apis/${GROUP}/v1/things`, thing('x'));
  });

  it('watches of the objects of a deleted definition have the deletion of each before they end', async () => {
    await define(thingsDefinition({}));
    await first().create(THINGS, thing('x'));
    await first().create(THINGS, HELD_THING);
    const watches = await Promise.all([first(), second()].map((api) => openWatch(api, `${THINGS}?watch=true`)));
    await Promise.all(watches.map(waitForEvent));
    await first().delete(DEFINITION);
    await waitForStatus(second(), `${THINGS}/x`, 404);
    await releaseHeldThing();
    for (const { isEnded, events } of watches) {
      await waitUntil('the end of a watch', isEnded);
      const deliveredEvents = events.map(({ type, object }) => `${String(type)} ${Object(object).metadata.name}`);
      expect(deliveredEvents).toEqual(expect.arrayContaining(['DELETED x', 'MODIFIED held', 'DELETED held']));
    }
  });
});
