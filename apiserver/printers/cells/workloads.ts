/** Cells of workload controllers, autoscalers and disruption budgets. */
import { own, arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { parseApiVersion } from '../../../shared/api/identity/identity';
import { formatAge } from '../table/age';
import {
  lengthAt,
  creationAge,
  joinFirst,
  isBeingDeleted,
  isTrue,
  labelPairs,
  nameOf,
  NONE,
  numberAt,
  objectsAt,
  scalarText,
  selectorText,
  ageSince,
  UNKNOWN,
  UNSET,
  type PrintCells,
} from '../table/cell';
import type { Cell } from '../table/convertor';

export const WORKLOAD_CELLS: Readonly<Record<string, PrintCells>> = {
  ControllerRevision: (object) => [nameOf(object), controllerText(object), numberAt(object, 'revision'), creationAge(object)],
  CronJob: cronJobCells,
  DaemonSet: daemonSetCells,
  Deployment: (object) => {
    const status = objectAt(object, 'status');
    const [updated, available] = [numberAt(status, 'updatedReplicas'), numberAt(status, 'availableReplicas')];
    return [nameOf(object), readyReplicas(object), updated, available, creationAge(object), ...templateCells(object), selectorOf(object)];
  },
  HorizontalPodAutoscaler: autoscalerCells,
  Job: jobCells,
  PodDisruptionBudget: (object) => {
    const spec = objectAt(object, 'spec');
    const allowed = numberAt(objectAt(object, 'status'), 'disruptionsAllowed');
    return [
      nameOf(object),
      scalarText(spec, 'minAvailable') ?? 'N/A',
      scalarText(spec, 'maxUnavailable') ?? 'N/A',
      allowed,
      creationAge(object),
    ];
  },
  PodTemplate: (object) => {
    const template = objectAt(object, 'template');
    return [nameOf(object), ...containerCells(template), labelPairs(objectAt(objectAt(template, 'metadata'), 'labels'))];
  },
  ReplicaSet: (object) => [...replicaCells(object), selectorOf(object)],
  ReplicationController: (object) => [...replicaCells(object), labelPairs(objectAt(objectAt(object, 'spec'), 'selector'))],
  Scale: (object) => [
    nameOf(object),
    numberAt(objectAt(object, 'spec'), 'replicas'),
    numberAt(objectAt(object, 'status'), 'replicas'),
    creationAge(object),
  ],
  StatefulSet: (object) => [nameOf(object), readyReplicas(object), creationAge(object), ...templateCells(object)],
};

function templateCells(object: JsonObject): [containers: string, images: string] {
  return containerCells(objectAt(objectAt(object, 'spec'), 'template'));
}

function containerCells(template: JsonObject | undefined): [containers: string, images: string] {
  const containers = objectsAt(objectAt(template, 'spec'), 'containers');
  const list = (member: string): string => containers.map((container) => stringAt(container, member) ?? '').join(',');
  return [list('name'), list('image')];
}

function selectorOf(object: JsonObject): string {
  return selectorText(objectAt(objectAt(object, 'spec'), 'selector'));
}

function readyReplicas(object: JsonObject): string {
  return `${numberAt(objectAt(object, 'status'), 'readyReplicas')}/${numberAt(objectAt(object, 'spec'), 'replicas')}`;
}

function replicaCells(object: JsonObject): Cell[] {
  const status = objectAt(object, 'status');
  const [desired, present] = [numberAt(objectAt(object, 'spec'), 'replicas'), numberAt(status, 'replicas')];
  return [nameOf(object), desired, present, numberAt(status, 'readyReplicas'), creationAge(object), ...templateCells(object)];
}

function daemonSetCells(object: JsonObject): Cell[] {
  const spec = objectAt(object, 'spec');
  const status = objectAt(object, 'status');
  const counts = ['desiredNumberScheduled', 'currentNumberScheduled', 'numberReady', 'updatedNumberScheduled', 'numberAvailable'];
  return [
    nameOf(object),
    ...counts.map((member) => numberAt(status, member)),
    labelPairs(objectAt(objectAt(objectAt(spec, 'template'), 'spec'), 'nodeSelector')),
    creationAge(object),
    ...templateCells(object),
    selectorOf(object),
  ];
}

/** `statefulset.apps/web`. */
function controllerText(object: JsonObject): string {
  const owner = objectsAt(objectAt(object, 'metadata'), 'ownerReferences').find((reference) => isTrue(reference, 'controller'));
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
    nameOf(object),
    stringAt(spec, 'schedule') ?? '',
    stringAt(spec, 'timeZone') ?? NONE,
    isTrue(spec, 'suspend') ? 'True' : 'False',
    lengthAt(status, 'active'),
    last === undefined ? NONE : ageSince(last),
    creationAge(object),
    ...templateCells(job),
    selectorOf(job),
  ];
}

