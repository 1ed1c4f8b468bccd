/** Defaults of controllers of pods and of their autoscalers, as far as they depend on other members. */
import { cloneJson, objectAt, type JsonObject } from '../../../values/json';
import { isEmpty, isZero, objects, type DefaultRule } from './rule';

const MOST_INT32 = 2_147_483_647;

export const WORKLOAD_RULES: Readonly<Record<string, DefaultRule>> = {
  'apps.v1.DaemonSetUpdateStrategy': rollingUpdate,
  'apps.v1.DeploymentStrategy': rollingUpdate,
  'apps.v1.StatefulSetSpec': (spec) => {
    for (const claim of objects(spec, 'volumeClaimTemplates')) Object.assign(claim, { kind: 'PersistentVolumeClaim', apiVersion: 'v1' });
  },
  // Unlike with the other kinds the numbers follow only from a type that was not named (upstream behaviour).
  'apps.v1.StatefulSetUpdateStrategy': (strategy) => {
    if (!isZero(strategy['type'])) return;
    strategy['type'] = 'RollingUpdate';
    rollingUpdate(strategy);
  },
  'autoscaling.v2.HorizontalPodAutoscalerBehavior': (behavior) => {
    behavior['scaleUp'] = scaling(objectAt(behavior, 'scaleUp'), { ...SCALING, stabilizationWindowSeconds: 0, policies: FAST_POLICIES });
    behavior['scaleDown'] = scaling(objectAt(behavior, 'scaleDown'), { ...SCALING, policies: ALL_AT_ONCE });
  },
  'autoscaling.v2.HorizontalPodAutoscalerSpec': (spec) => {
    if (objects(spec, 'metrics').length === 0) spec['metrics'] = [cloneJson(PROCESSOR_LOAD)];
  },
  'batch.v1.Job': job,
  'core.v1.ReplicationController': (controller) => {
    const spec = objectAt(controller, 'spec');
    const labels = templateLabels(spec);
    const metadata = objectAt(controller, 'metadata');
    if (labels === undefined || metadata === undefined || spec === undefined) return;
    if (isEmpty(objectAt(spec, 'selector'))) spec['selector'] = cloneJson(labels);
    if (isEmpty(objectAt(metadata, 'labels'))) metadata['labels'] = cloneJson(labels);
  },
};

/** Its own members have plain defaults. */
function rollingUpdate(strategy: JsonObject): void {
  if (strategy['type'] === 'RollingUpdate' && objectAt(strategy, 'rollingUpdate') === undefined) strategy['rollingUpdate'] = {};
}

const SCALING: JsonObject = { selectPolicy: 'Max' };
const FAST_POLICIES = [
  { type: 'Pods', value: 4, periodSeconds: 15 },
  { type: 'Percent', value: 100, periodSeconds: 15 },
];
const ALL_AT_ONCE = [{ type: 'Percent', value: 100, periodSeconds: 15 }];
const PROCESSOR_LOAD: JsonObject = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

function scaling(given: JsonObject | undefined, defaults: JsonObject): JsonObject {
  const made = cloneJson(defaults);
  for (const [member, value] of Object.entries(given ?? {})) if (value !== null) made[member] = value;
  return made;
}

function job(object: JsonObject): void {
  const spec = objectAt(object, 'spec');
  const metadata = objectAt(object, 'metadata');
  if (spec === undefined || metadata === undefined) return;
  if (isAbsent(spec, 'completions') && isAbsent(spec, 'parallelism')) spec['completions'] = 1;
  const values: JsonObject = {
    parallelism: 1,
    backoffLimit: isAbsent(spec, 'backoffLimitPerIndex') ? 6 : MOST_INT32,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: isAbsent(spec, 'podFailurePolicy') ? 'TerminatingOrFailed' : 'Failed',
  };
  for (const [member, value] of Object.entries(values)) if (isAbsent(spec, member)) spec[member] = value;
  // Templates of Jobs have to say it (upstream behaviour).
  for (const rule of objects(objectAt(spec, 'podFailurePolicy'), 'rules')) {
    for (const condition of objects(rule, 'onPodConditions')) if (isZero(condition['status'])) condition['status'] = 'True';
  }
  const labels = templateLabels(spec);
  // The very same object: labels that the server puts on the template later are then on the Job as well (upstream behaviour).
  if (labels !== undefined && isEmpty(objectAt(metadata, 'labels'))) metadata['labels'] = labels;
}

function isAbsent(object: JsonObject, member: string): boolean {
  return (object[member] ?? null) === null;
}

function templateLabels(spec: JsonObject | undefined): JsonObject | undefined {
  return objectAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels');
}
