/** Which class an Ingress gets that names none; every expectation was seen at release 1.31.1. */
import { writeFixture, type Fixture } from '../../test/support/write-fixture';
import { objectAt, type JsonObject } from '../../shared/values/json';

const MARK = 'ingressclass.platform.io/is-default-class';
const OTHER_MARK = 'ingressclass.kubernetes.io/is-default-class';
const BACKEND = { defaultBackend: { service: { name: 'a', port: { number: 1 } } } };

let fixture: Fixture;
beforeEach(async () => (fixture = await writeFixture()));

/** Creates classes, each in a second of its own, or with `together` in one; null = no annotation. */
async function classes(marks: Readonly<Record<string, JsonObject | null>>, together = false): Promise<void> {
  for (const [name, annotations] of Object.entries(marks)) {
    const metadata: JsonObject = annotations === null ? { name } : { name, annotations };
    await fixture.create('ingressclasses', { metadata, spec: { controller: 'example.com/a' } });
    if (!together) fixture.clock.advance(1000);
  }
  await fixture.cache.catchUp();
}

async function classOf(metadata: JsonObject = {}, spec: JsonObject = {}): Promise<unknown> {
  const { object } = await fixture.create('ingresses', { metadata: { name: 'i', ...metadata }, spec: { ...BACKEND, ...spec } });
  return objectAt(object, 'spec')?.['ingressClassName'];
}

it.each<[string, Readonly<Record<string, JsonObject | null>>, string | undefined]>([
  ['no class', {}, undefined],
  ['no marked class', { a: null }, undefined],
  ['marks that do not say true', { a: { [MARK]: 'false' }, b: { [MARK]: 'True' }, c: { [MARK]: '1' }, d: { [MARK]: '' } }, undefined],
  ['one', { a: null, b: { [MARK]: 'true' }, c: null }, 'b'],
  ['one in the other spelling', { a: null, b: { [OTHER_MARK]: 'true' } }, 'b'],
  ['the newest of several', { c: { [MARK]: 'true' }, a: { [MARK]: 'true' }, d: { [MARK]: 'false' } }, 'a'],
  ['the newest of several, whatever its name', { a: { [MARK]: 'true' }, c: { [MARK]: 'true' } }, 'c'],
])('%s', async (_title, marks, expected) => {
  await classes(marks);
  expect(await classOf()).toBe(expected);
});

it('of several of one second, the first by name', async () => {
  await classes({ b: { [MARK]: 'true' }, a: { [MARK]: 'true' }, c: { [MARK]: 'true' } }, true);
  expect(await classOf()).toBe('a');
});

describe('with a default class', () => {
  beforeEach(() => classes({ b: { [MARK]: 'true' } }));

  it.each<[string, JsonObject, JsonObject, string | undefined]>([
    ['a class of its own stays', {}, { ingressClassName: 'own' }, 'own'],
    ['a null class is none', {}, { ingressClassName: null }, 'b'],
    ['the annotation is a class', { annotations: { 'platform.io/ingress.class': 'x' } }, {}, undefined],
    ['so is it in the other spelling', { annotations: { 'kubernetes.io/ingress.class': 'x' } }, {}, undefined],
    ['so is an empty one', { annotations: { 'platform.io/ingress.class': '' } }, {}, undefined],
    ['another annotation is not', { annotations: { a: 'b' } }, {}, 'b'],
  ])('%s', async (_title, metadata, spec, expected) => {
    expect(await classOf(metadata, spec)).toBe(expected);
  });

  it('an update brings no class, and nobody owns the one that was given', async () => {
    const { object } = await fixture.create('ingresses', { metadata: { name: 'i' }, spec: BACKEND });
    expect(JSON.stringify(objectAt(object, 'metadata')?.['managedFields'])).not.toContain('ingressClassName');
    await fixture.cache.catchUp();
    const updated = await fixture.update('ingresses', 'i', { metadata: { name: 'i' }, spec: BACKEND });
    expect(objectAt(updated.object, 'spec')).toEqual(BACKEND);
  });

  it('applying creates with the class, and applying again leaves it', async () => {
    const body = { apiVersion: 'networking.platform.io/v1', kind: 'Ingress', metadata: { name: 'i' }, spec: BACKEND };
    for (const labels of [{}, { a: 'b' }]) {
      const { object } = await fixture.patch('ingresses', 'i', 'apply', { ...body, metadata: { name: 'i', labels } });
      expect(objectAt(object, 'spec')?.['ingressClassName']).toBe('b');
      await fixture.cache.catchUp();
    }
  });

  it('the rules come after it, and an empty class is not made good', async () => {
    await expect(classOf({}, { ingressClassName: '' })).rejects.toThrow('spec.ingressClassName: Invalid value: ""');
  });
});
