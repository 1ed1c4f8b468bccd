import type { JsonObject } from '../../shared/values/json';
import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { decide, isBound, usesClaim } from './reconcile';

const FINALIZER = 'platform.io/pvc-protection';
const claim = (metadata: JsonObject): ApiObject =>
  apiObject({ metadata: { name: 'c', namespace: 'n', ...metadata }, spec: { volumeName: 'v' } });
const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };

test.each<[string, JsonObject, string, readonly string[] | undefined]>([
  ['appends the finalizer to an object without it', { finalizers: ['a.io/b'] }, 'protect', ['a.io/b', FINALIZER]],
  ['does nothing for an object with the finalizer', { finalizers: [FINALIZER] }, 'none', undefined],
  [
    'does nothing for an object with the finalizer in the other spelling',
    { finalizers: ['kubernetes.io/pvc-protection'] },
    'none',
    undefined,
  ],
  ['removes the finalizer from an object that is being deleted', { ...going, finalizers: ['a.io/b', FINALIZER] }, 'release', ['a.io/b']],
  [
    'removes the finalizer in both spellings from an object that is being deleted',
    { ...going, finalizers: ['kubernetes.io/pvc-protection', FINALIZER] },
    'release',
    [],
  ],
  ['does nothing for an object without the finalizer that is being deleted', { ...going, finalizers: ['a.io/b'] }, 'none', undefined],
])('decide %s', (_, metadata, type, finalizers) => {
  const found = claim(metadata);
  const body = { metadata: { name: 'c', namespace: 'n', ...metadata, finalizers: [...(finalizers ?? [])] }, spec: { volumeName: 'v' } };
  expect(decide(found, FINALIZER)).toEqual(finalizers === undefined ? { type } : { type, object: body });
});

test('decide does nothing for a missing object', () => expect(decide(undefined, FINALIZER)).toEqual({ type: 'none' }));

const volumes = [
  { name: 'a', persistentVolumeClaim: { claimName: 'c' } },
  { name: 'b', ephemeral: {} },
  { name: 'd', emptyDir: {} },
];
const pod = (spec: JsonObject, phase = 'Running'): ApiObject =>
  apiObject({ metadata: { name: 'p' }, spec: { volumes, ...spec }, status: { phase } });

test.each<[string, ApiObject, string, boolean]>([
  ['returns true for a claim in the volumes of a scheduled pod', pod({ nodeName: 'n' }), 'c', true],
  ['returns true for the claim of an ephemeral volume', pod({ nodeName: 'n' }), 'p-b', true],
  ['returns false for a volume of another type', pod({ nodeName: 'n' }), 'p-d', false],
  ['returns true for a finished pod', pod({ nodeName: 'n' }, 'Succeeded'), 'c', true],
  ['returns false for a pod without a node', pod({}), 'c', false],
  ['returns false for a pod with an empty node name', pod({ nodeName: '' }), 'c', false],
  ['returns false for a pod without volumes', pod({ nodeName: 'n', volumes: null }), 'c', false],
])('usesClaim %s', (_, user, name, expected) => expect(usesClaim(user, name)).toBe(expected));

test('isBound is true only for a volume in the phase Bound', () => {
  const volume = (status: JsonObject): ApiObject => apiObject({ metadata: { name: 'v' }, status });
  expect(isBound(volume({ phase: 'Bound' }))).toBe(true);
  for (const status of [{}, { phase: 'Available' }, { phase: 'Released' }]) expect(isBound(volume(status))).toBe(false);
});
