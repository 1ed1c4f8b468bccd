/**
 * Who makes an object somebody's must be allowed to delete it, since it is deleted with its owner; and who lets it hold up the deletion of its owner must be allowed to set finalizers
 * on that.
 */
import { readMetadata } from '../../shared/api/metadata/object-meta';
import type { UserInfo } from '../../shared/api/identity/user';
import { equalJson, arrayAt, isObject, own, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { quote } from '../../shared/values/quote';
import { whenResolved, type MaybePromise } from '../../shared/runtime/maybe-promise';
import type { Decision, ResourceAttributes } from '../authorization/authorizer';
import type { AdmissionRequest } from '../registry/admission';
import type { ServedResource } from '../registry/verbs';
import type { ValidatingPlugin } from './chain';
import { refused } from './pod-creation';

export interface OwnerParts {
  readonly authorize: (user: UserInfo, attributes: ResourceAttributes) => MaybePromise<Decision>;
  readonly resourceOf: (apiVersion: string, kind: string) => ServedResource | undefined;
}

export function ownerPermissions(parts: OwnerParts): ValidatingPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    validate(request) {
      const [now, before] = [ownersOf(request.object), ownersOf(request.oldObject)];
      if (now.length === 0 || equalJson([...now], [...before])) return undefined;
      return judge(parts, request, newlyBlocking(now, before));
    },
  };
}

async function judge(parts: OwnerParts, request: AdmissionRequest, blocking: readonly JsonObject[]): Promise<void> {
  const { operation, resource, namespace, name, subresource, user } = request;
  if (operation === 'UPDATE') {
    const { group, version, resource: plural } = resource.row;
    const asked = { verb: 'delete', group, version, resource: plural, subresource: subresource ?? '', namespace, name };
    const decision = await parts.authorize(user, { kind: 'resource', ...asked });
    if (decision.type !== 'allow') throw refused(request, `cannot set an ownerRef on a resource you can't delete: ${told(decision)}`);
  }
  if (blocking.length === 0 || (await maySetAny(parts, user))) return;
  for (const owner of blocking) {
    const decision = await parts.authorize(user, finalizersOf(parts, request, owner));
    if (decision.type !== 'allow')
      throw refused(
        request,
        `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${told(decision)}`,
      );
  }
}

/** As upstream prints it, with the error that there was none of. */
const told = ({ reason }: Decision): string => `${reason}, <nil>`;

/** Who may set finalizers on anything need not say on what. */
function maySetAny({ authorize }: OwnerParts, user: UserInfo): MaybePromise<boolean> {
  const everything = { verb: 'update', group: '*', version: '*', resource: '*', subresource: 'finalizers', namespace: '', name: '' };
  return whenResolved(authorize(user, { kind: 'resource', ...everything }), ({ type }) => type === 'allow');
}

function finalizersOf({ resourceOf }: OwnerParts, request: AdmissionRequest, owner: JsonObject): ResourceAttributes {
  const [apiVersion, kind] = [stringAt(owner, 'apiVersion') ?? '', stringAt(owner, 'kind') ?? ''];
  const resource = resourceOf(apiVersion, kind);
  if (resource === undefined)
    throw refused(
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
    name: stringAt(owner, 'name') ?? '',
  };
}

const ownersOf = (object: JsonObject | undefined): readonly JsonValue[] => arrayAt(readMetadata(object ?? {}), 'ownerReferences') ?? [];

function newlyBlocking(now: readonly JsonValue[], before: readonly JsonValue[]): readonly JsonObject[] {
  const blocks = (owner: JsonValue): owner is JsonObject => isObject(owner) && own(owner, 'blockOwnerDeletion') === true;
  const known = new Set(before.filter(blocks).map((owner) => stringAt(owner, 'uid') ?? ''));
  return now.filter(blocks).filter((owner) => !known.has(stringAt(owner, 'uid') ?? ''));
}
