/**
 * Default rules of workload controllers and autoscalers, by type: defaults that depend on other fields. The numbers are
 * the defaults of the API.
 */
import { cloneJson, objectAt, type JsonObject } from '../../../values/json';
import { isEmpty, isZero, objectsAt, type DefaultRule } from './rule';

const MAX_INT32 = 2_147_483_647;

const SCALING_DEFAULTS: JsonObject = { selectPolicy: 'Max' };
const SCALE_UP_POLICIES = [
  { type: 'Pods', value: 4, periodSeconds: 15 },
  { type: 'Percent', value: 100, periodSeconds: 15 },
];
const SCALE_DOWN_POLICIES = [{ type: 'Percent', value: 100, periodSeconds: 15 }];
const DEFAULT_METRIC: JsonObject = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

export const WORKLOAD_RULES: Readonly<Record<string, DefaultRule>> = {
  'apps.v1.DaemonSetUpdateStrategy': defaultRollingUpdate,
  'apps.v1.DeploymentStrategy': defaultRollingUpdate,
  'apps.v1.StatefulSetSpec': (spec) => {
    for (const claim of objectsAt(spec, 'volumeClaimTemplates')) Object.assign(claim, { kind: 'PersistentVolumeClaim', apiVersion: 'v1' });
  },
  // Unlike in the other kinds, the numbers are set only when the type is unset (upstream behaviour).
  'apps.v1.StatefulSetUpdateStrategy': (strategy) => {
    if (!isZero(strategy['type'])) return;
    strategy['type'] = 'RollingUpdate';
    defaultRollingUpdate(strategy);
  },
  'autoscaling.v2.HorizontalPodAutoscalerBehavior': (behavior) => {
    behavior['scaleUp'] = mergeScalingRules(objectAt(behavior, 'scaleUp'), {
      ...SCALING_DEFAULTS,
      stabilizationWindowSeconds: 0,
      policies: SCALE_UP_POLICIES,
    });
    behavior['scaleDown'] = mergeScalingRules(objectAt(behavior, 'scaleDown'), { ...SCALING_DEFAULTS, policies: SCALE_DOWN_POLICIES });
  },
  'autoscaling.v2.HorizontalPodAutoscalerSpec': (spec) => {
    if (objectsAt(spec, 'metrics').length === 0) spec['metrics'] = [cloneJson(DEFAULT_METRIC)];
  },
  'batch.v1.Job': defaultJob,
  'core.v1.ReplicationController': (controller) => {
    const spec = objectAt(controller, 'spec');
    const labels = templateLabels(spec);
    const metadata = objectAt(controller, 'metadata');
    if (labels === undefined || metadata === undefined || spec === undefined) return;
    if (isEmpty(objectAt(spec, 'selector'))) spec['selector'] = cloneJson(labels);
    if (isEmpty(objectAt(metadata, 'labels'))) metadata['labels'] = cloneJson(labels);
  },
};

/** Adds `rollingUpdate`, which gets its default values afterwards (default-values.ts). */
function defaultRollingUpdate(strategy: JsonObject): void {
  if (strategy['type'] === 'RollingUpdate' && objectAt(strategy, 'rollingUpdate') === undefined) strategy['rollingUpdate'] = {};
}

/** The rules with defaults for the members that are absent or null. */
function mergeScalingRules(rules: JsonObject | undefined, defaults: JsonObject): JsonObject {
  const merged = cloneJson(defaults);
  for (const [member, value] of Object.entries(rules ?? {})) if (value !== null) merged[member] = value;
  return merged;
}

function defaultJob(object: JsonObject): void {
  const spec = objectAt(object, 'spec');
  const metadata = objectAt(object, 'metadata');
  if (spec === undefined || metadata === undefined) return;
  if (isAbsent(spec, 'completions') && isAbsent(spec, 'parallelism')) spec['completions'] = 1;
  const values: JsonObject = {
    parallelism: 1,
    backoffLimit: isAbsent(spec, 'backoffLimitPerIndex') ? 6 : MAX_INT32,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: isAbsent(spec, 'podFailurePolicy') ? 'TerminatingOrFailed' : 'Failed',
  };
  for (const [member, value] of Object.entries(values)) if (isAbsent(spec, member)) spec[member] = value;
  // Upstream defaults this for Jobs, but not for their templates.
  for (const rule of objectsAt(objectAt(spec, 'podFailurePolicy'), 'rules')) {
    for (const condition of objectsAt(rule, 'onPodConditions')) if (isZero(condition['status'])) condition['status'] = 'True';
  }
  const labels = templateLabels(spec);
  // Not a copy: as in upstream, labels that the server later adds to the template then appear on the Job as well.
  if (labels !== undefined && isEmpty(objectAt(metadata, 'labels'))) metadata['labels'] = labels;
}

function isAbsent(object: JsonObject, member: string): boolean {
  return (object[member] ?? null) === null;
}

function templateLabels(spec: JsonObject | undefined): JsonObject | undefined {
  return objectAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels');
}
