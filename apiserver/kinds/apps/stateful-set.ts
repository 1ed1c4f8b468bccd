/** StatefulSet: Pods with names of their own. Their spec is judged only when they are made (upstream behaviour). */
import { append } from '../../../shared/values/append';
import { forbiddenField, invalidAs, invalidValue, notSupported, type FieldError } from '../../../shared/api/errors/field-error';
import { goLabelSelector } from '../../../shared/values/go-values';
import { equalJson, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { validateAnnotations, validateLabels } from '../../../shared/api/metadata/object-meta-rules';
import { negativeErrors } from '../rules/field-rules';
import type { Strategy } from '../../registry/strategy';
import { countErrors, type CountRules } from '../core/workload/counts';
import { lastingErrors, mismatchErrors, selectorOf } from '../core/workload/selected-template';
import { templateWarnings } from '../core/workload/template-warnings';

const COUNTS: CountRules = {
  counts: ['replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas', 'observedGeneration', 'collisionCount'],
  parts: [
    ['readyReplicas', 'replicas', 'status.replicas'],
    ['currentReplicas', 'replicas', 'status.replicas'],
    ['updatedReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'readyReplicas', 'status.readyReplicas'],
  ],
};

export const statefulSet: Strategy = {
  ...templateWarnings(['spec']),
  validate: (object) => specErrors(specOf(object)),
  update: { validate: (object, old) => [...specErrors(specOf(object)), ...changeErrors(specOf(object), specOf(old))] },
  status: { validate: (object, old) => countErrors(COUNTS, object, old) },
};

const specOf = (object: JsonObject): JsonObject => objectAt(object, 'spec') ?? {};

const ORDERS = ['OrderedReady', 'Parallel'];

function specErrors(spec: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const order = stringAt(spec, 'podManagementPolicy') ?? '';
  if (!ORDERS.includes(order)) errors.push(invalidValue('spec.podManagementPolicy', order, "must be 'OrderedReady' or 'Parallel'"));
  return [
    ...errors,
    ...strategyErrors(objectAt(spec, 'updateStrategy') ?? {}),
    ...retentionErrors(objectAt(spec, 'persistentVolumeClaimRetentionPolicy')),
    ...negativeErrors(spec, 'spec', ['replicas', 'minReadySeconds']),
    ...negativeErrors(objectAt(spec, 'ordinals') ?? {}, 'spec.ordinals', ['start']),
    ...templateErrors(spec),
  ];
}

const STRATEGY = 'spec.updateStrategy';
const ROLLING = `${STRATEGY}.rollingUpdate`;

function strategyErrors(strategy: JsonObject): readonly FieldError[] {
  const rolling = objectAt(strategy, 'rollingUpdate');
  switch (stringAt(strategy, 'type')) {
    case 'RollingUpdate':
      return negativeErrors(rolling ?? {}, ROLLING, ['partition']);
    case 'OnDelete':
      return rolling === undefined ? [] : [invalidValue(ROLLING, rolling, "only allowed for updateStrategy 'RollingUpdate'")];
    default:
      return [invalidValue(STRATEGY, strategy, "must be 'RollingUpdate' or 'OnDelete'")];
  }
}

const RETENTIONS = ['Retain', 'Delete'];

function retentionErrors(policy: JsonObject | undefined): readonly FieldError[] {
  if (policy === undefined) return [];
  return ['whenDeleted', 'whenScaled'].flatMap((member) => {
    const value = stringAt(policy, member) ?? '';
    return RETENTIONS.includes(value) ? [] : [notSupported(`spec.persistentVolumeClaimRetentionPolicy.${member}`, value, RETENTIONS)];
  });
}

function templateErrors(spec: JsonObject): readonly FieldError[] {
  const selector = selectorOf(spec, undefined, 'statefulset');
  const template = objectAt(spec, 'template') ?? {};
  const errors = [...selector.errors];
  if (!selector.isReadable) errors.push(invalidAs('spec.selector', goLabelSelector(objectAt(spec, 'selector') ?? {}), ''));
  else {
    if (!selector.isEmpty) append(errors, mismatchErrors(spec));
    const metadata = readMetadata(template);
    validateLabels(objectAt(metadata, 'labels') ?? {}, 'spec.template.labels', errors);
    validateAnnotations(objectAt(metadata, 'annotations') ?? {}, 'spec.template.annotations', errors);
  }
  return [...errors, ...lastingErrors(template, 'StatefulSet')];
}

const CHANGEABLE = ['replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy', 'minReadySeconds'];

function changeErrors(spec: JsonObject, old: JsonObject): readonly FieldError[] {
  const members = new Set([...Object.keys(spec), ...Object.keys(old)]);
  const changed = [...members].filter((member) => !CHANGEABLE.includes(member) && !equalJson(spec[member], old[member]));
  if (changed.length === 0) return [];
  const [last = '', ...others] = CHANGEABLE.map((member) => `'${member}'`).reverse();
  const text = `updates to statefulset spec for fields other than ${others.reverse().join(', ')} and ${last} are forbidden`;
  return [forbiddenField('spec', text)];
}
