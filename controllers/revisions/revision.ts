/**
 * ControllerRevisions: what an owner's template was, as a patch that brings it back; equal ones, their order and their names. Decided from what is seen, without a server.
 */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf, type Resource } from '../../shared/client/rest/resource';
import type { Dialect } from '../../shared/names/dialect';
import {
  compareBytes,
  equalJson,
  isObject,
  objectAt,
  setMember,
  sortedKeys,
  stringAt,
  type JsonObject,
  type JsonValue,
} from '../../shared/values/json';
import { controllerReference } from '../owned/reference';
import { templateHash, withoutNothing } from '../owned/template-hash';
import { numberAt, templateOf } from '../owned/wishes';

export const REVISIONS = resourceOf('apps.v1.ControllerRevision');

/** What names it on pods. */
export const REVISION_LABEL = 'controller-revision-hash';
/** So much of the owner's name is in a revision's. */
const LONGEST_NAME = 223;

/**
 * The patch that puts the template of the owner into the place of a later one. Upstream's controllers, kubectl and its tests make it again from the owner and compare bytes: its members stand in
 * order, and a template that says no time says so.
 */
export function patchOf(owner: ApiObject): JsonObject {
  const template = withoutNothing(templateOf(owner));
  const metadata = { creationTimestamp: null, ...objectAt(template, 'metadata') };
  return inMemberOrder({ spec: { template: { ...template, metadata, $patch: 'replace' } } });
}

function inMemberOrder(object: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const member of sortedKeys(object)) setMember(copy, member, ordered(object[member] ?? null));
  return copy;
}

function ordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(ordered);
  return isObject(value) ? inMemberOrder(value) : value;
}

/** The template that a revision brings back. */
export function templateIn({ body }: ApiObject): JsonObject {
  const { $patch: _, ...template } = objectAt(objectAt(objectAt(body, 'data'), 'spec'), 'template') ?? {};
  return withoutNothing(template);
}

export const numberOf = ({ body }: ApiObject): number => numberAt(body, 'revision') ?? 0;

/** The oldest first. */
export const inOrder = (revisions: readonly ApiObject[]): readonly ApiObject[] =>
  [...revisions].sort((a, b) => numberOf(a) - numberOf(b) || compareBytes(createdAt(a), createdAt(b)) || compareBytes(a.name, b.name));

const createdAt = ({ body }: ApiObject): string => stringAt(objectAt(body, 'metadata'), 'creationTimestamp') ?? '';

export const hashOf = (owner: ApiObject, collisions: number): string => templateHash(patchOf(owner), collisions);

/** Whether it brings back this very patch. */
export const isEqual = (one: ApiObject, patch: JsonObject): boolean =>
  equalJson(withoutNothing(objectAt(one.body, 'data') ?? {}), withoutNothing(patch));

export interface NewRevision {
  readonly dialect: Dialect;
  /** Of the owner. */
  readonly resource: Resource;
  readonly owner: ApiObject;
  /** What the hash stands in. */
  readonly label: string;
  readonly number: number;
  readonly collisions: number;
}

export function revisionBody({ dialect, resource, owner, label, number, collisions }: NewRevision): JsonObject {
  const hash = hashOf(owner, collisions);
  const annotations = objectAt(objectAt(owner.body, 'metadata'), 'annotations');
  const labels = objectAt(objectAt(templateOf(owner), 'metadata'), 'labels') ?? {};
  return {
    metadata: {
      namespace: owner.namespace,
      name: `${owner.name.slice(0, LONGEST_NAME)}-${hash}`,
      labels: { ...labels, [label]: hash },
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ownerReferences: [controllerReference(dialect, resource, owner)],
    },
    data: patchOf(owner),
    revision: number,
  };
}

/** Those that nobody needs, beyond as many as are kept: the oldest go. `live`: names of those that are needed. */
export function surplusOf(revisions: readonly ApiObject[], live: ReadonlySet<string>, limit: number): readonly ApiObject[] {
  const history = inOrder(revisions).filter(({ name }) => !live.has(name));
  return history.slice(0, Math.max(0, history.length - limit));
}
