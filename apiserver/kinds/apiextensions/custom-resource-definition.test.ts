/**
 * Sends the cases of test/replay/definitions and compares with what release 1.31.1 said (recorded by definitions.ts there). What is wrong
 * with a schema comes in no fixed order.
 */
import { OUTLINES } from '../../../test/replay/definitions/outlines';
import { definition, schema } from '../../../test/replay/definitions/cases';
import { randomSchema } from '../../../test/replay/definitions/random-schemas';
import { REAL_LIFE } from '../../../test/replay/definitions/real-life';
import { SCHEMAS } from '../../../test/replay/definitions/schemas';
import { SETTLED, UPDATES } from '../../../test/replay/definitions/updates';
import { casesOf } from '../../../test/replay/recording';
import { answerDigest, definitionAnswer, isDefinitionCase, type DefinitionAnswer } from '../../../test/support/recorded-definitions';
import { expandBody } from '../../../test/replay/request-body';
import { writeFixture, type Answer, type Fixture } from '../../../test/support/write-fixture';
import { isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { StatusError } from '../../../shared/api/errors/status';

const recorded = (name: string): ReadonlyMap<string, DefinitionAnswer> => new Map(casesOf(`definitions/${name}`, isDefinitionCase));
const RECORDED = { created: recorded('created'), updated: recorded('updated'), random: recorded('random') };
const CREATED = Object.entries({ ...OUTLINES, ...SCHEMAS, ...REAL_LIFE });
const RESOURCE = 'customresourcedefinitions';
const NAME = 'things.crd.example.com';

describe('to create', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await writeFixture({ naming: 'kubernetes' });
  });

  test.each(CREATED)('%s', async (title, body) => {
    const answer = await answerTo(() => fixture.create(RESOURCE, objectOf(expandBody(body)), { dryRun: true }));
    expect(inOrder(answer)).toEqual(inOrder(RECORDED.created.get(title)));
  });

  test.each([...RECORDED.random])('random schema %s', async (seed, digest) => {
    const body = objectOf(schema(randomSchema(Number(seed))));
    const answer = await answerTo(() => fixture.create(RESOURCE, body, { dryRun: true }));
    expect({ answer, digest: answerDigest(answer) }).toEqual({ answer, digest });
  });
});

test.each(Object.entries(UPDATES))('to update: %s', async (title, { old, body, status, refused }) => {
  const fixture = await writeFixture({ naming: 'kubernetes' });
  const before = objectOf(expandBody(old));
  const name = stringAt(objectAt(before, 'metadata'), 'name') ?? '';
  const replace = async (sent: JsonObject, subresource?: 'status', dryRun = false): Promise<Answer> => {
    await fixture.cache.catchUp();
    const { resourceVersion = null } = objectAt((await fixture.stored(RESOURCE, name)) ?? {}, 'metadata') ?? {};
    const metadata = { ...objectAt(sent, 'metadata'), name, resourceVersion };
    return fixture.update(RESOURCE, name, { ...sent, metadata }, { dryRun, subresource });
  };
  await fixture.create(RESOURCE, before);
  await replace({ ...before, status: objectOf(SETTLED[refused === true ? 'refused' : 'accepted']) }, 'status');
  const answer = await answerTo(() => replace(objectOf(expandBody(body)), status === true ? 'status' : undefined, true));
  expect(inOrder(answer)).toEqual(inOrder(RECORDED.updated.get(title)));
});

