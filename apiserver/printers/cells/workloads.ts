/** Cells of controllers of pods, and of what scales and protects pods. */
import { own, arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { parseApiVersion } from '../../../shared/api/identity/identity';
import { age } from '../table/age';
import {
  count,
  created,
  firstOf,
  isBeingDeleted,
  isTrue,
  labelPairs,
  name,
  NONE,
  numberAt,
  objects,
  scalarText,
  selectorText,
  since,
  UNKNOWN,
  UNSET,
  type Cells,
} from '../table/cell';
import type { Cell } from '../table/printer';

export const WORKLOAD_CELLS: Readonly<Record<string, Cells>> = {
  ControllerRevision: (object) => [name(object), controllerText(object), numberAt(object, 'revision'), created(object)],
  CronJob: cronJobCells,
  DaemonSet: daemonSetCells,
  Deployment: (object) => {
    const status = objectAt(object, 'status');
    const [updated, available] = [numberAt(status, 'updatedReplicas'), numberAt(status, 'availableReplicas')];
    return [name(object), ready(object), updated, available, created(object), ...templateCells(object), selectorOf(object)];
  },
  HorizontalPodAutoscaler: autoscalerCells,
  Job: jobCells,
  PodDisruptionBudget: (object) => {
    const spec = objectAt(object, 'spec');
    const allowed = numberAt(objectAt(object, 'status'), 'disruptionsAllowed');
    return [name(object), scalarText(spec, 'minAvailable') ?? 'N/A', scalarText(spec, 'maxUnavailable') ?? 'N/A', allowed, created(object)];
  },
  PodTemplate: (object) => {
    const template = objectAt(object, 'template');
    return [name(object), ...podCells(template), labelPairs(objectAt(objectAt(template, 'metadata'), 'labels'))];
  },
  ReplicaSet: (object) => [...replicaCells(object), selectorOf(object)],
  ReplicationController: (object) => [...replicaCells(object), labelPairs(objectAt(objectAt(object, 'spec'), 'selector'))],
  Scale: (object) => [
    name(object),
    numberAt(objectAt(object, 'spec'), 'replicas'),
    numberAt(objectAt(object, 'status'), 'replicas'),
    created(object),
  ],
  StatefulSet: (object) => [name(object), ready(object), created(object), ...templateCells(object)],
};

function templateCells(object: JsonObject): [containers: string, images: string] {
  return podCells(objectAt(objectAt(object, 'spec'), 'template'));
}

function podCells(template: JsonObject | undefined): [containers: string, images: string] {
  const containers = objects(objectAt(template, 'spec'), 'containers');
  const list = (member: string): string => containers.map((container) => stringAt(container, member) ?? '').join(',');
  return [list('name'), list('image')];
}

function selectorOf(object: JsonObject): string {
  return selectorText(objectAt(objectAt(object, 'spec'), 'selector'));
}

function ready(object: JsonObject): string {
  return `${numberAt(objectAt(object, 'status'), 'readyReplicas')}/${numberAt(objectAt(object, 'spec'), 'replicas')}`;
}

function replicaCells(object: JsonObject): Cell[] {
  const status = objectAt(object, 'status');
  const [wanted, present] = [numberAt(objectAt(object, 'spec'), 'replicas'), numberAt(status, 'replicas')];
  return [name(object), wanted, present, numberAt(status, 'readyReplicas'), created(object), ...templateCells(object)];
}

function daemonSetCells(object: JsonObject): Cell[] {
  const spec = objectAt(object, 'spec');
  const status = objectAt(object, 'status');
  const counts = ['desiredNumberScheduled', 'currentNumberScheduled', 'numberReady', 'updatedNumberScheduled', 'numberAvailable'];
  return [
    name(object),
    ...counts.map((member) => numberAt(status, member)),
    labelPairs(objectAt(objectAt(objectAt(spec, 'template'), 'spec'), 'nodeSelector')),
    created(object),
    ...templateCells(object),
    selectorOf(object),
  ];
}

/** `statefulset.apps/web`. */
function controllerText(object: JsonObject): string {
  const owner = objects(objectAt(object, 'metadata'), 'ownerReferences').find((reference) => isTrue(reference, 'controller'));
  if (owner === undefined) return NONE;
  const group = parseApiVersion(stringAt(owner, 'apiVersion') ?? '')?.group ?? '';
  return `${(stringAt(owner, 'kind') ?? '').toLowerCase()}${group === '' ? '' : `.${group}`}/${stringAt(owner, 'name') ?? ''}`;
}

function cronJobCells(object: JsonObject): Cell[] {
  const spec = objectAt(object, 'spec');
  const status = objectAt(object, 'status');
  const last = stringAt(status, 'lastScheduleTime');
  const job = objectAt(spec, 'jobTemplate') ?? {};
  return [
    name(object),
    stringAt(spec, 'schedule') ?? '',
    stringAt(spec, 'timeZone') ?? NONE,
    isTrue(spec, 'suspend') ? 'True' : 'False',
    count(status, 'active'),
    last === undefined ? NONE : since(last),
    created(object),
    ...templateCells(job),
    selectorOf(job),
  ];
}

function jobCells(object: JsonObject): Cell[] {
  const spec = objectAt(object, 'spec');
  const status = objectAt(object, 'status');
  const completions = scalarText(spec, 'completions');
  const parallelism = numberAt(spec, 'parallelism');
  const wanted = completions ?? (parallelism > 1 ? `1 of ${parallelism}` : '1');
  return [
    name(object),
    jobState(object),
    `${numberAt(status, 'succeeded')}/${wanted}`,
    duration(stringAt(status, 'startTime'), stringAt(status, 'completionTime')),
    created(object),
    ...templateCells(object),
    selectorOf(object),
  ];
}

/** Conditions that are the state of a Job, in the order in which they count. */
const FINISHED = ['Complete', 'Failed'];
const UNDER_WAY = ['Suspended', 'FailureTarget'];

function jobState(object: JsonObject): string {
  const holds = new Set(
    objects(objectAt(object, 'status'), 'conditions')
      .filter((condition) => stringAt(condition, 'status') === 'True')
      .map((condition) => stringAt(condition, 'type')),
  );
  const first = (types: readonly string[]): string | undefined => types.find((type) => holds.has(type));
  return first(FINISHED) ?? (isBeingDeleted(object) ? 'Terminating' : (first(UNDER_WAY) ?? 'Running'));
}

function duration(start: string | undefined, end: string | undefined): Cell {
  if (start === undefined) return '';
  if (end === undefined) return since(start);
  const milliseconds = Date.parse(end) - Date.parse(start);
  return Number.isNaN(milliseconds) ? UNKNOWN : age(milliseconds);
}

const MOST_METRICS = 2;

function autoscalerCells(object: JsonObject): Cell[] {
  const spec = objectAt(object, 'spec');
  const status = objectAt(object, 'status');
  const target = objectAt(spec, 'scaleTargetRef');
  const current = arrayAt(status, 'currentMetrics') ?? [];
  const metrics = objects(spec, 'metrics').map((metric, index) => {
    const found = current[index];
    return metricText(metric, found !== undefined && isObject(found) ? found : {});
  });
  return [
    name(object),
    `${stringAt(target, 'kind') ?? ''}/${stringAt(target, 'name') ?? ''}`,
    firstOf(metrics, MOST_METRICS, ', ') || NONE,
    scalarText(spec, 'minReplicas') ?? UNSET,
    numberAt(spec, 'maxReplicas'),
    numberAt(status, 'currentReplicas'),
    created(object),
  ];
}

/** Where the numbers of each type of metric stand, and whether it is named by its resource. */
const METRICS: Readonly<Record<string, { readonly member: string; readonly resource: boolean; readonly marksAverage: boolean }>> = {
  ContainerResource: { member: 'containerResource', resource: true, marksAverage: false },
  External: { member: 'external', resource: false, marksAverage: true },
  Object: { member: 'object', resource: false, marksAverage: true },
  Pods: { member: 'pods', resource: false, marksAverage: false },
  Resource: { member: 'resource', resource: true, marksAverage: false },
};

/** `cpu: 40%/80%`: what is, and what is wanted. */
function metricText(metric: JsonObject, found: JsonObject): string {
  const form = own(METRICS, stringAt(metric, 'type') ?? '');
  if (form === undefined) return '<unknown type>';
  const source = objectAt(metric, form.member);
  const target = objectAt(source, 'target');
  const current = objectAt(objectAt(found, form.member), 'current');
  const head = form.resource ? `${stringAt(source, 'name') ?? ''}: ` : '';
  const average = stringAt(target, 'averageValue');
  if (average !== undefined) {
    return `${head}${stringAt(current, 'averageValue') ?? UNKNOWN}/${average}${form.marksAverage ? ' (avg)' : ''}`;
  }
  if (!form.resource) return `${stringAt(current, 'value') ?? UNKNOWN}/${stringAt(target, 'value') ?? ''}`;
  return `${head}${percentage(current) ?? UNKNOWN}/${percentage(target) ?? '<auto>'}`;
}

function percentage(value: JsonObject | undefined): string | undefined {
  const found = scalarText(value, 'averageUtilization');
  return found === undefined ? undefined : `${found}%`;
}
