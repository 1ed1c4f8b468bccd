import type { JsonObject } from '../../shared/values/json';
import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { decide, isBound, usesClaim } from './reconcile';

const FINALIZER = 'platform.io/pvc-protection';
const claim = (metadata: JsonObject): ApiObject =>
  apiObject({ metadata: { name: 'c', namespace: 'n', ...metadata }, spec: { volumeName: 'v' } });
const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };

test.each<[string, JsonObject, string, readonly string[] | undefined]>([
  ['one without the finalizer gets it, after all others', { finalizers: ['a.io/b'] }, 'protect', ['a.io/b', FINALIZER]],
  ['one that has it stays', { finalizers: [FINALIZER] }, 'none', undefined],
  ['so does one that has it in the other spelling', { finalizers: ['kubernetes.io/pvc-protection'] }, 'none', undefined],
  ['one that goes loses it', { ...going, finalizers: ['a.io/b', FINALIZER] }, 'release', ['a.io/b']],
  ['in any spelling', { ...going, finalizers: ['kubernetes.io/pvc-protection', FINALIZER] }, 'release', []],
  ['one that goes and has none is not kept', { ...going, finalizers: ['a.io/b'] }, 'none', undefined],
])('%s', (_, metadata, type, finalizers) => {
  const found = claim(metadata);
  const body = { metadata: { name: 'c', namespace: 'n', ...metadata, finalizers: [...(finalizers ?? [])] }, spec: { volumeName: 'v' } };
  expect(decide(found, FINALIZER)).toEqual(finalizers === undefined ? { type } : { type, object: body });
});

test('nothing is done about what is gone', () => expect(decide(undefined, FINALIZER)).toEqual({ type: 'none' }));

const volumes = [
  { name: 'a', persistentVolumeClaim: { claimName: 'c' } },
  { name: 'b', ephemeral: {} },
  { name: 'd', emptyDir: {} },
];
const pod = (spec: JsonObject, phase = 'Running'): ApiObject =>
  apiObject({ metadata: { name: 'p' }, spec: { volumes, ...spec }, status: { phase } });

test.each<[string, ApiObject, string, boolean]>([
  ['a pod with a node uses the claims that it names', pod({ nodeName: 'n' }), 'c', true],
  ['and those of its ephemeral volumes', pod({ nodeName: 'n' }), 'p-b', true],
  ['and no others', pod({ nodeName: 'n' }), 'p-d', false],
  ['one that has ended still does', pod({ nodeName: 'n' }, 'Succeeded'), 'c', true],
  ['one without a node does not', pod({}), 'c', false],
  ['nor one whose node is empty', pod({ nodeName: '' }), 'c', false],
  ['nor one without volumes', pod({ nodeName: 'n', volumes: null }), 'c', false],
])('%s', (_, user, name, expected) => expect(usesClaim(user, name)).toBe(expected));

test('a volume is in use while it is bound', () => {
  const volume = (status: JsonObject): ApiObject => apiObject({ metadata: { name: 'v' }, status });
  expect(isBound(volume({ phase: 'Bound' }))).toBe(true);
  for (const status of [{}, { phase: 'Available' }, { phase: 'Released' }]) expect(isBound(volume(status))).toBe(false);
});
