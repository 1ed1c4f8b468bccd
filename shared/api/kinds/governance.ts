/** The kinds that say who may do what, and how requests are treated. */
import { rowsOf, same, STATUS, type KindRow, type RowOptions } from './row';

const extensions = rowsOf('apiextensions.platform.io', 'v1', 'apiextensions.v1');
const registration = rowsOf('apiregistration.platform.io', 'v1', 'apiregistration.v1');
const admission = rowsOf('admissionregistration.platform.io', 'v1', 'admissionregistration.v1');
const certificates = rowsOf('certificates.platform.io', 'v1', 'certificates.v1');
const coordination = rowsOf('coordination.platform.io', 'v1', 'coordination.v1');
const flowcontrol = rowsOf('flowcontrol.apiserver.platform.io', 'v1', 'flowcontrol.v1');
const flowcontrolBeta = rowsOf('flowcontrol.apiserver.platform.io', 'v1beta3', 'flowcontrol.v1beta3');
const rbac = rowsOf('rbac.authorization.platform.io', 'v1', 'rbac.v1');

const RBAC = { nameFormat: 'whole-path-segment', createOnUpdate: true } as const;
const ADMISSION = {
  looseFinalizers: true,
  scope: 'cluster',
  categories: ['api-extensions'],
  generation: 'counted',
  requiresResourceVersion: true,
} as const;

const FLOWCONTROL = { scope: 'cluster', subresources: [STATUS], statusKeeps: 'metadata', generation: 'counted' } as const;
const FLOWCONTROL_V1 = { group: 'flowcontrol.apiserver.platform.io', version: 'v1' };
const olderFlowcontrol = (kind: string): RowOptions => ({
  ...FLOWCONTROL,
  storedAs: FLOWCONTROL_V1,
  deprecation: { since: '1.29', removed: '1.32', replacement: { ...FLOWCONTROL_V1, kind } },
});

export const GOVERNANCE: readonly KindRow[] = [
  registration('APIService', 'apiservices', {
    looseFinalizers: true,
    scope: 'cluster',
    categories: ['api-extensions'],
    subresources: [STATUS],
    statusKeeps: 'metadata',
    requiresResourceVersion: true,
    nameFormat: 'path-segment',
  }),
  extensions('CustomResourceDefinition', 'customresourcedefinitions', {
    looseFinalizers: true,
    scope: 'cluster',
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    subresources: [STATUS],
    generation: 'counted',
    requiresResourceVersion: true,
  }),
  admission('MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', ADMISSION),
  admission('ValidatingAdmissionPolicy', 'validatingadmissionpolicies', { ...ADMISSION, subresources: [STATUS], statusKeeps: 'metadata' }),
  admission('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings', ADMISSION),
  admission('ValidatingWebhookConfiguration', 'validatingwebhookconfigurations', ADMISSION),
  certificates('CertificateSigningRequest', 'certificatesigningrequests', {
    scope: 'cluster',
    shortNames: ['csr'],
    subresources: [{ name: 'approval', verbs: ['get', 'patch', 'update'] }, STATUS],
    nameFormat: 'path-segment',
    ownFieldLabels: 'plain',
    selectableFields: same('spec.signerName'),
  }),
  coordination('Lease', 'leases', { looseFinalizers: true, requiresResourceVersion: true, createOnUpdate: true }),
  flowcontrol('FlowSchema', 'flowschemas', FLOWCONTROL),
  flowcontrol('PriorityLevelConfiguration', 'prioritylevelconfigurations', FLOWCONTROL),
  flowcontrolBeta('FlowSchema', 'flowschemas', olderFlowcontrol('FlowSchema')),
  flowcontrolBeta('PriorityLevelConfiguration', 'prioritylevelconfigurations', olderFlowcontrol('PriorityLevelConfiguration')),
  rbac('ClusterRoleBinding', 'clusterrolebindings', { ...RBAC, scope: 'cluster' }),
  rbac('ClusterRole', 'clusterroles', { ...RBAC, scope: 'cluster' }),
  rbac('RoleBinding', 'rolebindings', RBAC),
  rbac('Role', 'roles', RBAC),
];
