/**
 * Namespace strategy: spec finalizers, phase, and the name label. After creation clients change the finalizers only
 * through `finalize`; the phase follows from the deletion timestamp. Deleting the contents is left to the controller.
 */
import { invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type { CoreV1Namespace } from '../../../../shared/api/types/generated/members';
import { appendAll } from '../../../../shared/values/append';
import { checkQualifiedName } from '../../../../shared/values/name-formats';
import { isTerminating } from '../../../../shared/api/metadata/object-meta';
import { finalizerDomainErrors } from '../../../../shared/api/metadata/object-meta-rules';
import { otherQualifiedName, STANDARD_FINALIZERS } from '../../../../shared/names/dialect';
import { checkFormat, type Errors } from '../../rules/checks';
import { UPDATE } from '../../../registry/stages';
import type { Strategy, StrategyContext } from '../../../registry/strategy';

export const namespace: Strategy<CoreV1Namespace> = {
  prepareForCreate(object, { names }) {
    const finalizers = finalizersOf(object);
    const hasProductFinalizer = finalizers.some((finalizer) => PRODUCT_FINALIZERS.has(finalizer));
    object.spec = { finalizers: hasProductFinalizer ? [...finalizers] : [...finalizers, names.namespaceFinalizer] };
    object.status = { phase: 'Active' };
  },
  setRequiredLabels: setNameLabel,
  validate: (object) => validateFinalizers(object, () => 'spec.finalizers'),
  update: { stages: UPDATE.objectThenChange, prepareForUpdate: restoreSpec },
  status: {
    prepareForUpdate(object) {
      if (object.status?.phase === undefined) object.status = { ...object.status, phase: 'Active' };
    },
    validate(object, old) {
      const isBeingDeleted = isTerminating(old.metadata ?? {});
      const phase = object.status?.phase ?? '';
      if (phase === (isBeingDeleted ? 'Terminating' : 'Active')) return [];
      const text = isBeingDeleted
        ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
        : "may only be 'Active' if `deletionTimestamp` is empty";
      // The capital letter is upstream's.
      return [invalidValue('status.Phase', phase, text)];
    },
  },
  finalize: { validate: (object) => validateFinalizers(object, (index) => `spec.finalizers[${index}]`) },
  deletion: {
    prepareForDeletion(object) {
      object.status = { ...object.status, phase: 'Terminating' };
    },
    isRemovalBlocked: (object) => finalizersOf(object).length > 0,
    addsUidPrecondition: true,
  },
};

/** Both spellings of the finalizer that keeps a Namespace until it is empty. */
const PRODUCT_FINALIZERS: ReadonlySet<string> = new Set(
  [...STANDARD_FINALIZERS].filter((finalizer) => finalizer !== 'orphan' && finalizer !== 'foregroundDeletion'),
);

const finalizersOf = ({ spec }: CoreV1Namespace): readonly string[] => spec?.finalizers ?? [];

function restoreSpec(object: CoreV1Namespace, old: CoreV1Namespace): void {
  object.spec = old.spec ?? {};
}

/** Sets the name label in the server's spelling and removes the other spelling; values from the client are ignored. */
function setNameLabel(object: CoreV1Namespace, { names }: StrategyContext): void {
  const metadata = (object.metadata ??= {});
  const label = `${names.prefix}/metadata.name`;
  const labels = { ...metadata.labels };
  const other = otherQualifiedName(label);
  if (other !== undefined) delete labels[other];
  labels[label] = metadata.name ?? '';
  metadata.labels = labels;
}

function validateFinalizers(object: CoreV1Namespace, field: (index: number) => string): readonly FieldError[] {
  const errors: Errors = [];
  finalizersOf(object).forEach((finalizer, index) => {
    checkFormat(finalizer, field(index), checkQualifiedName, errors);
    appendAll(errors, finalizerDomainErrors(finalizer, field(index)));
  });
  return errors;
}
