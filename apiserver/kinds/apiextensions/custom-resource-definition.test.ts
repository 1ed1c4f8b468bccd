/**
 * Replays creations and updates of CustomResourceDefinitions recorded from release 1.31.1 (`definitions/*`). The order
 * of causes that concern a schema is not compared: the recorded server does not keep one.
 */
import { readRecording } from '../../../test/replay/recording';
import { shape, text } from '../../../test/replay/shape';
import {
  definitionOutcome,
  isDefinitionCase,
  type DefinitionOutcome,
  type DefinitionCase,
} from '../../../test/replay/formats/recorded-definitions';
import { expandBody } from '../../../test/replay/formats/request-body';
import { openWriteFixture, type WriteFixture, type WriteResult } from '../../../test/support/store/write-fixture';
import { useResource } from '../../../test/support/use-resource';
import { isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { StatusError } from '../../../shared/api/errors/status';

const recordedCases = (name: 'created' | 'updated' | 'random'): readonly DefinitionCase[] =>
  readRecording(`definitions/${name}`, shape({ format: text }), isDefinitionCase).cases;
const RESOURCE = 'customresourcedefinitions';
const NAME = 'things.crd.example.com';

/** A valid definition with some members of its spec and metadata replaced. */
const definition = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: NAME, ...metadata },
  spec: {
    group: 'crd.example.com',
    names: { plural: 'things', kind: 'Thing' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    ...spec,
  },
});

describe('creating a CustomResourceDefinition', () => {
  const fixture = useResource(() => openWriteFixture({ naming: 'kubernetes' }));

  async function replayCreation({ body, answer }: DefinitionCase): Promise<void> {
    const outcome = await outcomeOf(fixture().create(RESOURCE, objectOf(expandBody(body)), { dryRun: true }));
    expect(splitCauses(outcome)).toEqual(splitCauses(answer));
  }

  test.each(recordedCases('created'))('answers as recorded: $title', replayCreation);
  test.each(recordedCases('random'))('answers as recorded: random schema $title', replayCreation);
});

