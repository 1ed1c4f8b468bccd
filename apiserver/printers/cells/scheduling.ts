/**
 * Cells of kinds for scheduling and running pods, and for the coordination of servers. The cells of an object are in the
 * order of the columns in ../columns/scheduling.ts, and are compared with recorded rows.
 */
import type { CoreV1ResourceQuota, ResourceV1alpha3ResourceClaim } from '../../../shared/api/types/generated/members';
import { ownMember, sortedKeys } from '../../../shared/values/json';
import { creationAge, isBeingDeleted, nameOf, textOr, UNSET, type CellTable } from '../table/cell';

/** By the type in which objects are stored. */
export const SCHEDULING_CELLS = {
  'resource.v1alpha3.DeviceClass': (object) => [nameOf(object), creationAge(object)],
  'coordination.v1.Lease': (object) => [nameOf(object), object.spec?.holderIdentity ?? '', creationAge(object)],
  'coordination.v1alpha1.LeaseCandidate': (object) => {
    const { leaseName = '', binaryVersion = '', emulationVersion = '' } = object.spec ?? {};
    return [nameOf(object), leaseName, binaryVersion, emulationVersion, creationAge(object)];
  },
  'resource.v1alpha3.PodSchedulingContext': (object) => [nameOf(object), object.spec?.selectedNode ?? '', creationAge(object)],
  'resource.v1alpha3.ResourceClaim': (object) => [nameOf(object), claimState(object), creationAge(object)],
  'resource.v1alpha3.ResourceClaimTemplate': (object) => [nameOf(object), creationAge(object)],
  'resource.v1alpha3.ResourceSlice': (object) => {
    const { nodeName = '', driver = '', pool } = object.spec ?? {};
    return [nameOf(object), nodeName, driver, pool?.name ?? '', creationAge(object)];
  },
  'apiserverinternal.v1alpha1.StorageVersion': (object) => {
    const { storageVersions = [], commonEncodingVersion } = object.status ?? {};
    const serverVersions = storageVersions.map(({ apiServerID = '', encodingVersion = '' }) => `${apiServerID}=${encodingVersion}`);
    return [nameOf(object), textOr(commonEncodingVersion, UNSET), textOr(serverVersions.join(','), UNSET), creationAge(object)];
  },
  'scheduling.v1.PriorityClass': (object) => [nameOf(object), object.value ?? 0, object.globalDefault ?? false, creationAge(object)],
  'core.v1.ResourceQuota': (object) => [nameOf(object), creationAge(object), quotaUsage(object, 'requests'), quotaUsage(object, 'limits')],
  'node.v1.RuntimeClass': (object) => [nameOf(object), object.handler ?? '', creationAge(object)],
} satisfies CellTable;

/** All states that apply, such as `allocated,reserved`; `pending` when none does. */
function claimState(claim: ResourceV1alpha3ResourceClaim): string {
  const { allocation, reservedFor = [] } = claim.status ?? {};
  const states: string[] = [];
  if (isBeingDeleted(claim)) states.push('deleted');
  if (allocation !== undefined) states.push('allocated');
  if (reservedFor.length > 0) states.push('reserved');
  return states.length === 0 ? 'pending' : states.join(',');
}

/**
 * The used and the hard amounts of resources: `pods: 1/10, requests.cpu: 0/2`. The column `limits` has the resources
 * `limits.…`, and the column `requests` has all others.
 */
function quotaUsage({ status }: CoreV1ResourceQuota, column: 'requests' | 'limits'): string {
  const { hard = {}, used = {} } = status ?? {};
  return sortedKeys(hard)
    .filter((resource) => column === columnOf(resource))
    .map((resource) => `${resource}: ${ownMember(used, resource) ?? '0'}/${hard[resource] ?? '0'}`)
    .join(', ');
}

const columnOf = (resource: string): 'requests' | 'limits' => (resource.startsWith('limits.') ? 'limits' : 'requests');
