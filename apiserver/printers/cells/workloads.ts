/**
 * Cells of workload controllers, autoscalers and disruption budgets. The cells of an object are in the order of the
 * columns in ../columns/workloads.ts, and are compared with recorded rows.
 */
import type {
  AppsV1ControllerRevision,
  AppsV1DaemonSet,
  AppsV1Deployment,
  AppsV1ReplicaSet,
  AppsV1StatefulSet,
  AutoscalingV2HorizontalPodAutoscaler,
  AutoscalingV2MetricSpec,
  AutoscalingV2MetricStatus,
  BatchV1CronJob,
  BatchV1Job,
  CoreV1PodTemplateSpec,
  CoreV1ReplicationController,
} from '../../../shared/api/types/generated/members';
import { parseApiVersion } from '../../../shared/api/identity/identity';
import { formatAge } from '../table/age';
import {
  creationAge,
  joinFirst,
  isBeingDeleted,
  labelPairs,
  nameOf,
  NONE,
  selectorText,
  ageSince,
  UNKNOWN,
  UNSET,
  type CellTable,
} from '../table/cell';
import type { Cell } from '../table/convertor';

/** By the type in which objects are stored. */
export const WORKLOAD_CELLS = {
  'apps.v1.ControllerRevision': (object) => [nameOf(object), controllerText(object), object.revision ?? 0, creationAge(object)],
  'batch.v1.CronJob': cronJobCells,
  'apps.v1.DaemonSet': daemonSetCells,
  'apps.v1.Deployment': (object) => {
    const { spec = {}, status: { updatedReplicas = 0, availableReplicas = 0 } = {} } = object;
    const counts = [readyReplicas(object), updatedReplicas, availableReplicas];
    return [nameOf(object), ...counts, creationAge(object), ...containerCells(spec.template), selectorText(spec.selector)];
  },
  'autoscaling.v2.HorizontalPodAutoscaler': autoscalerCells,
  'batch.v1.Job': jobCells,
  'policy.v1.PodDisruptionBudget': (object) => {
    const { minAvailable = 'N/A', maxUnavailable = 'N/A' } = object.spec ?? {};
    return [nameOf(object), String(minAvailable), String(maxUnavailable), object.status?.disruptionsAllowed ?? 0, creationAge(object)];
  },
  'core.v1.PodTemplate': (object) => [nameOf(object), ...containerCells(object.template), labelPairs(object.template?.metadata?.labels)],
  'apps.v1.ReplicaSet': (object) => [...replicaCells(object), selectorText(object.spec?.selector)],
  'core.v1.ReplicationController': (object) => [...replicaCells(object), labelPairs(object.spec?.selector)],
  'autoscaling.v1.Scale': (object) => [nameOf(object), object.spec?.replicas ?? 0, object.status?.replicas ?? 0, creationAge(object)],
  'apps.v1.StatefulSet': (object) => [nameOf(object), readyReplicas(object), creationAge(object), ...containerCells(object.spec?.template)],
} satisfies CellTable;

function containerCells(template: CoreV1PodTemplateSpec | undefined): [containers: string, images: string] {
  const containers = template?.spec?.containers ?? [];
  return [containers.map(({ name = '' }) => name).join(','), containers.map(({ image = '' }) => image).join(',')];
}

function readyReplicas({ spec, status }: AppsV1Deployment | AppsV1StatefulSet): string {
  return `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`;
}

function replicaCells(object: AppsV1ReplicaSet | CoreV1ReplicationController): Cell[] {
  const { spec = {}, status = {} } = object;
  const counts = [spec.replicas ?? 0, status.replicas ?? 0, status.readyReplicas ?? 0];
  return [nameOf(object), ...counts, creationAge(object), ...containerCells(spec.template)];
}

function daemonSetCells(object: AppsV1DaemonSet): Cell[] {
  const { spec = {}, status = {} } = object;
  return [
    nameOf(object),
    status.desiredNumberScheduled ?? 0,
    status.currentNumberScheduled ?? 0,
    status.numberReady ?? 0,
    status.updatedNumberScheduled ?? 0,
    status.numberAvailable ?? 0,
    labelPairs(spec.template?.spec?.nodeSelector),
    creationAge(object),
    ...containerCells(spec.template),
    selectorText(spec.selector),
  ];
}