function jobCells(object: JsonObject): Cell[] {
  const spec = objectAt(object, 'spec');
  const status = objectAt(object, 'status');
  const completions = scalarText(spec, 'completions');
  const parallelism = numberAt(spec, 'parallelism');
  const desired = completions ?? (parallelism > 1 ? `1 of ${parallelism}` : '1');
  return [
    nameOf(object),
    jobState(object),
    `${numberAt(status, 'succeeded')}/${desired}`,
    duration(stringAt(status, 'startTime'), stringAt(status, 'completionTime')),
    creationAge(object),
    ...templateCells(object),
    selectorOf(object),
  ];
}

/** Conditions that determine the state of a Job, in order of precedence. */
const FINISHED = ['Complete', 'Failed'];
const UNFINISHED = ['Suspended', 'FailureTarget'];

function jobState(object: JsonObject): string {
  const trueConditions = new Set(
    objectsAt(objectAt(object, 'status'), 'conditions')
      .filter((condition) => stringAt(condition, 'status') === 'True')
      .map((condition) => stringAt(condition, 'type')),
  );
  const firstTrue = (types: readonly string[]): string | undefined => types.find((type) => trueConditions.has(type));
  return firstTrue(FINISHED) ?? (isBeingDeleted(object) ? 'Terminating' : (firstTrue(UNFINISHED) ?? 'Running'));
}

function duration(start: string | undefined, end: string | undefined): Cell {
  if (start === undefined) return '';
  if (end === undefined) return ageSince(start);
  const milliseconds = Date.parse(end) - Date.parse(start);
  return Number.isNaN(milliseconds) ? UNKNOWN : formatAge(milliseconds);
}

const MAX_METRICS = 2;

function autoscalerCells(object: JsonObject): Cell[] {
  const spec = objectAt(object, 'spec');
  const status = objectAt(object, 'status');
  const target = objectAt(spec, 'scaleTargetRef');
  const current = arrayAt(status, 'currentMetrics') ?? [];
  const metrics = objectsAt(spec, 'metrics').map((metric, index) => {
    const currentMetric = current[index];
    return metricText(metric, currentMetric !== undefined && isObject(currentMetric) ? currentMetric : {});
  });
  return [
    nameOf(object),
    `${stringAt(target, 'kind') ?? ''}/${stringAt(target, 'name') ?? ''}`,
    joinFirst(metrics, MAX_METRICS, ', ') || NONE,
    scalarText(spec, 'minReplicas') ?? UNSET,
    numberAt(spec, 'maxReplicas'),
    numberAt(status, 'currentReplicas'),
    creationAge(object),
  ];
}

/** The member of each metric type, and how its text is formed. */
const METRICS: Readonly<
  Record<string, { readonly member: string; readonly isNamedByResource: boolean; readonly hasAverageMark: boolean }>
> = {
  ContainerResource: { member: 'containerResource', isNamedByResource: true, hasAverageMark: false },
  External: { member: 'external', isNamedByResource: false, hasAverageMark: true },
  Object: { member: 'object', isNamedByResource: false, hasAverageMark: true },
  Pods: { member: 'pods', isNamedByResource: false, hasAverageMark: false },
  Resource: { member: 'resource', isNamedByResource: true, hasAverageMark: false },
};

/** `cpu: 40%/80%`: current and target. */
function metricText(metric: JsonObject, currentMetric: JsonObject): string {
  const format = own(METRICS, stringAt(metric, 'type') ?? '');
  if (format === undefined) return '<unknown type>';
  const source = objectAt(metric, format.member);
  const target = objectAt(source, 'target');
  const current = objectAt(objectAt(currentMetric, format.member), 'current');
  const head = format.isNamedByResource ? `${stringAt(source, 'name') ?? ''}: ` : '';
  const average = stringAt(target, 'averageValue');
  if (average !== undefined) {
    return `${head}${stringAt(current, 'averageValue') ?? UNKNOWN}/${average}${format.hasAverageMark ? ' (avg)' : ''}`;
  }
  if (!format.isNamedByResource) return `${stringAt(current, 'value') ?? UNKNOWN}/${stringAt(target, 'value') ?? ''}`;
  return `${head}${percentage(current) ?? UNKNOWN}/${percentage(target) ?? '<auto>'}`;
}

function percentage(value: JsonObject | undefined): string | undefined {
  const utilization = scalarText(value, 'averageUtilization');
  return utilization === undefined ? undefined : `${utilization}%`;
}
