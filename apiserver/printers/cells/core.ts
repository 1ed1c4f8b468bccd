/**
 * Cells of the kinds of the core group that belong to no other file: pods, nodes, namespaces, Events, configuration and
 * service accounts. The cells of an object are in the order of the columns in ../columns/core.ts, and are compared with
 * recorded rows.
 */
import type {
  CoreV1ComponentStatus,
  CoreV1Event,
  CoreV1Node,
  CoreV1NodeStatus,
  CoreV1Pod,
  CoreV1PodSpec,
  CoreV1PodStatus,
} from '../../../shared/api/types/generated/members';
import { canonicalQualifiedName } from '../../../shared/names/dialect';
import { compareBytes } from '../../../shared/values/json';
import { ageSince, creationAge, nameOf, NONE, textOr, UNKNOWN, type CellTable } from '../table/cell';
import type { Cell } from '../table/convertor';
import { summarizePod } from './pod-status';

/** By the type in which objects are stored. */
export const CORE_CELLS = {
  'core.v1.ComponentStatus': componentCells,
  'core.v1.ConfigMap': (object) => [nameOf(object), keyCount(object.data) + keyCount(object.binaryData), creationAge(object)],
  'core.v1.Event': eventCells,
  'core.v1.Namespace': (object) => [nameOf(object), object.status?.phase ?? '', creationAge(object)],
  'core.v1.Node': nodeCells,
  'core.v1.Pod': podCells,
  'core.v1.Secret': (object) => [nameOf(object), object.type ?? '', keyCount(object.data), creationAge(object)],
  'core.v1.ServiceAccount': (object) => [nameOf(object), object.secrets?.length ?? 0, creationAge(object)],
} satisfies CellTable;

const keyCount = (data: object = {}): number => Object.keys(data).length;

function componentCells(component: CoreV1ComponentStatus): Cell[] {
  const { status, message = '', error = '' } = component.conditions?.find(({ type }) => type === 'Healthy') ?? {};
  return [nameOf(component), healthText(status), message, error];
}

function healthText(conditionStatus: string | undefined): string {
  if (conditionStatus === 'True') return 'Healthy';
  return conditionStatus === 'False' ? 'Unhealthy' : 'Unknown';
}

function podCells(pod: CoreV1Pod): Cell[] {
  const { spec = {}, status = {} } = pod;
  const { ready, total, statusText, restarts, lastRestart } = summarizePod(pod);
  return [
    nameOf(pod),
    `${ready}/${total}`,
    statusText,
    // `3 (5m ago)`
    restarts === 0 || lastRestart === undefined ? `${restarts}` : ageSince(lastRestart, `${restarts} (`, ' ago)'),
    creationAge(pod),
    textOr(status.podIPs?.[0]?.ip ?? status.podIP, NONE),
    textOr(spec.nodeName, NONE),
    textOr(status.nominatedNodeName, NONE),
    readinessGates(spec, status),
  ];
}

function readinessGates({ readinessGates: gates = [] }: CoreV1PodSpec, { conditions = [] }: CoreV1PodStatus): string {
  if (gates.length === 0) return NONE;
  const metConditions = new Set(conditions.filter(({ status }) => status === 'True').map(({ type }) => type));
  const metGates = gates.filter(({ conditionType }) => metConditions.has(conditionType));
  return `${metGates.length}/${gates.length}`;
}

function nodeCells(node: CoreV1Node): Cell[] {
  const { metadata, status = {} } = node;
  const info = status.nodeInfo ?? {};
  return [
    nameOf(node),
    nodeState(node),
    nodeRoles(metadata?.labels ?? {}),
    creationAge(node),
    info.kubeletVersion ?? '',
    nodeAddress(status, 'InternalIP'),
    nodeAddress(status, 'ExternalIP'),
    textOr(info.osImage, UNKNOWN),
    textOr(info.kernelVersion, UNKNOWN),
    textOr(info.containerRuntimeVersion, UNKNOWN),
  ];
}

function nodeState({ spec, status }: CoreV1Node): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const state = ready === undefined ? 'Unknown' : readyText(ready.status);
  return spec?.unschedulable === true ? `${state},SchedulingDisabled` : state;
}

function readyText(conditionStatus: string | undefined): string {
  return conditionStatus === 'True' ? 'Ready' : 'NotReady';
}

const ROLE_PREFIX = 'node-role.platform.io/';
const ROLE_LABEL = 'platform.io/role';

/** The roles of a node. A label states one in its name (`node-role.platform.io/ROLE`) or its value (`platform.io/role`). */
function nodeRoles(labels: Readonly<Record<string, string>>): string {
  const roles = new Set<string>();
  for (const [label, value] of Object.entries(labels)) {
    const canonical = canonicalQualifiedName(label);
    if (canonical.startsWith(ROLE_PREFIX)) roles.add(canonical.slice(ROLE_PREFIX.length));
    else if (canonical === ROLE_LABEL) roles.add(value);
  }
  roles.delete('');
  return [...roles].sort(compareBytes).join(',') || NONE;
}

function nodeAddress({ addresses = [] }: CoreV1NodeStatus, wanted: string): string {
  return addresses.find(({ type }) => type === wanted)?.address ?? NONE;
}

function eventCells(event: CoreV1Event): Cell[] {
  const { involvedObject = {}, series } = event;
  const first = event.firstTimestamp ?? event.eventTime;
  const last = series?.lastObservedTime ?? event.lastTimestamp ?? first;
  return [
    ageSince(last),
    event.type ?? '',
    event.reason ?? '',
    involvedObjectText(involvedObject.kind ?? '', involvedObject.name ?? ''),
    involvedObject.fieldPath ?? '',
    sourceText(event),
    event.message?.trim() ?? '',
    ageSince(first),
    occurrences(event),
    nameOf(event),
  ];
}

function involvedObjectText(kind: string, objectName: string): string {
  return objectName === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${objectName}`;
}

/** The count of the series, else that of the event. An event without a series has occurred at least once. */
function occurrences({ series, count = 1 }: CoreV1Event): number {
  return series === undefined ? count || 1 : (series.count ?? 0);
}

function sourceText({ source: { component = '', host = '' } = {}, reportingComponent = '', reportingInstance = '' }: CoreV1Event): string {
  return component !== '' || host !== '' ? sourcePair(component, host) : sourcePair(reportingComponent, reportingInstance);
}

function sourcePair(component: string, host: string): string {
  return host === '' ? component : `${component}, ${host}`;
}
