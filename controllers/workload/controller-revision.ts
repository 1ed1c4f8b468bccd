/**
 * ControllerRevisions: an owner's pod template as a patch that restores it, and the names, the order and the equality
 * of revisions. The functions are pure.
 */
import type { AppsV1ControllerRevision, CoreV1PodTemplateSpec } from '../../shared/api/types/generated/members';
import { creationTimestampOf, type ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf, type Resource } from '../../shared/client/rest/resource';
import type { Dialect } from '../../shared/names/dialect';
import {
  compareBytes,
  equalJson,
  isObject,
  objectAt,
  setMember,
  sortedKeys,
  type JsonObject,
  type JsonValue,
} from '../../shared/values/json';
import { controllerReference } from './references';
import { templateHash, withoutNulls } from './template-hash';
import { templateOf } from './spec';

export const REVISIONS = resourceOf('apps.v1.ControllerRevision');

export type ControllerRevision = ApiObject<AppsV1ControllerRevision>;

/** A workload with a pod template. */
export type TemplateOwner = ApiObject<{ spec?: { template?: CoreV1PodTemplateSpec } }>;

/** The pod label that identifies a pod's revision: a StatefulSet stores the name in it, a DaemonSet the hash. */
export const REVISION_LABEL = 'controller-revision-hash';
/**
 * The most characters of the owner's name that the name of a revision begins with, as upstream: the hash fits after it
 * in the 253 characters of a name.
 */
const MAX_OWNER_NAME_LENGTH = 223;

/**
 * The patch that restores the owner's template. Upstream's controllers, kubectl and the conformance tests compute it
 * again and compare bytes: members are sorted, and `creationTimestamp` is null.
 */
export function templatePatchOf(owner: TemplateOwner): JsonObject {
  const template = withoutNulls(templateOf(owner));
  const metadata = { creationTimestamp: null, ...objectAt(template, 'metadata') };
  return withSortedMembers({ spec: { template: { ...template, metadata, $patch: 'replace' } } });
}

function withSortedMembers(object: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const member of sortedKeys(object)) setMember(copy, member, withSortedMembersInside(object[member] ?? null));
  return copy;
}

function withSortedMembersInside(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withSortedMembersInside);
  return isObject(value) ? withSortedMembers(value) : value;
}

/** The template that a revision restores. */
export function templateOfRevision({ body }: ControllerRevision): CoreV1PodTemplateSpec {
  const { $patch: _, ...template } = objectAt(objectAt(isObject(body.data) ? body.data : {}, 'spec'), 'template') ?? {};
  return withoutNulls(template);
}

/** Grows with each change of the owner's template; 0 when it is absent. */
export const revisionNumberOf = ({ body }: ControllerRevision): number => Number(body.revision ?? 0);

/** A sorted copy, oldest first: by number, then by creation time and name. */
export const sortRevisions = (revisions: readonly ControllerRevision[]): readonly ControllerRevision[] =>
  [...revisions].sort(
    (a, b) =>
      revisionNumberOf(a) - revisionNumberOf(b) ||
      compareBytes(creationTimestampOf(a), creationTimestampOf(b)) ||
      compareBytes(a.name, b.name),
  );

/** The hash of the patch that restores the owner's current template. */
export const templateHashOf = (owner: TemplateOwner, collisionCount: number): string =>
  templateHash(templatePatchOf(owner), collisionCount);

/** Whether the revision holds this patch; members that are null count as absent. */
export const isRevisionOf = ({ body }: ControllerRevision, patch: JsonObject): boolean =>
  equalJson(withoutNulls(isObject(body.data) ? body.data : {}), withoutNulls(patch));

/** The input of {@link revisionBody}. */
export interface NewRevision {
  readonly dialect: Dialect;
  /** The resource of the owner. */
  readonly resource: Resource;
  readonly owner: TemplateOwner;
  /** The label that holds the hash. */
  readonly label: string;
  /** The revision number, which must be higher than those of the existing revisions. */
  readonly number: number;
  readonly collisionCount: number;
}

/**
 * The revision of the owner's current template. Its name contains the hash, so an equal template has the same name
 * until `collisionCount` changes.
 */
export function revisionBody({ dialect, resource, owner, label, number, collisionCount }: NewRevision): AppsV1ControllerRevision {
  const hash = templateHashOf(owner, collisionCount);
  const { annotations } = owner.metadata;
  return {
    metadata: {
      namespace: owner.namespace,
      name: `${owner.name.slice(0, MAX_OWNER_NAME_LENGTH)}-${hash}`,
      labels: { ...templateOf(owner).metadata?.labels, [label]: hash },
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ownerReferences: [controllerReference(dialect, resource, owner)],
    },
    data: templatePatchOf(owner),
    revision: number,
  };
}

/** The oldest revisions that are not in use, as many as exceed the limit. `live`: names of the revisions in use. */
export function revisionsBeyondLimit(
  revisions: readonly ControllerRevision[],
  live: ReadonlySet<string>,
  limit: number,
): readonly ControllerRevision[] {
  const history = sortRevisions(revisions).filter(({ name }) => !live.has(name));
  return history.slice(0, Math.max(0, history.length - limit));
}
