/** Kinds for access control, admission, API extension, leases, and API Priority and Fairness. */
import { rowFactory, fieldsNamedByPath, STATUS, type KindRow, type RowOptions } from './row';

const extensions = rowFactory('apiextensions.platform.io', 'v1', 'apiextensions.v1');
const registration = rowFactory('apiregistration.platform.io', 'v1', 'apiregistration.v1');
const admission = rowFactory('admissionregistration.platform.io', 'v1', 'admissionregistration.v1');
const certificates = rowFactory('certificates.platform.io', 'v1', 'certificates.v1');
const coordination = rowFactory('coordination.platform.io', 'v1', 'coordination.v1');
const flowcontrol = rowFactory('flowcontrol.apiserver.platform.io', 'v1', 'flowcontrol.v1');
const flowcontrolBeta = rowFactory('flowcontrol.apiserver.platform.io', 'v1beta3', 'flowcontrol.v1beta3');
const rbac = rowFactory('rbac.authorization.platform.io', 'v1', 'rbac.v1');

const RBAC = { nameFormat: 'whole-path-segment', allowsCreateOnUpdate: true } as const;
const ADMISSION = {
  allowsUnqualifiedFinalizers: true,
  scope: 'cluster',
  categories: ['api-extensions'],
  generation: 'counted',
  requiresResourceVersion: true,
} as const;

const FLOWCONTROL = { scope: 'cluster', subresources: [STATUS], statusUpdateKeeps: 'metadata', generation: 'counted' } as const;
const FLOWCONTROL_V1 = { group: 'flowcontrol.apiserver.platform.io', version: 'v1' };
const flowcontrolBetaOptions = (kind: string): RowOptions => ({
  ...FLOWCONTROL,
  storedAs: FLOWCONTROL_V1,
  deprecation: { since: '1.29', removed: '1.32', replacement: { ...FLOWCONTROL_V1, kind } },
});

export const GOVERNANCE_KINDS: readonly KindRow[] = [
  registration('APIService', 'apiservices', {
    allowsUnqualifiedFinalizers: true,
    scope: 'cluster',
    categories: ['api-extensions'],
    subresources: [STATUS],
    statusUpdateKeeps: 'metadata',
    requiresResourceVersion: true,
    nameFormat: 'path-segment',
  }),
  extensions('CustomResourceDefinition', 'customresourcedefinitions', {
    allowsUnqualifiedFinalizers: true,
    scope: 'cluster',
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    subresources: [STATUS],
    generation: 'counted',
    requiresResourceVersion: true,
  }),
  admission('MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', ADMISSION),
  admission('ValidatingAdmissionPolicy', 'validatingadmissionpolicies', {
    ...ADMISSION,
    subresources: [STATUS],
    statusUpdateKeeps: 'metadata',
  }),
  admission('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings', ADMISSION),
  admission('ValidatingWebhookConfiguration', 'validatingwebhookconfigurations', ADMISSION),
  certificates('CertificateSigningRequest', 'certificatesigningrequests', {
    scope: 'cluster',
    shortNames: ['csr'],
    subresources: [{ name: 'approval', verbs: ['get', 'patch', 'update'] }, STATUS],
    nameFormat: 'path-segment',
    fieldLabelErrorForm: 'plain',
    selectableFields: fieldsNamedByPath('spec.signerName'),
  }),
  coordination('Lease', 'leases', { allowsUnqualifiedFinalizers: true, requiresResourceVersion: true, allowsCreateOnUpdate: true }),
  flowcontrol('FlowSchema', 'flowschemas', FLOWCONTROL),
  flowcontrol('PriorityLevelConfiguration', 'prioritylevelconfigurations', FLOWCONTROL),
  flowcontrolBeta('FlowSchema', 'flowschemas', flowcontrolBetaOptions('FlowSchema')),
  flowcontrolBeta('PriorityLevelConfiguration', 'prioritylevelconfigurations', flowcontrolBetaOptions('PriorityLevelConfiguration')),
  rbac('ClusterRoleBinding', 'clusterrolebindings', { ...RBAC, scope: 'cluster' }),
  rbac('ClusterRole', 'clusterroles', { ...RBAC, scope: 'cluster' }),
  rbac('RoleBinding', 'rolebindings', RBAC),
  rbac('Role', 'roles', RBAC),
];