describe('a DELETE', () => {
  const marked = async (naming: 'kubernetes' | 'platform', finalizers: readonly string[] = []): Promise<JsonObject> => {
    const fixture = await writeFixture({ naming });
    await fixture.create(RESOURCE, objectOf(definition({}, { finalizers: [...finalizers] })));
    await fixture.cache.catchUp();
    const result = await fixture.remove(RESOURCE, NAME, { propagationPolicy: 'Foreground' });
    expect(result).toMatchObject({ type: 'object', code: 200 });
    await fixture.cache.catchUp();
    return (await fixture.stored(RESOURCE, NAME)) ?? {};
  };

  test('marks it until its resources are gone, and asks nothing of the collector', async () => {
    const { metadata, status } = await marked('kubernetes', ['a/b']);
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

  test('names the finalizer as the server names things', async () => {
    expect(await marked('platform')).toMatchObject({ metadata: { finalizers: ['customresourcecleanup.apiextensions.platform.io'] } });
  });

  test('a second one is graceful like any other', async () => {
    const fixture = await writeFixture({ naming: 'kubernetes' });
    await fixture.create(RESOURCE, objectOf(definition()));
    for (let times = 0; times < 2; times += 1) {
      await fixture.cache.catchUp();
      await fixture.remove(RESOURCE, NAME);
    }
    await fixture.cache.catchUp();
    expect(await fixture.stored(RESOURCE, NAME)).toMatchObject({ metadata: { generation: 1, deletionGracePeriodSeconds: 0 } });
  });
});

describe('what nobody would write', () => {
  const nested = (depth: number, wrap: (inner: JsonObject) => JsonObject): JsonObject => {
    let inner: JsonObject = { type: 'string' };
    for (let left = depth; left > 0; left -= 1) inner = wrap(inner);
    return inner;
  };
  const refusalOf = async (root: JsonObject): Promise<StatusError> => {
    const fixture = await writeFixture({ naming: 'kubernetes' });
    const body = definition({
      versions: [JSON.parse(JSON.stringify({ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: root } }))],
    });
    const refused = await fixture.create(RESOURCE, objectOf(body), { dryRun: true }).catch((error: unknown) => error);
    if (!(refused instanceof StatusError)) throw new Error('it was not refused', { cause: refused });
    return refused;
  };

  test.each<readonly [string, (inner: JsonObject) => JsonObject]>([
    ['properties', (inner) => ({ type: 'object', properties: { a: inner } })],
    ['items', (inner) => ({ type: 'array', items: inner })],
    ['not', (inner) => ({ not: inner })],
    ['allOf', (inner) => ({ allOf: [inner] })],
    ['additionalProperties', (inner) => ({ type: 'object', additionalProperties: inner })],
  ])('depth: %s', async (_name, wrap) => {
    expect(await refusalOf(nested(1500, wrap))).toMatchObject({ code: 400, message: expect.stringContaining('exceeded max depth') });
    // As deep as it may be, with a fault at the bottom.
    expect(await refusalOf(nested(300, (inner) => (inner['type'] === 'string' ? { $ref: 'x' } : wrap(inner))))).toMatchObject({
      code: 422,
    });
  });

  test('long names above many faults', async () => {
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, {}]));
    const root = nested(200, (inner) => ({
      type: 'object',
      properties: { ['n'.repeat(5000)]: inner['type'] === 'string' ? { type: 'object', properties: wide } : inner },
    }));
    const { message } = await refusalOf(root);
    expect(message.length).toBeLessThan(5_000_000);
  });

  test('many keys of a list', async () => {
    const keys = Array.from({ length: 100_000 }, (_, index) => `k${index}`);
    const items = { type: 'object', required: keys, properties: { a: { type: 'string' } } };
    const root = {
      type: 'object',
      properties: { a: { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys } },
    };
    expect(await refusalOf(root)).toMatchObject({ code: 422 });
  });
});

test('everything that was recorded is looked at', () => {
  expect([...RECORDED.created.keys(), ...RECORDED.updated.keys()]).toEqual([...CREATED.map(([title]) => title), ...Object.keys(UPDATES)]);
});

function objectOf(value: JsonValue): JsonObject {
  if (!isObject(value)) throw new Error('no object');
  return value;
}

async function answerTo(perform: () => Promise<Answer>): Promise<DefinitionAnswer> {
  try {
    const { object, created } = await perform();
    return definitionAnswer({ code: created ? 201 : 200, message: '', causes: [], object });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { message = '', details } = error.status;
    const causes = (details?.causes ?? []).map(({ field = '', reason = '', message: text = '' }) => [field, reason, text]);
    return definitionAnswer({ code: error.code, message, causes, object: {} });
  }
}

const SCHEMA_CAUSE = /^spec\.(validation|versions\[\d+\]\.schema)\./;

function inOrder(answer: DefinitionAnswer | undefined): unknown {
  if (!Array.isArray(answer)) return answer;
  const causes = answer.map(String);
  return {
    others: causes.filter((cause) => !SCHEMA_CAUSE.test(cause)),
    schemas: causes.filter((cause) => SCHEMA_CAUSE.test(cause)).sort(),
  };
}
