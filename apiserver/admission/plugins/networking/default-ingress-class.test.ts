/** Default IngressClass of an Ingress that names none; every expectation was observed at release 1.31.1. */
import { openWriteFixture } from '../../../../test/support/store/write-fixture';
import { useForEachTest } from '../../../../test/support/use-resource';
import { objectAt, type JsonObject } from '../../../../shared/values/json';

const DEFAULT_ANNOTATION = 'ingressclass.platform.io/is-default-class';
const KUBERNETES_DEFAULT_ANNOTATION = 'ingressclass.kubernetes.io/is-default-class';
const BACKEND = { defaultBackend: { service: { name: 'a', port: { number: 1 } } } };

const fixture = useForEachTest(openWriteFixture);

/** The annotations of IngressClasses by name; null for one without annotations. */
type AnnotationsByClass = Readonly<Record<string, JsonObject | null>>;

/** Creates the classes in order, `intervalMs` apart. */
async function createClasses(annotationsByClass: AnnotationsByClass, { intervalMs } = { intervalMs: 1000 }): Promise<void> {
  for (const [name, annotations] of Object.entries(annotationsByClass)) {
    const metadata: JsonObject = annotations === null ? { name } : { name, annotations };
    await fixture().create('ingressclasses', { metadata, spec: { controller: 'example.com/a' } });
    fixture().clock.advance(intervalMs);
  }
  await fixture().cache.catchUp();
}

/** The class of a new Ingress. */
async function assignedClass(metadata: JsonObject = {}, spec: JsonObject = {}): Promise<unknown> {
  const { object } = await fixture().create('ingresses', { metadata: { name: 'i', ...metadata }, spec: { ...BACKEND, ...spec } });
  return objectAt(object, 'spec')?.['ingressClassName'];
}

describe('DefaultIngressClass', () => {
  it.each<[title: string, annotationsByClass: AnnotationsByClass]>([
    ['there is no IngressClass', {}],
    ['no IngressClass is marked as default', { a: null }],
    [
      'no default annotation has the value true',
      {
        a: { [DEFAULT_ANNOTATION]: 'false' },
        b: { [DEFAULT_ANNOTATION]: 'True' },
        c: { [DEFAULT_ANNOTATION]: '1' },
        d: { [DEFAULT_ANNOTATION]: '' },
      },
    ],
  ])('assigns no class when %s', async (_title, annotationsByClass) => {
    await createClasses(annotationsByClass);
    expect(await assignedClass()).toBeUndefined();
  });

  it.each<[title: string, annotationsByClass: AnnotationsByClass, className: string]>([
    ['the only class that is marked as default', { a: null, b: { [DEFAULT_ANNOTATION]: 'true' }, c: null }, 'b'],
    ['a class whose default annotation has the other spelling', { a: null, b: { [KUBERNETES_DEFAULT_ANNOTATION]: 'true' } }, 'b'],
    [
      'the newest of several default classes, which sorts first by name',
      { c: { [DEFAULT_ANNOTATION]: 'true' }, a: { [DEFAULT_ANNOTATION]: 'true' }, d: { [DEFAULT_ANNOTATION]: 'false' } },
      'a',
    ],
    [
      'the newest of several default classes, which sorts last by name',
      { a: { [DEFAULT_ANNOTATION]: 'true' }, c: { [DEFAULT_ANNOTATION]: 'true' } },
      'c',
    ],
  ])('assigns %s', async (_title, annotationsByClass, className) => {
    await createClasses(annotationsByClass);
    expect(await assignedClass()).toBe(className);
  });

  it('assigns the first class by name among defaults created in the same second', async () => {
    await createClasses(
      { b: { [DEFAULT_ANNOTATION]: 'true' }, a: { [DEFAULT_ANNOTATION]: 'true' }, c: { [DEFAULT_ANNOTATION]: 'true' } },
      { intervalMs: 0 },
    );
    expect(await assignedClass()).toBe('a');
  });
});

describe('DefaultIngressClass with one default class', () => {
  beforeEach(() => createClasses({ b: { [DEFAULT_ANNOTATION]: 'true' } }));

  it.each<[title: string, metadata: JsonObject, spec: JsonObject, className: string | undefined]>([
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
  ])('%s', async (_title, metadata, spec, className) => {
    expect(await assignedClass(metadata, spec)).toBe(className);
  });

  it('records no field manager for the assigned class', async () => {
    const { object } = await fixture().create('ingresses', { metadata: { name: 'i' }, spec: BACKEND });
    expect(JSON.stringify(objectAt(object, 'metadata')?.['managedFields'])).not.toContain('ingressClassName');
  });

  it('assigns no class on update', async () => {
    await fixture().create('ingresses', { metadata: { name: 'i' }, spec: BACKEND });
    await fixture().cache.catchUp();
    const updated = await fixture().update('ingresses', 'i', { metadata: { name: 'i' }, spec: BACKEND });
    expect(objectAt(updated.object, 'spec')).toEqual(BACKEND);
  });

  it('assigns the class on an apply that creates and keeps it on the next apply', async () => {
    const body = { apiVersion: 'networking.platform.io/v1', kind: 'Ingress', metadata: { name: 'i' }, spec: BACKEND };
    for (const labels of [{}, { a: 'b' }]) {
      const { object } = await fixture().patch('ingresses', 'i', 'apply', { ...body, metadata: { name: 'i', labels } });
      expect(objectAt(object, 'spec')?.['ingressClassName']).toBe('b');
      await fixture().cache.catchUp();
    }
  });

  it('leaves an empty ingressClassName to validation, which rejects it', async () => {
    await expect(assignedClass({}, { ingressClassName: '' })).rejects.toThrow('spec.ingressClassName: Invalid value: ""');
  });
});