/** The controller that owns the revision, such as `statefulset.apps/web`. */
function controllerText({ metadata }: AppsV1ControllerRevision): string {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return NONE;
  const { apiVersion = '', kind = '', name = '' } = owner;
  const group = parseApiVersion(apiVersion)?.group ?? '';
  return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${name}`;
}

function cronJobCells(object: BatchV1CronJob): Cell[] {
  const { spec = {}, status = {} } = object;
  const { schedule = '', timeZone = NONE, suspend = false, jobTemplate } = spec;
  return [
    nameOf(object),
    schedule,
    timeZone,
    suspend ? 'True' : 'False',
    status.active?.length ?? 0,
    status.lastScheduleTime === undefined ? NONE : ageSince(status.lastScheduleTime),
    creationAge(object),
    ...containerCells(jobTemplate?.spec?.template),
    selectorText(jobTemplate?.spec?.selector),
  ];
}

function jobCells(object: BatchV1Job): Cell[] {
  const { spec = {}, status = {} } = object;
  const { completions, parallelism = 0 } = spec;
  const desired = completions ?? (parallelism > 1 ? `1 of ${parallelism}` : '1');
  return [
    nameOf(object),
    jobState(object),
    `${status.succeeded ?? 0}/${desired}`,
    runTime(status.startTime, status.completionTime),
    creationAge(object),
    ...containerCells(spec.template),
    selectorText(spec.selector),
  ];
}

/** Conditions of a Job that has finished, in order of precedence. */
const FINISHED = ['Complete', 'Failed'];
/** Conditions of a Job that has not finished, in order of precedence. */
const UNFINISHED = ['Suspended', 'FailureTarget'];

function jobState(object: BatchV1Job): string {
  const conditions = object.status?.conditions ?? [];
  const trueConditions = new Set(conditions.filter(({ status }) => status === 'True').map(({ type }) => type));
  const firstTrue = (types: readonly string[]): string | undefined => types.find((type) => trueConditions.has(type));
  const finished = firstTrue(FINISHED);
  if (finished !== undefined) return finished;
  return isBeingDeleted(object) ? 'Terminating' : (firstTrue(UNFINISHED) ?? 'Running');
}

/** The time from start to end, or until now; empty before the start. */
function runTime(start: string | undefined, end: string | undefined): Cell {
  if (start === undefined) return '';
  if (end === undefined) return ageSince(start);
  const milliseconds = Date.parse(end) - Date.parse(start);
  return Number.isNaN(milliseconds) ? UNKNOWN : formatAge(milliseconds);
}

/** Metrics that a cell shows; the others are only counted. */
const MAX_METRICS = 2;

function autoscalerCells(object: AutoscalingV2HorizontalPodAutoscaler): Cell[] {
  const { spec = {}, status = {} } = object;
  const { scaleTargetRef: target = {}, minReplicas, maxReplicas = 0 } = spec;
  const metrics = (spec.metrics ?? []).map((metric, index) => metricText(metric, status.currentMetrics?.[index]));
  return [
    nameOf(object),
    `${target.kind ?? ''}/${target.name ?? ''}`,
    joinFirst(metrics, MAX_METRICS, ', ') || NONE,
    minReplicas === undefined ? UNSET : String(minReplicas),
    maxReplicas,
    status.currentReplicas ?? 0,
    creationAge(object),
  ];
}

/** Where the values of a type of metric stand, and how its text is formed. */
interface MetricFormat {
  readonly member: 'containerResource' | 'external' | 'object' | 'pods' | 'resource';
  /** Whether an average value is followed by ` (avg)`. */
  readonly hasAverageMark: boolean;
  /** The name of the resource, which precedes the values. */
  readonly resourceName?: (metric: AutoscalingV2MetricSpec) => string | undefined;
}

/** By the type of the metric. */
const METRICS: ReadonlyMap<string, MetricFormat> = new Map<string, MetricFormat>([
  [
    'ContainerResource',
    { member: 'containerResource', hasAverageMark: false, resourceName: ({ containerResource }) => containerResource?.name },
  ],
  ['External', { member: 'external', hasAverageMark: true }],
  ['Object', { member: 'object', hasAverageMark: true }],
  ['Pods', { member: 'pods', hasAverageMark: false }],
  ['Resource', { member: 'resource', hasAverageMark: false, resourceName: ({ resource }) => resource?.name }],
]);

/** The current and the target value of a metric, such as `cpu: 40%/80%`. */
function metricText(metric: AutoscalingV2MetricSpec, currentMetric: AutoscalingV2MetricStatus = {}): string {
  const format = METRICS.get(metric.type ?? '');
  if (format === undefined) return '<unknown type>';
  const { member, hasAverageMark, resourceName } = format;
  const { target = {} } = metric[member] ?? {};
  const { current = {} } = currentMetric[member] ?? {};
  const head = resourceName === undefined ? '' : `${resourceName(metric) ?? ''}: `;
  if (target.averageValue !== undefined) {
    return `${head}${current.averageValue ?? UNKNOWN}/${target.averageValue}${hasAverageMark ? ' (avg)' : ''}`;
  }
  if (resourceName === undefined) return `${current.value ?? UNKNOWN}/${target.value ?? ''}`;
  return `${head}${percentage(current) ?? UNKNOWN}/${percentage(target) ?? '<auto>'}`;
}

function percentage({ averageUtilization }: { averageUtilization?: number }): string | undefined {
  return averageUtilization === undefined ? undefined : `${averageUtilization}%`;
}
