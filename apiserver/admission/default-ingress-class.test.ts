/** Default IngressClass of an Ingress that names none; every expectation was observed at release 1.31.1. */
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
  ['there is no IngressClass', {}, undefined],
  ['no IngressClass is marked as default', { a: null }, undefined],
  [
    'no default annotation has the value true',
    { a: { [MARK]: 'false' }, b: { [MARK]: 'True' }, c: { [MARK]: '1' }, d: { [MARK]: '' } },
    undefined,
  ],
  ['one IngressClass is marked as default', { a: null, b: { [MARK]: 'true' }, c: null }, 'b'],
  ['the default annotation has the other spelling', { a: null, b: { [OTHER_MARK]: 'true' } }, 'b'],
  ['several are marked and the newest sorts first by name', { c: { [MARK]: 'true' }, a: { [MARK]: 'true' }, d: { [MARK]: 'false' } }, 'a'],
  ['several are marked and the newest sorts last by name', { a: { [MARK]: 'true' }, c: { [MARK]: 'true' } }, 'c'],
])('DefaultIngressClass assigns the newest class marked as default: %s', async (_title, marks, expected) => {
  await classes(marks);
  expect(await classOf()).toBe(expected);
});

it('DefaultIngressClass assigns the first class by name among defaults created in the same second', async () => {
  await classes({ b: { [MARK]: 'true' }, a: { [MARK]: 'true' }, c: { [MARK]: 'true' } }, true);
  expect(await classOf()).toBe('a');
});

describe('DefaultIngressClass with one default class', () => {
  beforeEach(() => classes({ b: { [MARK]: 'true' } }));

  it.each<[string, JsonObject, JsonObject, string | undefined]>([
    ['keeps the ingressClassName of the request', {}, { ingressClassName: 'own' }, 'own'],
    ['treats a null ingressClassName as unset', {}, { ingressClassName: null }, 'b'],
    ['assigns no class when the ingress.class annotation is set', { annotations: { 'platform.io/ingress.class': 'x' } }, {}, undefined],
    [
      'assigns no class when the ingress.class annotation is set in the other spelling',
      { annotations: { 'kubernetes.io/ingress.class': 'x' } },
      {},
      undefined,
    ],
    ['assigns no class when the ingress.class annotation is empty', { annotations: { 'platform.io/ingress.class': '' } }, {}, undefined],
    ['assigns the class when only an unrelated annotation is set', { annotations: { a: 'b' } }, {}, 'b'],
  ])('%s', async (_title, metadata, spec, expected) => {
    expect(await classOf(metadata, spec)).toBe(expected);
  });

  it('assigns no class on update, and records no field manager for the assigned class', async () => {
    const { object } = await fixture.create('ingresses', { metadata: { name: 'i' }, spec: BACKEND });
    expect(JSON.stringify(objectAt(object, 'metadata')?.['managedFields'])).not.toContain('ingressClassName');
    await fixture.cache.catchUp();
    const updated = await fixture.update('ingresses', 'i', { metadata: { name: 'i' }, spec: BACKEND });
    expect(objectAt(updated.object, 'spec')).toEqual(BACKEND);
  });

  it('assigns the class on an apply that creates and keeps it on the next apply', async () => {
    const body = { apiVersion: 'networking.platform.io/v1', kind: 'Ingress', metadata: { name: 'i' }, spec: BACKEND };
    for (const labels of [{}, { a: 'b' }]) {
      const { object } = await fixture.patch('ingresses', 'i', 'apply', { ...body, metadata: { name: 'i', labels } });
      expect(objectAt(object, 'spec')?.['ingressClassName']).toBe('b');
      await fixture.cache.catchUp();
    }
  });

  it('leaves an empty ingressClassName to validation, which rejects it', async () => {
    await expect(classOf({}, { ingressClassName: '' })).rejects.toThrow('spec.ingressClassName: Invalid value: ""');
  });
});
