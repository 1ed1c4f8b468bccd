/** StatefulSet: Pods with names of their own. Their spec is judged only when they are made (upstream behaviour). */
import { forbiddenField, invalidShownValue, invalidValue, unsupportedValue, type FieldError } from '../../../shared/api/errors/field-error';
import { formatGoLabelSelector } from '../../../shared/values/go-values';
import { equalJson, own } from '../../../shared/values/json';
import { validateAnnotations, validateLabels } from '../../../shared/api/metadata/object-meta-rules';
import type { Errors } from '../rules/checks';
import { checkNotNegative } from '../rules/numbers';
import type { Strategy } from '../../registry/strategy';
import { validateCounts, type CountRules } from '../core/workload/counts';
import { checkLasting, checkMatch, checkWorkloadSelector } from '../core/workload/selected-template';
import { templateWarnings } from '../core/workload/template-warnings';
import type {
  AppsV1StatefulSet,
  AppsV1StatefulSetPersistentVolumeClaimRetentionPolicy,
  AppsV1StatefulSetSpec,
  AppsV1StatefulSetStatus,
  AppsV1StatefulSetUpdateStrategy,
} from '../../../shared/api/types/generated/members';

const COUNTS: CountRules<AppsV1StatefulSetStatus> = {
  counts: ['replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas', 'observedGeneration', 'collisionCount'],
  parts: [
    ['readyReplicas', 'replicas', 'status.replicas'],
    ['currentReplicas', 'replicas', 'status.replicas'],
    ['updatedReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'readyReplicas', 'status.readyReplicas'],
  ],
};

export const statefulSet: Strategy<AppsV1StatefulSet> = {
  ...templateWarnings((object: AppsV1StatefulSet) => object.spec, 'spec'),
  validate: (object) => validateSpec(object),
  update: { validate: validateSpec },
  status: { validate: (object, old) => validateCounts(COUNTS, object.status, old.status) },
};

const ORDERS = ['OrderedReady', 'Parallel'];

/** `old` = what an update is to replace. */
function validateSpec(object: AppsV1StatefulSet, old?: AppsV1StatefulSet): readonly FieldError[] {
  const spec = object.spec ?? {};
  const order = spec.podManagementPolicy ?? '';
  const errors: Errors = [];
  if (!ORDERS.includes(order)) errors.push(invalidValue('spec.podManagementPolicy', order, "must be 'OrderedReady' or 'Parallel'"));
  checkStrategy(spec.updateStrategy ?? {}, errors);
  checkRetention(spec.persistentVolumeClaimRetentionPolicy, errors);
  checkNotNegative(spec, 'replicas', 'spec', errors);
  checkNotNegative(spec, 'minReadySeconds', 'spec', errors);
  checkNotNegative(spec.ordinals ?? {}, 'start', 'spec.ordinals', errors);
  checkTemplate(spec, errors);
  if (old !== undefined) checkKept(spec, old.spec ?? {}, errors);
  return errors;
}

const STRATEGY = 'spec.updateStrategy';
const ROLLING = `${STRATEGY}.rollingUpdate`;

function checkStrategy(strategy: AppsV1StatefulSetUpdateStrategy, errors: Errors): void {
  const rolling = strategy.rollingUpdate;
  switch (strategy.type) {
    case 'RollingUpdate':
      checkNotNegative(rolling ?? {}, 'partition', ROLLING, errors);
      return;
    case 'OnDelete':
      if (rolling !== undefined) errors.push(invalidValue(ROLLING, rolling, "only allowed for updateStrategy 'RollingUpdate'"));
      return;
    default:
      errors.push(invalidValue(STRATEGY, strategy, "must be 'RollingUpdate' or 'OnDelete'"));
  }
}

const RETENTIONS = ['Retain', 'Delete'];

function checkRetention(policy: AppsV1StatefulSetPersistentVolumeClaimRetentionPolicy | undefined, errors: Errors): void {
  if (policy === undefined) return;
  for (const member of ['whenDeleted', 'whenScaled'] as const) {
    const value = policy[member] ?? '';
    if (RETENTIONS.includes(value)) continue;
    errors.push(unsupportedValue(`spec.persistentVolumeClaimRetentionPolicy.${member}`, value, RETENTIONS));
  }
}

function checkTemplate(spec: AppsV1StatefulSetSpec, errors: Errors): void {
  const { isReadable, isEmpty } = checkWorkloadSelector(spec, 'statefulset', errors);
  const template = spec.template ?? {};
  if (!isReadable) errors.push(invalidShownValue('spec.selector', formatGoLabelSelector(spec.selector ?? {}), ''));
  else {
    if (!isEmpty) checkMatch(spec, errors);
    validateLabels(template.metadata?.labels ?? {}, 'spec.template.labels', errors);
    validateAnnotations(template.metadata?.annotations ?? {}, 'spec.template.annotations', errors);
  }
  checkLasting(template, 'StatefulSet', errors);
}

const CHANGEABLE = ['replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy', 'minReadySeconds'];

function checkKept(spec: AppsV1StatefulSetSpec, old: AppsV1StatefulSetSpec, errors: Errors): void {
  const members = new Set([...Object.keys(spec), ...Object.keys(old)]);
  const isChanged = (member: string): boolean => !CHANGEABLE.includes(member) && !equalJson(own(spec, member), own(old, member));
  if (![...members].some(isChanged)) return;
  const [last = '', ...others] = CHANGEABLE.map((member) => `'${member}'`).reverse();
  const text = `updates to statefulset spec for fields other than ${others.reverse().join(', ')} and ${last} are forbidden`;
  errors.push(forbiddenField('spec', text));
}
