/** As release 1.31.1 answered with these plug-ins on. */
import type { AdmissionRequest } from '../registry/admission';
import { KINDS } from '../../shared/api/kinds';
import { alwaysDeny, namespaceExists } from './plain-plugins';

function request(kind: string, more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  const row = KINDS.find((one) => one.kind === kind);
  if (row === undefined) throw new Error(`no ${kind}`);
  return {
    operation: 'CREATE',
    resource: { row, stored: undefined },
    subresource: undefined,
    isAddressed: false,
    object: {},
    oldObject: undefined,
    name: '',
    namespace: 'nope',
    namespaceEntry: undefined,
    user: { name: 'u', groups: [] },
    dryRun: false,
    options: {},
    deadline: Number.POSITIVE_INFINITY,
    context: { warn: () => undefined },
    ...more,
  };
}

test.each([
  ['ConfigMap', 'zz', 'configmaps "zz" is forbidden: admission control is denying all modifications'],
  ['Deployment', '', 'deployments.apps "Unknown" is forbidden: admission control is denying all modifications'],
])('%s %j is refused by who refuses all', (kind, name, message) => {
  expect(() => alwaysDeny().mutate(request(kind, { name }))).toThrow(message);
});

test('a namespace has to exist', () => {
  const plugin = namespaceExists();
  expect(() => plugin.mutate(request('ConfigMap'))).toThrow('namespaces "nope" not found');
  expect(plugin.mutate(request('Node', { namespace: '' }))).toBeUndefined();
  expect(plugin.mutate(request('Namespace'))).toBeUndefined();
  const namespaceEntry = { key: 'nope', revision: 1, bytes: Buffer.from('{}'), labels: {}, fields: {}, dialectSensitive: false };
  expect(plugin.mutate(request('ConfigMap', { namespaceEntry }))).toBeUndefined();
});
