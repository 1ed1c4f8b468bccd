import type { CoreV1ConfigMap } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { reconcileRootCa, type RootCaPublication } from './reconcile';

const publication: RootCaPublication = { name: 'ca', certificate: 'PEM', annotation: ['platform.io/description', 'text'] };
const namespace = apiObject({ metadata: { name: 'n' } });
const correct = {
  metadata: { namespace: 'n', name: 'ca', uid: 'u', annotations: { 'platform.io/description': 'text' } },
  data: { 'ca.crt': 'PEM' },
};
const reconcile = (existing: CoreV1ConfigMap | undefined) =>
  reconcileRootCa(namespace, existing === undefined ? undefined : apiObject(existing), publication);

test('reconcileRootCa creates a missing root CA ConfigMap and leaves a correct one alone', () => {
  expect(reconcile(undefined)).toEqual({
    type: 'create',
    body: { metadata: { namespace: 'n', name: 'ca', annotations: { 'platform.io/description': 'text' } }, data: { 'ca.crt': 'PEM' } },
  });
  expect(reconcile(correct)).toEqual({ type: 'none' });
});

test.each([
  ['changed data', { data: { 'ca.crt': 'other' } }],
  ['extra data', { data: { 'ca.crt': 'PEM', x: 'y' } }],
  ['no data', { data: {} }],
  ['binary data', { binaryData: { x: 'eA==' } }],
  ['another description annotation', { metadata: { ...correct.metadata, annotations: { 'platform.io/description': 'mine' } } }],
])('reconcileRootCa restores a root CA ConfigMap with %s', (_, change) => {
  expect(reconcile({ ...correct, ...change })).toEqual({ type: 'update', body: correct });
});

test('reconcileRootCa keeps labels and other annotations of the root CA ConfigMap', () => {
  const metadata = { ...correct.metadata, labels: { l: 'm' }, annotations: { a: 'b' } };
  expect(reconcile({ ...correct, metadata })).toEqual({
    type: 'update',
    body: { ...correct, metadata: { ...metadata, annotations: { a: 'b', 'platform.io/description': 'text' } } },
  });
});

test('reconcileRootCa deletes an immutable root CA ConfigMap unless it is correct', () => {
  expect(reconcile({ ...correct, data: { x: 'y' }, immutable: true })).toEqual({ type: 'delete', uid: 'u' });
  expect(reconcile({ ...correct, immutable: true })).toEqual({ type: 'none' });
});

test('reconcileRootCa does nothing for a namespace that is missing or being deleted, or while the ConfigMap is being deleted', () => {
  const terminating = apiObject({ metadata: { name: 'n', deletionTimestamp: '2026-01-01T00:00:00Z' } });
  expect(reconcileRootCa(terminating, undefined, publication)).toEqual({ type: 'none' });
  expect(reconcileRootCa(undefined, undefined, publication)).toEqual({ type: 'none' });
  const deleted = { ...correct, data: {}, metadata: { ...correct.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  expect(reconcile(deleted)).toEqual({ type: 'none' });
});
