/**
 * Applies the rules of metadata and kind in upstream's order, and decides what an endpoint may change and when a terminating object goes.
 */
import type { FieldError } from '../../../shared/api/errors/field-error';
import { invalidValue } from '../../../shared/api/errors/field-error';
import { type JsonObject, objectAt, own, stringAt, stringsAt } from '../../../shared/values/json';
import { pathSegment, type NameCheck } from '../../../shared/values/name-formats';
import { metadataOf, readMetadata } from '../../../shared/api/metadata/object-meta';
import { invalid } from '../../../shared/api/errors/status';
import {
  unqualifiedFinalizers,
  validateChangeable,
  validateMetadata,
  validateMetadataChange,
  type MetadataRules,
} from '../../../shared/api/metadata/object-meta-rules';
import type { Subresource } from '../verbs';
import type { StrategyContext, UpdateRules } from '../strategy';
import type { Plan } from '../object/resource-info';

const NONE: readonly FieldError[] = [];

/** What comes before allocation and all other rules. Throws a 422 StatusError. */
export function settleObject(plan: Plan, object: JsonObject, old: JsonObject | undefined, context: StrategyContext): void {
  const errors = plan.strategy.settle?.(object, old, context) ?? NONE;
  if (errors.length > 0) throw refused(plan, readMetadata(object), errors);
}

/** Throws a 422 StatusError. */
export function validateCreation(plan: Plan, object: JsonObject, context: StrategyContext): void {
  const metadata = readMetadata(object);
  const { strategy } = plan;
  const ofKind = strategy.validate?.(object, context) ?? NONE;
  if (strategy.kindRulesFirst === true && ofKind.length > 0) throw refused(plan, metadata, ofKind);
  const first = strategy.validateFirst?.(object, context) ?? NONE;
  const ofMetadata = validateMetadata(metadata, nameRules(plan, object));
  const ofFinalizers = plan.wantsQualifiedFinalizers ? unqualifiedFinalizers(metadata) : NONE;
  const errors = [...first, ...ofMetadata, ...ofFinalizers, ...ofKind];
  if (errors.length > 0) throw refused(plan, metadata, errors);
  const name = stringAt(metadata, 'name') ?? '';
  const ofPath = pathSegment(name);
  if (ofPath.length > 0)
    throw refused(
      plan,
      metadata,
      ofPath.map((text) => invalidValue('metadata.name', name, text)),
    );
}

/** The format of the kind's names, and what else the object demands of its own. */
function nameRules({ metadataRules, strategy }: Plan, object: JsonObject): MetadataRules {
  if (strategy.nameErrors === undefined) return metadataRules;
  const both =
    (format: NameCheck): NameCheck =>
    (name) => [...format(name), ...(strategy.nameErrors?.(object, name) ?? [])];
  return { ...metadataRules, name: both(metadataRules.name), prefix: both(metadataRules.prefix) };
}

/**
 * Throws a 422 StatusError. What is wrong with the metadata is found again and again: by the general rules for a state and for a change, and by the
 * kind's for a change and, where it looks at the whole object, for a state (upstream behaviour, visible in the causes).
 */
export function validateUpdate(
  plan: Plan,
  rules: UpdateRules | undefined,
  object: JsonObject,
  old: JsonObject,
  context: StrategyContext,
): void {
  const metadata = readMetadata(object);
  const { strategy } = plan;
  const state = validateChangeable(metadata);
  const change = validateMetadataChange(metadata, readMetadata(old));
  const finalizers = plan.wantsQualifiedFinalizers ? unqualifiedFinalizers(metadata) : NONE;
  const first = rules?.validateFirst?.(object, old, context) ?? NONE;
  const kindChange = rules?.validate?.(object, old, context) ?? NONE;
  const looksAtState = rules?.state !== undefined;
  const kindState = looksAtState ? (strategy.validate?.(object, context, old) ?? NONE) : NONE;
  if (first.length + state.length + change.length + finalizers.length + kindChange.length + kindState.length === 0) return;
  const general = [...state, ...change, ...state];
  if (strategy.kindRulesFirst === true) throw refused(plan, metadata, [...general, ...kindChange]);
  const metadataChange = rules?.metadataOnce === true ? NONE : [...first, ...change, ...state, ...finalizers];
  const ofState = looksAtState ? [...state, ...finalizers, ...kindState] : NONE;
  throw refused(plan, metadata, [...general, ...inOrder(rules?.state, ofState, metadataChange, kindChange)]);
}

