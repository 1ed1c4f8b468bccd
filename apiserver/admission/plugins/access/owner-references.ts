/**
 * OwnerReferencesPermissionEnforcement, with two permissions for changes of `ownerReferences`. Changing the owners of
 * an existing object requires permission to delete the object, because it is deleted with its owner. Setting
 * `blockOwnerDeletion` requires permission to set finalizers on the owner, because it delays the deletion of the owner.
 */
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import type { UserInfo } from '../../../../shared/api/identity/user';
import type { MetaV1OwnerReference } from '../../../../shared/api/types/generated/members';
import { equalJson, type JsonObject } from '../../../../shared/values/json';
import { quote } from '../../../../shared/values/text/quote';
import { whenResolved, type MaybePromise } from '../../../../shared/runtime/maybe-promise';
import type { Decision, ResourceAttributes } from '../../../authorization/authorizer';
import type { AdmissionRequest } from '../../../registry/admission';
import type { ServedResource } from '../../../registry/verbs';
import type { ValidatingPlugin } from '../../chain';
import { newForbidden } from '../../new-forbidden';

/** The authorizer, and the look-up of owners' resources. */
export interface OwnerPermissionDependencies {
  readonly authorize: (user: UserInfo, attributes: ResourceAttributes) => MaybePromise<Decision>;
  /** `undefined` when the kind is not served. */
  readonly resourceOf: (apiVersion: string, kind: string) => ServedResource | undefined;
}

/** Creates the plug-in. A write that keeps the owners as they are, or removes all, needs no permission. */
export function ownerReferencesPermissionEnforcement(deps: OwnerPermissionDependencies): ValidatingPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    validate(request) {
      const owners = ownersOf(request.object);
      const oldOwners = ownersOf(request.oldObject);
      if (owners.length === 0 || equalJson(owners, oldOwners)) return undefined;
      return checkPermissions(deps, request, newlyBlockingOwners(owners, oldOwners));
    },
  };
}

/** Rejects unless the user has both permissions. `blocking` are the owners that the write makes blocking. */
async function checkPermissions(
  deps: OwnerPermissionDependencies,
  request: AdmissionRequest,
  blocking: readonly MetaV1OwnerReference[],
): Promise<void> {
  const { operation, resource, namespace, name, subresource, user } = request;
  if (operation === 'UPDATE') {
    const { group, version, resource: plural } = resource.row;
    const deleteAttributes = { verb: 'delete', group, version, resource: plural, subresource: subresource ?? '', namespace, name };
    const decision = await deps.authorize(user, { kind: 'resource', ...deleteAttributes });
    if (decision.type !== 'allow')
      throw newForbidden(request, `cannot set an ownerRef on a resource you can't delete: ${reasonText(decision)}`);
  }
  if (blocking.length === 0 || (await canSetAllFinalizers(deps, user))) return;
  for (const owner of blocking) {
    const decision = await deps.authorize(user, finalizersAttributes(deps, request, owner));
    if (decision.type !== 'allow')
      throw newForbidden(
        request,
        `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${reasonText(decision)}`,
      );
  }
}

/** Upstream prints the authorizer's error after its reason: `<nil>` when there is none. */
const reasonText = ({ reason }: Decision): string => `${reason}, <nil>`;

/** Whether the user may set finalizers on every object, which makes a check for each owner unnecessary. */
function canSetAllFinalizers({ authorize }: OwnerPermissionDependencies, user: UserInfo): MaybePromise<boolean> {
  const allFinalizers = { verb: 'update', group: '*', version: '*', resource: '*', subresource: 'finalizers', namespace: '', name: '' };
  return whenResolved(authorize(user, { kind: 'resource', ...allFinalizers }), ({ type }) => type === 'allow');
}

/** The permission to set finalizers on an owner. Throws when the kind of the owner is not served. */
function finalizersAttributes(
  { resourceOf }: OwnerPermissionDependencies,
  request: AdmissionRequest,
  { apiVersion = '', kind = '', name = '' }: MetaV1OwnerReference,
): ResourceAttributes {
  const resource = resourceOf(apiVersion, kind);
  if (resource === undefined)
    throw newForbidden(
      request,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: ` +
        `no matches for kind ${quote(kind)} in version ${quote(apiVersion)}`,
    );
  const { group, version, resource: plural, namespaced } = resource.row;
  return {
    kind: 'resource',
    verb: 'update',
    group,
    version,
    resource: plural,
    subresource: 'finalizers',
    namespace: namespaced ? request.namespace : '',
    name,
  };
}

const ownersOf = (object: JsonObject | undefined): MetaV1OwnerReference[] => readMetadata(object ?? {}).ownerReferences ?? [];

/** The owners that block their deletion and did not before. */
function newlyBlockingOwners(
  owners: readonly MetaV1OwnerReference[],
  oldOwners: readonly MetaV1OwnerReference[],
): readonly MetaV1OwnerReference[] {
  const isBlocking = ({ blockOwnerDeletion }: MetaV1OwnerReference): boolean => blockOwnerDeletion === true;
  const oldUids = new Set(oldOwners.filter(isBlocking).map(({ uid = '' }) => uid));
  return owners.filter(isBlocking).filter(({ uid = '' }) => !oldUids.has(uid));
}
