import { arrayAt, isObject, objectAt, stringAt, stringifyJson, type JsonObject } from '../../../shared/values/json';
import { openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import type { AdmissionRequest } from '../admission';

const DEFINITIONS = 'customresourcedefinitions';
const NAME = 'things.example.com';
const OPTIONS = { dryRun: false, fieldValidation: 'Strict', fieldManager: 'apiserver' } as const;
/** A schema with text that is easily mistaken for the end of the schema. */
const TRICKY_SCHEMA = {
  type: 'object',
  description: 'says "openAPIV3Schema":{} and ü\\',
  properties: { a: { type: 'integer', maximum: 2 ** 53 } },
};
const STATUS: JsonObject = {
  acceptedNames: { plural: 'things', kind: 'Thing', singular: 'thing', listKind: 'ThingList' },
  conditions: [
    { type: 'Established', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z', reason: 'Because', message: 'it is "so"' },
  ],
  storedVersions: ['v1'],
};

const definition: JsonObject = {
  metadata: { name: NAME, labels: { a: 'b' } },
  spec: {
    group: 'example.com',
    names: { plural: 'things', kind: 'Thing', singular: 'thing', listKind: 'ThingList' },
    scope: 'Cluster',
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: TRICKY_SCHEMA } },
      { name: 'v2', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } },
    ],
  },
};

async function writeStatus(fixture: WriteFixture, resource: string, name: string, revision: number, status: JsonObject): Promise<void> {
  const key = { namespace: fixture.resource(resource).row.namespaced ? 'ns' : '', name };
  await fixture.writer.writeComputedStatus(fixture.context, fixture.resource(resource), key, { revision, status }, OPTIONS);
  await fixture.cache.catchUp();
}

/** Removes the member in which otherwise equal objects differ. */
function withoutResourceVersion(object: JsonObject | undefined): JsonObject {
  const { resourceVersion: _, ...metadata } = objectAt(object, 'metadata') ?? {};
  return { ...object, metadata };
}

const managersOf = (object: JsonObject | undefined): (string | undefined)[] =>
  (arrayAt(objectAt(object, 'metadata'), 'managedFields') ?? []).filter(isObject).map((entry) => stringAt(entry, 'manager'));

describe.each([
  [DEFINITIONS, NAME, definition, STATUS],
  [
    'poddisruptionbudgets',
    'budget',
    { metadata: { name: 'budget' }, spec: { minAvailable: 1 } },
    { currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, expectedPods: 1 },
  ],
] as const)('writeComputedStatus of %s', (resource, name, body, status) => {
  test('stores the same object as a write to the status subresource', async () => {
    const computing = await openWriteFixture();
    const updating = await openWriteFixture();
    const { entry } = await computing.create(resource, body);
    const { object } = await updating.create(resource, body);
    await writeStatus(computing, resource, name, entry.revision, status);
    await updating.update(resource, name, { ...object, status }, { subresource: 'status', fieldManager: 'apiserver' });
    const stored = await computing.stored(resource, name);
    expect(withoutResourceVersion(stored)).toEqual(withoutResourceVersion(await updating.stored(resource, name)));
    expect(managersOf(stored)).toEqual(['apiserver', 'test']);
  });

  test('fails with a conflict and changes nothing for a status of another revision', async () => {
    const fixture = await openWriteFixture();
    const { entry } = await fixture.create(resource, body);
    const patched = await fixture.patch(resource, name, 'merge', { metadata: { labels: { c: 'd' } } });
    await expect(writeStatus(fixture, resource, name, entry.revision, status)).rejects.toMatchObject({ reason: 'Conflict' });
    expect(await fixture.stored(resource, name)).toEqual(patched.object);
  });

  test('passes the whole object to admission', async () => {
    const seen: AdmissionRequest[] = [];
    const fixture = await openWriteFixture({ externalValidator: (request) => void seen.push(request) });
    const { entry } = await fixture.create(resource, body);
    await writeStatus(fixture, resource, name, entry.revision, status);
    // The namespace of the fixture, the object, and its status.
    expect(seen.map(({ operation, subresource }) => ({ operation, subresource }))).toEqual([
      { operation: 'CREATE', subresource: undefined },
      { operation: 'CREATE', subresource: undefined },
      { operation: 'UPDATE', subresource: 'status' },
    ]);
    const last = seen.at(-1)?.object;
    const specOf = (object: JsonObject | undefined): string => stringifyJson(objectAt(object, 'spec') ?? {});
    expect(specOf(last)).toBe(specOf(await fixture.stored(resource, name)));
  });
});

test('writeComputedStatus leaves the bytes of stored schemas unchanged', async () => {
  const fixture = await openWriteFixture();
  const { entry } = await fixture.create(DEFINITIONS, definition);
  await writeStatus(fixture, DEFINITIONS, NAME, entry.revision, STATUS);
  const { stored } = fixture.resource(DEFINITIONS);
  const after = (await fixture.cache.readFromStore(stored, NAME)).entry;
  // In stored JSON, a schema ends before `,"subresources"` or at the end of its version.
  const schemasIn = (bytes: Buffer | undefined): string[] => String(bytes).match(/"openAPIV3Schema":.*?(?=,"subresources"|}})/g) ?? [];
  expect(schemasIn(after?.bytes)).toEqual(schemasIn(entry.bytes));
  expect(schemasIn(entry.bytes)).toHaveLength(2);
});