function inOrder(
  state: UpdateRules['state'],
  ofState: readonly FieldError[],
  metadataChange: readonly FieldError[],
  kindChange: readonly FieldError[],
): readonly FieldError[] {
  switch (state) {
    case 'first':
      return [...ofState, ...metadataChange, ...kindChange];
    case 'twice':
      return [...ofState, ...ofState, ...metadataChange, ...kindChange];
    case 'between':
      return [...metadataChange, ...ofState, ...kindChange];
    case 'last':
    case undefined:
      return [...metadataChange, ...kindChange, ...ofState];
  }
}

function refused(plan: Plan, metadata: JsonObject, errors: readonly FieldError[]): Error {
  return invalid({ group: plan.hub.group, kind: plan.kind }, stringAt(metadata, 'name') ?? '', errors);
}

/** What the endpoint does not write is as it was: the main one keeps the status, `status` keeps all but metadata and status. */
export function placeStatus(plan: Plan, subresource: Subresource, object: JsonObject, old: JsonObject): JsonObject {
  switch (subresource) {
    case undefined:
    case 'scale':
      if (plan.hasStatus) take(object, old, 'status');
      return object;
    case 'status': {
      const merged: JsonObject = { ...old };
      take(merged, object, 'metadata');
      take(merged, object, 'status');
      keepMetadata(plan.resource.row.statusKeeps, merged, readMetadata(old));
      return merged;
    }
    case 'approval': {
      const merged: JsonObject = { ...old, status: { ...objectAt(old, 'status') } };
      take(merged, object, 'metadata');
      take(objectAt(merged, 'status') ?? {}, objectAt(object, 'status') ?? {}, 'conditions');
      return merged;
    }
    case 'ephemeralcontainers': {
      const { resourceVersion: _, ...metadata } = readMetadata(old);
      const spec = { ...objectAt(old, 'spec') };
      take(spec, objectAt(object, 'spec') ?? {}, 'ephemeralContainers');
      return { ...old, metadata, spec };
    }
    case 'finalize': {
      const merged: JsonObject = { ...old };
      take(merged, object, 'metadata');
      take(merged, object, 'spec');
      return merged;
    }
  }
}

/** What of the metadata the status endpoint does not write. Who owns what is written by every endpoint. */
function keepMetadata(keeps: 'labels' | 'metadata' | undefined, object: JsonObject, old: JsonObject): void {
  const metadata = readMetadata(object);
  switch (keeps) {
    case undefined:
      return;
    case 'labels':
      object['metadata'] = { ...metadata };
      take(metadataOf(object), old, 'labels');
      return;
    case 'metadata':
      object['metadata'] = { ...old };
      take(metadataOf(object), metadata, 'managedFields');
      delete metadataOf(object)['resourceVersion'];
  }
}

function take(target: JsonObject, source: JsonObject, member: string): void {
  const value = own(source, member);
  if (value === undefined) delete target[member];
  else target[member] = value;
}

/** A terminating object goes when no finalizer, no grace and nothing of its kind holds it back. */
export function mayGo(plan: Plan, object: JsonObject): boolean {
  const metadata = readMetadata(object);
  if (stringsAt(metadata, 'finalizers').length > 0) return false;
  const grace = own(metadata, 'deletionGracePeriodSeconds') ?? 0;
  return grace === 0 && plan.strategy.heldBack?.(object) !== true;
}
