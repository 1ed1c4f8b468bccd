/** Deployment: its Pods, and how new ones take the place of old ones. */
import { fieldErrorAs, forbiddenField, invalidAs, type FieldError } from '../../../shared/api/errors/field-error';
import { goIntOrString } from '../../../shared/values/go-values';
import { objectAt, own, stringAt, type JsonObject } from '../../../shared/values/json';
import { quote } from '../../../shared/values/quote';
import { amountAt, countOrShareErrors, negativeErrors, notMoreThanAll, numberAt } from '../rules/field-rules';
import { replicaTemplateErrors } from './replica-set';
import type { Strategy } from '../../registry/strategy';
import { countErrors, type CountRules } from '../core/workload/counts';
import { selectorChangeErrors, selectorOf } from '../core/workload/selected-template';
import { workloadWarnings } from '../core/workload/template-warnings';

const COUNTS: CountRules = {
  counts: [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
    'collisionCount',
  ],
  parts: [
    ['updatedReplicas', 'replicas', 'status.replicas'],
    ['readyReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'readyReplicas', 'readyReplicas'],
  ],
};

export const deployment: Strategy = {
  validate: (object) => specErrors(specOf(object)),
  update: {
    validate: (object, old) => [...specErrors(specOf(object)), ...selectorChangeErrors(specOf(object), specOf(old))],
  },
  status: { validate: (object, old) => countErrors(COUNTS, object, old) },
  ...workloadWarnings(['spec']),
};

const specOf = (object: JsonObject): JsonObject => objectAt(object, 'spec') ?? {};

function specErrors(spec: JsonObject): readonly FieldError[] {
  return [
    ...negativeErrors(spec, 'spec', ['replicas']),
    ...replicaTemplateErrors(spec, selectorOf(spec, undefined, 'deployment')),
    ...strategyErrors(objectAt(spec, 'strategy') ?? {}),
    ...negativeErrors(spec, 'spec', ['minReadySeconds', 'revisionHistoryLimit']),
    ...deadlineErrors(spec),
  ];
}

const STRATEGY = 'spec.strategy';
const ROLLING = `${STRATEGY}.rollingUpdate`;

function strategyErrors(strategy: JsonObject): readonly FieldError[] {
  const type = stringAt(strategy, 'type') ?? '';
  const rolling = objectAt(strategy, 'rollingUpdate');
  switch (type) {
    case 'Recreate':
      return rolling === undefined ? [] : [forbiddenField(ROLLING, "may not be specified when strategy `type` is 'Recreate'")];
    case 'RollingUpdate':
      return rollingErrors(rolling ?? {});
    default: {
      const shown = `apps.DeploymentStrategy{Type:${quote(type)}, RollingUpdate:(*apps.RollingUpdateDeployment)(nil)}`;
      return [fieldErrorAs('FieldValueNotSupported', STRATEGY, shown, 'supported values: "Recreate", "RollingUpdate"')];
    }
  }
}

function rollingErrors(rolling: JsonObject): readonly FieldError[] {
  const errors = ['maxUnavailable', 'maxSurge'].flatMap((member) => countOrShareErrors(rolling, member, ROLLING));
  if (amountAt(rolling, 'maxUnavailable') === 0 && amountAt(rolling, 'maxSurge') === 0) {
    errors.push(invalidAs(`${ROLLING}.maxUnavailable`, goIntOrString(own(rolling, 'maxUnavailable')), 'may not be 0 when `maxSurge` is 0'));
  }
  return [...errors, ...notMoreThanAll(rolling, 'maxUnavailable', ROLLING)];
}

function deadlineErrors(spec: JsonObject): readonly FieldError[] {
  const deadline = own(spec, 'progressDeadlineSeconds');
  if (typeof deadline !== 'number') return [];
  const errors = negativeErrors(spec, 'spec', ['progressDeadlineSeconds']);
  if (deadline > numberAt(spec, 'minReadySeconds')) return errors;
  return [...errors, invalidAs('spec.progressDeadlineSeconds', String(deadline), 'must be greater than minReadySeconds')];
}
