/** Namespace (behaviour-reference §5.2): its own finalizers, its phase, and the label that bears its name. */
import { namespacePrecondition } from '../../../../shared/api/errors/status';
import { invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import { type JsonObject, objectAt, stringAt, stringsAt } from '../../../../shared/values/json';
import { qualifiedName } from '../../../../shared/values/name-formats';
import { isTerminating, metadataOf, readMetadata } from '../../../../shared/api/metadata/object-meta';
import { unqualifiedFinalizer } from '../../../../shared/api/metadata/object-meta-rules';
import { otherQualifiedName, STANDARD_FINALIZERS } from '../../../../shared/names/dialect';
import { UPDATE } from '../../../registry/stages';
import type { Strategy, StrategyContext } from '../../../registry/strategy';

export const namespace: Strategy = {
  prepareForCreate(object, { names }) {
    const finalizers = stringsAt(objectAt(object, 'spec') ?? {}, 'finalizers');
    const has = finalizers.some((finalizer) => PRODUCT_FINALIZERS.has(finalizer));
    object['spec'] = { finalizers: has ? [...finalizers] : [...finalizers, names.namespaceFinalizer] };
    object['status'] = { phase: 'Active' };
  },
  setRequiredLabels: stampName,
  validate: (object) => finalizerErrors(object, () => 'spec.finalizers'),
  update: { stages: UPDATE.changeThenObject, prepareForUpdate: takeSpec },
  status: {
    prepareForUpdate(object) {
      const status = objectAt(object, 'status');
      if (status === undefined || stringAt(status, 'phase') === undefined) object['status'] = { ...status, phase: 'Active' };
    },
    validate(object, old) {
      const terminating = isTerminating(readMetadata(old));
      const phase = stringAt(objectAt(object, 'status') ?? {}, 'phase') ?? '';
      if (phase === (terminating ? 'Terminating' : 'Active')) return [];
      const text = terminating
        ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
        : "may only be 'Active' if `deletionTimestamp` is empty";
      return [invalidValue('status.Phase', phase, text)];
    },
  },
  finalize: { validate: (object) => finalizerErrors(object, (index) => `spec.finalizers[${index}]`) },
  deletion: {
    prepareForDeletion(object) {
      object['status'] = { ...objectAt(object, 'status'), phase: 'Terminating' };
    },
    isHeldBack: (object) => stringsAt(objectAt(object, 'spec') ?? {}, 'finalizers').length > 0,
    preconditionFailed: namespacePrecondition,
  },
};

/** The two spellings of the finalizer that holds a Namespace until it is empty. */
const PRODUCT_FINALIZERS: ReadonlySet<string> = new Set(
  [...STANDARD_FINALIZERS].filter((finalizer) => finalizer !== 'orphan' && finalizer !== 'foregroundDeletion'),
);

function takeSpec(object: JsonObject, old: JsonObject): void {
  object['spec'] = objectAt(old, 'spec') ?? {};
}

/** Its name as a label, in the server's own spelling; what a client sent under either spelling does not count. */
function stampName(object: JsonObject, { names }: StrategyContext): void {
  const metadata = metadataOf(object);
  const label = `${names.prefix}/metadata.name`;
  const labels: JsonObject = { ...objectAt(metadata, 'labels') };
  const other = otherQualifiedName(label);
  if (other !== undefined) delete labels[other];
  labels[label] = stringAt(metadata, 'name') ?? '';
  metadata['labels'] = labels;
}

function finalizerErrors(object: JsonObject, field: (index: number) => string): readonly FieldError[] {
  const finalizers = stringsAt(objectAt(object, 'spec') ?? {}, 'finalizers');
  return finalizers.flatMap((finalizer, index) => [
    ...qualifiedName(finalizer).map((text) => invalidValue(field(index), finalizer, text)),
    ...unqualifiedFinalizer(finalizer, field(index)),
  ]);
}
