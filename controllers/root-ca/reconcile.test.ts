import type { JsonObject } from '../../shared/values/json';
import { apiObject } from '../../shared/client/rest/api-object';
import { actionFor, type Publication } from './reconcile';

const publication: Publication = { name: 'ca', certificate: 'PEM', annotation: ['platform.io/description', 'text'] };
const namespace = apiObject({ metadata: { name: 'n' } });
const right = {
  metadata: { namespace: 'n', name: 'ca', uid: 'u', annotations: { 'platform.io/description': 'text' } },
  data: { 'ca.crt': 'PEM' },
};
const act = (found: JsonObject | undefined) => actionFor(namespace, found === undefined ? undefined : apiObject(found), publication);

test('actionFor creates a missing root CA ConfigMap and leaves a correct one alone', () => {
  expect(act(undefined)).toEqual({
    type: 'create',
    object: { metadata: { namespace: 'n', name: 'ca', annotations: { 'platform.io/description': 'text' } }, data: { 'ca.crt': 'PEM' } },
  });
  expect(act(right)).toEqual({ type: 'none' });
});

test.each([
  ['changed data', { data: { 'ca.crt': 'other' } }],
  ['extra data', { data: { 'ca.crt': 'PEM', x: 'y' } }],
  ['no data', { data: {} }],
  ['binary data', { binaryData: { x: 'eA==' } }],
  ['another description annotation', { metadata: { ...right.metadata, annotations: { 'platform.io/description': 'mine' } } }],
])('actionFor restores a root CA ConfigMap with %s', (_, change) => {
  expect(act({ ...right, ...change })).toEqual({ type: 'update', object: right });
});

test('actionFor keeps labels and other annotations of the root CA ConfigMap', () => {
  const metadata = { ...right.metadata, labels: { l: 'm' }, annotations: { a: 'b' } };
  expect(act({ ...right, metadata })).toEqual({
    type: 'update',
    object: { ...right, metadata: { ...metadata, annotations: { a: 'b', 'platform.io/description': 'text' } } },
  });
});

test('actionFor deletes an immutable root CA ConfigMap unless it is correct', () => {
  expect(act({ ...right, data: { x: 'y' }, immutable: true })).toEqual({ type: 'delete', uid: 'u' });
  expect(act({ ...right, immutable: true })).toEqual({ type: 'none' });
});

test('actionFor does nothing for a namespace that is missing or being deleted, or while the ConfigMap is being deleted', () => {
  const going = apiObject({ metadata: { name: 'n', deletionTimestamp: '2026-01-01T00:00:00Z' } });
  expect(actionFor(going, undefined, publication)).toEqual({ type: 'none' });
  expect(actionFor(undefined, undefined, publication)).toEqual({ type: 'none' });
  const deleted = { ...right, data: {}, metadata: { ...right.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  expect(act(deleted)).toEqual({ type: 'none' });
});