/** The status that the controllers set when no other definition has the names. */
/** The status that the controllers set when no other definition has the names. */
const ACCEPTED_STATUS: JsonObject = {
  conditions: [
    { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
    { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' },
  ],
  acceptedNames: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
};
/** The status that the controllers set when another definition has the list kind. */
/** The status that the controllers set when another definition has the list kind. */
const CONFLICT_STATUS: JsonObject = {
  conditions: [
    { type: 'NamesAccepted', status: 'False', reason: 'ListKindConflict', message: '"ThingList" is already in use' },
    { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
  ],
  acceptedNames: { plural: 'things', singular: 'thing', kind: '' },
};

describe('updating a CustomResourceDefinition', () => {
  /** Replaces the stored definition, or its status, at its current resourceVersion. */
  async function replace(
    fixture: WriteFixture,
    sent: JsonObject,
    options: { readonly subresource?: 'status' | undefined; readonly dryRun?: boolean },
  ): Promise<WriteResult> {
    await fixture.cache.catchUp();
    const name = nameIn(sent);
    const { resourceVersion = null } = objectAt(await fixture.stored(RESOURCE, name), 'metadata') ?? {};
    const metadata = { ...objectAt(sent, 'metadata'), resourceVersion };
    return fixture.update(RESOURCE, name, { ...sent, metadata }, options);
  }

  test.each(recordedCases('updated'))('answers as recorded: $title', async ({ old = {}, body, subresource, namesAccepted, answer }) => {
    const fixture = await openWriteFixture({ naming: 'kubernetes' });
    const original = objectOf(expandBody(old));
    await fixture.create(RESOURCE, original);
    const status = namesAccepted === false ? CONFLICT_STATUS : ACCEPTED_STATUS;
    await replace(fixture, { ...original, status }, { subresource: 'status' });
    const sent = objectOf(expandBody(body));
    const named = { ...sent, metadata: { ...objectAt(sent, 'metadata'), name: nameIn(original) } };
    const outcome = await outcomeOf(replace(fixture, named, { subresource, dryRun: true }));
    expect(splitCauses(outcome)).toEqual(splitCauses(answer));
  });
});

describe('deleting a CustomResourceDefinition', () => {
  const deleteDefinition = async (naming: 'kubernetes' | 'platform', finalizers: readonly string[] = []): Promise<JsonObject> => {
    const fixture = await openWriteFixture({ naming });
    await fixture.create(RESOURCE, definition({}, { finalizers: [...finalizers] }));
    await fixture.cache.catchUp();
    const result = await fixture.remove(RESOURCE, NAME, { propagationPolicy: 'Foreground' });
    expect(result).toMatchObject({ type: 'object', code: 200 });
    await fixture.cache.catchUp();
    return (await fixture.stored(RESOURCE, NAME)) ?? {};
  };

  test('sets the deletion timestamp, the cleanup finalizer and the Terminating condition, and no foreground finalizer', async () => {
    const { metadata, status } = await deleteDefinition('kubernetes', ['a/b']);
    expect(metadata).toMatchObject({
      generation: 1,
      deletionTimestamp: '2026-01-02T03:04:05Z',
      finalizers: ['a/b', 'customresourcecleanup.apiextensions.k8s.io'],
    });
    expect(metadata).not.toHaveProperty('deletionGracePeriodSeconds');
    expect(status).toMatchObject({
      conditions: [{ type: 'Terminating', status: 'True', reason: 'InstanceDeletionPending', lastTransitionTime: '2026-01-02T03:04:05Z' }],
    });
  });

  test('spells the cleanup finalizer in the dialect of the server', async () => {
    expect(await deleteDefinition('platform')).toMatchObject({
      metadata: { finalizers: ['customresourcecleanup.apiextensions.platform.io'] },
    });
  });

  test('sets a grace period of zero when it is repeated', async () => {
    const fixture = await openWriteFixture({ naming: 'kubernetes' });
    await fixture.create(RESOURCE, definition());
    for (let deletions = 0; deletions < 2; deletions += 1) {
      await fixture.cache.catchUp();
      await fixture.remove(RESOURCE, NAME);
    }
    await fixture.cache.catchUp();
    expect(await fixture.stored(RESOURCE, NAME)).toMatchObject({ metadata: { generation: 1, deletionGracePeriodSeconds: 0 } });
  });
});

describe('a CustomResourceDefinition with an extreme schema', () => {
  /** A schema of a string, wrapped `depth` times. */
  const nested = (depth: number, wrap: (inner: JsonObject) => JsonObject): JsonObject => {
    let schema: JsonObject = { type: 'string' };
    for (let level = 0; level < depth; level += 1) schema = wrap(schema);
    return schema;
  };
  /** The error of a creation with the schema. */
  const createInvalid = async (root: JsonObject): Promise<StatusError> => {
    const fixture = await openWriteFixture({ naming: 'kubernetes' });
    const body = definition({
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: root } }],
    });
    const error = await fixture.create(RESOURCE, body, { dryRun: true }).catch((error: unknown) => error);
    if (!(error instanceof StatusError)) throw new Error('it was not refused', { cause: error });
    return error;
  };

  const WRAPPERS: readonly (readonly [keyword: string, wrap: (inner: JsonObject) => JsonObject])[] = [
    ['properties', (inner) => ({ type: 'object', properties: { a: inner } })],
    ['items', (inner) => ({ type: 'array', items: inner })],
    ['not', (inner) => ({ not: inner })],
    ['allOf', (inner) => ({ allOf: [inner] })],
    ['additionalProperties', (inner) => ({ type: 'object', additionalProperties: inner })],
  ];

  test.each(WRAPPERS)('is rejected by the parser when it nests %s 1,500 levels deep', async (_name, wrap) => {
    expect(await createInvalid(nested(1500, wrap))).toMatchObject({ code: 400, message: expect.stringContaining('exceeded max depth') });
  });

  test.each(WRAPPERS)('is validated when it nests %s 300 levels deep', async (_name, wrap) => {
    const withErrorAtBottom = nested(300, (inner) => (inner['type'] === 'string' ? { $ref: 'x' } : wrap(inner)));
    expect(await createInvalid(withErrorAtBottom)).toMatchObject({ code: 422 });
  });

  test('is rejected with a message of limited length when many fields below long names are invalid', async () => {
    // Each property lacks a type, and its field path has 200 names of 5,000 characters: 20 GB of paths.
    const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, {}]));
    const root = nested(200, (inner) => ({
      type: 'object',
      properties: { ['n'.repeat(5000)]: inner['type'] === 'string' ? { type: 'object', properties } : inner },
    }));
    const { message } = await createInvalid(root);
    expect(message.length).toBeLessThan(5_000_000);
  });

  test('is rejected when a list has 100,000 map keys', async () => {
    const keys = Array.from({ length: 100_000 }, (_, index) => `k${index}`);
    const items = { type: 'object', required: keys, properties: { a: { type: 'string' } } };
    const root = {
      type: 'object',
      properties: { a: { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys } },
    };
    expect(await createInvalid(root)).toMatchObject({ code: 422 });
  });
});

function objectOf(value: JsonValue): JsonObject {
  if (!isObject(value)) throw new Error('no object');
  return value;
}

const nameIn = (object: JsonObject): string => stringAt(objectAt(object, 'metadata'), 'name') ?? '';

/** The outcome of a request in the form of the recording. */
async function outcomeOf(request: Promise<WriteResult>): Promise<DefinitionOutcome> {
  try {
    const { object, created } = await request;
    return definitionOutcome({ code: created ? 201 : 200, message: '', causes: [], object });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { message = '', details } = error.status;
    const causes = (details?.causes ?? []).map(({ field = '', reason = '', message: text = '' }) => [field, reason, text]);
    return definitionOutcome({ code: error.code, message, causes, object: {} });
  }
}

/** A cause in a schema: `spec.validation.openAPIV3Schema.type`, `spec.versions[0].schema.openAPIV3Schema.type`. */
const SCHEMA_CAUSE = /^spec\.(validation|versions\[\d+\]\.schema)\./;

/** The causes of a rejection, with those of schemas sorted; an outcome without causes is returned as it is. */
function splitCauses(outcome: DefinitionOutcome | undefined): unknown {
  if (!Array.isArray(outcome)) return outcome;
  const causes = outcome.map(String);
  return {
    others: causes.filter((cause) => !SCHEMA_CAUSE.test(cause)),
    schemas: causes.filter((cause) => SCHEMA_CAUSE.test(cause)).sort(),
  };
}
