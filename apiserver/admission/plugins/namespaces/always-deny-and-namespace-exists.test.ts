/** AlwaysDeny and NamespaceExists; the messages are those of release 1.31.1 with these plug-ins on. */
import type { AdmissionRequest } from '../../../registry/admission';
import { admissionRequest } from '../../../../test/support/objects/admission-request';
import { alwaysDeny, namespaceExists } from './always-deny-and-namespace-exists';

/** A create in the namespace `nope`. */
const request = (kind: string, attributes: Partial<AdmissionRequest> = {}): AdmissionRequest =>
  admissionRequest({ kind, name: '', namespace: 'nope', ...attributes });

test.each<[kind: string, name: string, message: string]>([
  ['ConfigMap', 'zz', 'configmaps "zz" is forbidden: admission control is denying all modifications'],
  ['Deployment', '', 'deployments.apps "Unknown" is forbidden: admission control is denying all modifications'],
])('AlwaysDeny rejects %s %j', (kind, name, message) => {
  expect(() => alwaysDeny().mutate(request(kind, { name }))).toThrow(message);
});

test('NamespaceExists rejects a namespaced object whose namespace does not exist', () => {
  expect(() => namespaceExists().mutate(request('ConfigMap'))).toThrow('namespaces "nope" not found');
});

const NAMESPACE_ENTRY = { key: 'nope', revision: 1, bytes: Buffer.from('{}'), labels: {}, fields: {}, isDialectSensitive: false };

test.each([
  ['a namespaced object in an existing namespace', request('ConfigMap', { namespaceEntry: NAMESPACE_ENTRY })],
  ['a cluster-scoped object', request('Node', { namespace: '' })],
  ['a Namespace', request('Namespace')],
])('NamespaceExists admits %s', (_title, admitted) => {
  expect(namespaceExists().mutate(admitted)).toBeUndefined();
});
