/** AlwaysDeny and NamespaceExists; the messages are those of release 1.31.1 with these plug-ins on. */
import type { AdmissionRequest } from '../../../registry/admission';
import { admissionRequest } from '../../../../test/support/objects/admission-request';
import { alwaysDeny, namespaceExists } from './always-deny-and-namespace-exists';

const request = (kind: string, attributes: Partial<AdmissionRequest> = {}): AdmissionRequest =>
  admissionRequest({ kind, name: '', namespace: 'nope', ...attributes });

test.each([
  ['ConfigMap', 'zz', 'configmaps "zz" is forbidden: admission control is denying all modifications'],
  ['Deployment', '', 'deployments.apps "Unknown" is forbidden: admission control is denying all modifications'],
])('AlwaysDeny rejects %s %j', (kind, name, message) => {
  expect(() => alwaysDeny().mutate(request(kind, { name }))).toThrow(message);
});

test('NamespaceExists rejects a namespaced object whose namespace does not exist', () => {
  const plugin = namespaceExists();
  expect(() => plugin.mutate(request('ConfigMap'))).toThrow('namespaces "nope" not found');
  expect(plugin.mutate(request('Node', { namespace: '' }))).toBeUndefined();
  expect(plugin.mutate(request('Namespace'))).toBeUndefined();
  const namespaceEntry = { key: 'nope', revision: 1, bytes: Buffer.from('{}'), labels: {}, fields: {}, isDialectSensitive: false };
  expect(plugin.mutate(request('ConfigMap', { namespaceEntry }))).toBeUndefined();
});
