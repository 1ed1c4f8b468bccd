/**
 * Versions that are served only when `--runtime-config` enables them: alpha and most beta versions. The beta kinds of
 * the group networking, IPAddress and ServiceCIDR, are never served (apiserver/options/flags/runtime-config.ts).
 */
import { rowFactory, fieldsNamedByPath, STATUS, type KindRow, type RowOptions } from './row';

const ADMISSION_GROUP = 'admissionregistration.platform.io';
const STORAGE_GROUP = 'storage.platform.io';
const admission = {
  v1beta1: rowFactory(ADMISSION_GROUP, 'v1beta1', 'admissionregistration.v1beta1'),
  v1alpha1: rowFactory(ADMISSION_GROUP, 'v1alpha1', 'admissionregistration.v1alpha1'),
};
const authentication = {
  v1beta1: rowFactory('authentication.platform.io', 'v1beta1', 'authentication.v1beta1'),
  v1alpha1: rowFactory('authentication.platform.io', 'v1alpha1', 'authentication.v1alpha1'),
};
const coordination = rowFactory('coordination.platform.io', 'v1alpha1', 'coordination.v1alpha1');
const internal = rowFactory('internal.apiserver.platform.io', 'v1alpha1', 'apiserverinternal.v1alpha1');
const resource = rowFactory('resource.platform.io', 'v1alpha3', 'resource.v1alpha3');
const storage = {
  v1beta1: rowFactory(STORAGE_GROUP, 'v1beta1', 'storage.v1beta1'),
  v1alpha1: rowFactory(STORAGE_GROUP, 'v1alpha1', 'storage.v1alpha1'),
};

const POLICY: RowOptions = {
  allowsUnqualifiedFinalizers: true,
  scope: 'cluster',
  categories: ['api-extensions'],
  generation: 'counted',
  requiresResourceVersion: true,
  storedAs: { group: ADMISSION_GROUP, version: 'v1' },
};
const ATTRIBUTES_CLASS: RowOptions = { scope: 'cluster', shortNames: ['vac'], returnsDeletedObject: true };
const DYNAMIC_RESOURCE: RowOptions = { returnsDeletedObject: true };
const REVIEW: RowOptions = { scope: 'cluster', virtual: true, verbs: ['create'] };

/** The releases that deprecate and remove the versions of the admission policies, and those of SelfSubjectReview. */
const POLICY_DEPRECATIONS: Readonly<Record<'v1beta1' | 'v1alpha1', RowOptions>> = {
  v1beta1: { deprecation: { since: '1.31', removed: '1.34' } },
  v1alpha1: {},
};
const REVIEW_DEPRECATIONS: Readonly<Record<'v1beta1' | 'v1alpha1', RowOptions>> = {
  v1beta1: { deprecation: { since: '1.30', removed: '1.33' } },
  v1alpha1: { deprecation: { since: '1.29', removed: '1.32' } },
};

export const OPTIONAL_VERSIONS: readonly KindRow[] = [
  ...(['v1beta1', 'v1alpha1'] as const).flatMap((version) => [
    admission[version]('ValidatingAdmissionPolicy', 'validatingadmissionpolicies', {
      ...POLICY,
      ...POLICY_DEPRECATIONS[version],
      subresources: [STATUS],
      statusUpdateKeeps: 'metadata',
    }),
    admission[version]('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings', {
      ...POLICY,
      ...POLICY_DEPRECATIONS[version],
    }),
    authentication[version]('SelfSubjectReview', 'selfsubjectreviews', { ...REVIEW, ...REVIEW_DEPRECATIONS[version] }),
  ]),
  coordination('LeaseCandidate', 'leasecandidates', {
    allowsUnqualifiedFinalizers: true,
    requiresResourceVersion: true,
    allowsCreateOnUpdate: true,
    nameFormat: 'path-segment',
  }),
  internal('StorageVersion', 'storageversions', { scope: 'cluster', subresources: [STATUS], requiresResourceVersion: true }),
  resource('DeviceClass', 'deviceclasses', { ...DYNAMIC_RESOURCE, scope: 'cluster', generation: 'counted' }),
  resource('PodSchedulingContext', 'podschedulingcontexts', { ...DYNAMIC_RESOURCE, subresources: [STATUS] }),
  resource('ResourceClaim', 'resourceclaims', { ...DYNAMIC_RESOURCE, subresources: [STATUS] }),
  resource('ResourceClaimTemplate', 'resourceclaimtemplates', DYNAMIC_RESOURCE),
  resource('ResourceSlice', 'resourceslices', {
    ...DYNAMIC_RESOURCE,
    scope: 'cluster',
    generation: 'counted',
    fieldLabelErrorForm: 'with-version',
    selectableFields: [{ name: 'spec.nodeName', path: 'spec.nodeName', indexed: true }, ...fieldsNamedByPath('spec.driver')],
  }),
  storage.v1beta1('VolumeAttributesClass', 'volumeattributesclasses', ATTRIBUTES_CLASS),
  storage.v1alpha1('VolumeAttributesClass', 'volumeattributesclasses', {
    ...ATTRIBUTES_CLASS,
    storedAs: { group: STORAGE_GROUP, version: 'v1beta1' },
  }),
];
