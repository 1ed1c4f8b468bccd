/**
 * Binds a pod to a node: `pods/binding`, and `bindings`, which does the same with the pod's name in the body. A pod is
 * bound once; choosing the node is left to the scheduler.
 */
import { unsupportedValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import { spellingConflicts } from '../../../shared/names/spellings';
import type { ObjectKey } from '../../../shared/api/identity/identity';
import { arrayAt, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { isTerminating, ensureMetadata, readMetadata } from '../../../shared/api/metadata/object-meta';
import { badRequest, clientError, conflict } from '../../../shared/api/errors/status';
import type { Clock } from '../../../shared/runtime/clock';
import type { RequestContext, Resource, Writer } from '../verbs';
import type { OperationHandler } from './operation';
import { setPodCondition } from '../object/conditions';

/** What the handlers of both operations use. */
export interface BindingDependencies {
  readonly writer: Pick<Writer, 'edit'>;
  readonly pods: Resource;
  readonly clock: Clock;
}

/** POST `pods/binding`. */
export function bindPod(deps: BindingDependencies): OperationHandler {
  return ({ context, key, object, options }) => {
    if (stringAt(readMetadata(object), 'name') !== key.name) throw badRequest('name in URL does not match name in Binding object');
    return bind(deps, context, { key, binding: object, dryRun: options.dryRun });
  };
}

/** POST `bindings`. */
export function createBinding(deps: BindingDependencies): OperationHandler {
  return ({ context, key, object, options }) => {
    const name = stringAt(readMetadata(object), 'name') ?? '';
    if (name === '') throw badRequest('Name parameter required.');
    return bind(deps, context, { key: { namespace: key.namespace, name }, binding: object, dryRun: options.dryRun });
  };
}

/** A binding of the pod with the key. */
interface PodBinding {
  readonly key: ObjectKey;
  readonly binding: JsonObject;
  readonly dryRun: boolean;
}

/**
 * Sets the node of the pod. Rejects with 409 when the pod is bound, gated or terminating, and with 400 for an invalid
 * target.
 */
async function bind(
  { writer, pods, clock }: BindingDependencies,
  context: RequestContext,
  { key, binding, dryRun }: PodBinding,
): Promise<JsonObject> {
  const target = objectAt(binding, 'target') ?? {};
  const errors = targetErrors(target).map(({ text }) => text);
  if (errors.length > 0) throw clientError(errors.length === 1 ? errors.join('') : `[${errors.join(', ')}]`);
  const metadata = readMetadata(binding);
  const preconditions = { uid: stringAt(metadata, 'uid'), resourceVersion: stringAt(metadata, 'resourceVersion') };
  const node = stringAt(target, 'name') ?? '';
  await writer.edit(context, pods, key, { dryRun, preconditions }, (pod) => {
    const reason = refusalReason(key.name, pod);
    if (reason !== undefined) throw conflict({ group: '', resource: 'pods/binding' }, key.name, reason);
    const spec = objectAt(pod, 'spec') ?? {};
    spec['nodeName'] = node;
    const annotations = objectAt(metadata, 'annotations');
    const podMetadata = ensureMetadata(pod);
    if (annotations !== undefined)
      podMetadata['annotations'] = mergedAnnotations(key.name, objectAt(podMetadata, 'annotations') ?? {}, annotations);
    setPodCondition(pod, { type: 'PodScheduled', status: 'True' }, clock.now());
  });
  return binding;
}

/** Bindings bypass the validation of updates, so conflicting spellings of an annotation are refused here. */
function mergedAnnotations(pod: string, old: JsonObject, annotations: JsonObject): JsonObject {
  const merged = { ...old, ...annotations };
  const [conflicting] = spellingConflicts(merged).filter(
    ({ key, other }) => Object.hasOwn(annotations, key) || Object.hasOwn(annotations, other),
  );
  if (conflicting === undefined) return merged;
  const message = `annotation ${conflicting.key} must be the same as ${conflicting.other}, which is the same name`;
  throw conflict({ group: '', resource: 'pods/binding' }, pod, message);
}

function targetErrors(target: JsonObject): readonly FieldError[] {
  const kind = stringAt(target, 'kind') ?? '';
  return [
    ...(kind === '' || kind === 'Node' ? [] : [unsupportedValue('target.kind', kind, ['Node', '<empty>'])]),
    ...((stringAt(target, 'name') ?? '') === '' ? [requiredValue('target.name', '')] : []),
  ];
}

/** Why the pod cannot be bound; `undefined` when it can. */
function refusalReason(name: string, pod: JsonObject): string | undefined {
  if (isTerminating(readMetadata(pod))) return `pod ${name} is being deleted, cannot be assigned to a host`;
  const spec = objectAt(pod, 'spec');
  const node = stringAt(spec, 'nodeName') ?? '';
  if (node !== '') return `pod ${name} is already assigned to node ${JSON.stringify(node)}`;
  return (arrayAt(spec, 'schedulingGates') ?? []).length > 0 ? `pod ${name} has non-empty .spec.schedulingGates` : undefined;
}
