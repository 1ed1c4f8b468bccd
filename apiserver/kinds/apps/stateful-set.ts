/**
 * StatefulSet strategy. Only replicas, template, update strategy and a few more fields are mutable. Of the Pod spec in
 * the template only the restart policy is validated here, the rest when Pods are created (upstream behaviour).
 */
import { forbiddenField, invalidShownValue, invalidValue, unsupportedValue, type FieldError } from '../../../shared/api/errors/field-error';
import { formatGoLabelSelector } from '../../../shared/values/go-values';
import { equalJson, ownMember } from '../../../shared/values/json';
import { validateAnnotations, validateLabels } from '../../../shared/api/metadata/object-meta-rules';
import type { Errors } from '../rules/checks';
import { checkNonNegative } from '../rules/numbers';
import type { Strategy } from '../../registry/strategy';
import { validateStatusCounts, type StatusCountRules } from '../core/workload/status-counts';
import { checkAlwaysRestarts, checkSelectorMatchesTemplate, checkWorkloadSelector } from '../core/workload/workload-selector';
import { createTemplateWarnings } from '../core/workload/template-warnings';
import type {
  AppsV1StatefulSet,
  AppsV1StatefulSetPersistentVolumeClaimRetentionPolicy,
  AppsV1StatefulSetSpec,
  AppsV1StatefulSetStatus,
  AppsV1StatefulSetUpdateStrategy,
} from '../../../shared/api/types/generated/members';

const COUNTS: StatusCountRules<AppsV1StatefulSetStatus> = {
  counts: ['replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas', 'observedGeneration', 'collisionCount'],
  limits: [
    { part: 'readyReplicas', whole: 'replicas', shown: 'status.replicas' },
    { part: 'currentReplicas', whole: 'replicas', shown: 'status.replicas' },
    { part: 'updatedReplicas', whole: 'replicas', shown: 'status.replicas' },
    { part: 'availableReplicas', whole: 'replicas', shown: 'status.replicas' },
    { part: 'availableReplicas', whole: 'readyReplicas', shown: 'status.readyReplicas' },
  ],
};

export const statefulSet: Strategy<AppsV1StatefulSet> = {
  ...createTemplateWarnings((object: AppsV1StatefulSet) => object.spec, 'spec'),
  validate: (object) => validateSpec(object),
  update: { validate: validateSpec },
  status: { validate: (object, old) => validateStatusCounts(COUNTS, object.status, old.status) },
};

const POD_MANAGEMENT_POLICIES = ['OrderedReady', 'Parallel'];

/** `old` is set in the stage `change` of an update, where immutable fields are checked. */
function validateSpec(object: AppsV1StatefulSet, old?: AppsV1StatefulSet): readonly FieldError[] {
  const spec = object.spec ?? {};
  const policy = spec.podManagementPolicy ?? '';
  const errors: Errors = [];
  if (!POD_MANAGEMENT_POLICIES.includes(policy)) {
    errors.push(invalidValue('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'"));
  }
  checkStrategy(spec.updateStrategy ?? {}, errors);
  checkRetentionPolicy(spec.persistentVolumeClaimRetentionPolicy, errors);
  checkNonNegative(spec, 'replicas', 'spec', errors);
  checkNonNegative(spec, 'minReadySeconds', 'spec', errors);
  checkNonNegative(spec.ordinals ?? {}, 'start', 'spec.ordinals', errors);
  checkTemplate(spec, errors);
  if (old !== undefined) checkImmutableFields(spec, old.spec ?? {}, errors);
  return errors;
}

const STRATEGY_FIELD = 'spec.updateStrategy';
const ROLLING_UPDATE_FIELD = `${STRATEGY_FIELD}.rollingUpdate`;

function checkStrategy(strategy: AppsV1StatefulSetUpdateStrategy, errors: Errors): void {
  const rolling = strategy.rollingUpdate;
  switch (strategy.type) {
    case 'RollingUpdate':
      checkNonNegative(rolling ?? {}, 'partition', ROLLING_UPDATE_FIELD, errors);
      return;
    case 'OnDelete':
      if (rolling !== undefined) {
        errors.push(invalidValue(ROLLING_UPDATE_FIELD, rolling, "only allowed for updateStrategy 'RollingUpdate'"));
      }
      return;
    default:
      errors.push(invalidValue(STRATEGY_FIELD, strategy, "must be 'RollingUpdate' or 'OnDelete'"));
  }
}

const RETENTION_POLICIES = ['Retain', 'Delete'];

function checkRetentionPolicy(policy: AppsV1StatefulSetPersistentVolumeClaimRetentionPolicy | undefined, errors: Errors): void {
  if (policy === undefined) return;
  for (const member of ['whenDeleted', 'whenScaled'] as const) {
    const value = policy[member] ?? '';
    if (RETENTION_POLICIES.includes(value)) continue;
    errors.push(unsupportedValue(`spec.persistentVolumeClaimRetentionPolicy.${member}`, value, RETENTION_POLICIES));
  }
}

function checkTemplate(spec: AppsV1StatefulSetSpec, errors: Errors): void {
  const { isValid, isEmpty } = checkWorkloadSelector(spec, 'statefulset', errors);
  const template = spec.template ?? {};
  if (!isValid) errors.push(invalidShownValue('spec.selector', formatGoLabelSelector(spec.selector ?? {}), ''));
  else {
    if (!isEmpty) checkSelectorMatchesTemplate(spec, errors);
    validateLabels(template.metadata?.labels ?? {}, 'spec.template.labels', errors);
    validateAnnotations(template.metadata?.annotations ?? {}, 'spec.template.annotations', errors);
  }
  checkAlwaysRestarts(template, 'StatefulSet', errors);
}

const MUTABLE_MEMBERS = ['replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy', 'minReadySeconds'];

function checkImmutableFields(spec: AppsV1StatefulSetSpec, old: AppsV1StatefulSetSpec, errors: Errors): void {
  const members = new Set([...Object.keys(spec), ...Object.keys(old)]);
  const isChanged = (member: string): boolean =>
    !MUTABLE_MEMBERS.includes(member) && !equalJson(ownMember(spec, member), ownMember(old, member));
  if (![...members].some(isChanged)) return;
  const quotedMembers = MUTABLE_MEMBERS.map((member) => `'${member}'`);
  const list = `${quotedMembers.slice(0, -1).join(', ')} and ${quotedMembers.at(-1) ?? ''}`;
  errors.push(forbiddenField('spec', `updates to statefulset spec for fields other than ${list} are forbidden`));
}
