/**
 * The cells of every kind with columns of its own, in the order of its columns (columns.ts). Texts are those of
 * upstream, recorded in test/replay/answers/printers. Cells that depend on the time hold a timestamp until the row is
 * sent.
 */
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { arrayAt, compareBytes, objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';
import {
  creationAge,
  keyCount,
  labelPairs,
  nameOf,
  NONE,
  objectsAt,
  textOr,
  ageSince,
  textsAt,
  UNKNOWN,
  type PrintCells,
} from './table/cell';
import { GOVERNANCE_CELLS } from './cells/governance';
import { SCHEDULING_CELLS } from './cells/scheduling';
import { NETWORKING_CELLS } from './cells/networking';
import { VOLUME_CELLS } from './cells/volumes';
import { WORKLOAD_CELLS } from './cells/workloads';
import type { Cell } from './table/convertor';
import { summarizePod } from './pod-status';

/** By kind, like COLUMNS. */
export const CELLS: Readonly<Record<string, PrintCells>> = {
  ...GOVERNANCE_CELLS,
  ...SCHEDULING_CELLS,
  ...NETWORKING_CELLS,
  ...VOLUME_CELLS,
  ...WORKLOAD_CELLS,
  ComponentStatus: componentCells,
  ConfigMap: (object) => [nameOf(object), keyCount(object, 'data') + keyCount(object, 'binaryData'), creationAge(object)],
  Event: eventCells,
  Lease: (object) => [nameOf(object), stringAt(objectAt(object, 'spec'), 'holderIdentity') ?? '', creationAge(object)],
  Namespace: (object) => [nameOf(object), stringAt(objectAt(object, 'status'), 'phase') ?? '', creationAge(object)],
  Node: nodeCells,
  Pod: podCells,
  Secret: (object) => [nameOf(object), stringAt(object, 'type') ?? '', keyCount(object, 'data'), creationAge(object)],
  Service: serviceCells,
  ServiceAccount: (object) => [nameOf(object), arrayAt(object, 'secrets')?.length ?? 0, creationAge(object)],
};

/** For kinds without columns: the creation time, from which the client computes the age. */
export function defaultCells(object: JsonObject): Cell[] {
  return [nameOf(object), stringAt(objectAt(object, 'metadata'), 'creationTimestamp') ?? null];
}

function componentCells(component: JsonObject): Cell[] {
  const healthy = objectsAt(component, 'conditions').find((condition) => stringAt(condition, 'type') === 'Healthy');
  const state = { True: 'Healthy', False: 'Unhealthy' }[stringAt(healthy, 'status') ?? ''] ?? 'Unknown';
  return [nameOf(component), state, stringAt(healthy, 'message') ?? '', stringAt(healthy, 'error') ?? ''];
}

function podCells(pod: JsonObject): Cell[] {
  const spec = objectAt(pod, 'spec');
  const status = objectAt(pod, 'status');
  const { ready, total, statusText, restarts, lastRestart } = summarizePod(pod);
  return [
    nameOf(pod),
    `${ready}/${total}`,
    statusText,
    restarts === 0 || lastRestart === undefined ? `${restarts}` : ageSince(lastRestart, `${restarts} (`, ' ago)'),
    creationAge(pod),
    textOr(stringAt(objectsAt(status, 'podIPs')[0], 'ip') ?? stringAt(status, 'podIP'), NONE),
    textOr(stringAt(spec, 'nodeName'), NONE),
    textOr(stringAt(status, 'nominatedNodeName'), NONE),
    readinessGates(spec, status),
  ];
}

function readinessGates(spec: JsonObject | undefined, status: JsonObject | undefined): string {
  const gates = objectsAt(spec, 'readinessGates');
  if (gates.length === 0) return NONE;
  const conditions = objectsAt(status, 'conditions').filter((condition) => stringAt(condition, 'status') === 'True');
  const met = new Set(conditions.map((condition) => stringAt(condition, 'type')));
  return `${gates.filter((gate) => met.has(stringAt(gate, 'conditionType'))).length}/${gates.length}`;
}

function serviceCells(service: JsonObject): Cell[] {
  const spec = objectAt(service, 'spec');
  return [
    nameOf(service),
    stringAt(spec, 'type') ?? '',
    textOr(textsAt(spec, 'clusterIPs')[0] ?? stringAt(spec, 'clusterIP'), NONE),
    externalAddresses(service),
    objectsAt(spec, 'ports').map(portText).join(',') || NONE,
    creationAge(service),
    labelPairs(objectAt(spec, 'selector')),
  ];
}

function externalAddresses(service: JsonObject): string {
  const spec = objectAt(service, 'spec');
  const manual = textsAt(spec, 'externalIPs');
  switch (stringAt(spec, 'type')) {
    case 'ExternalName':
      return stringAt(spec, 'externalName') ?? '';
    case 'LoadBalancer': {
      const ingressPoints = objectsAt(objectAt(objectAt(service, 'status'), 'loadBalancer'), 'ingress');
      const addresses = new Set(ingressPoints.map((point) => textOr(stringAt(point, 'ip'), stringAt(point, 'hostname') ?? '')));
      addresses.delete('');
      return [...[...addresses].sort(compareBytes), ...manual].join(',') || '<pending>';
    }
    default:
      return manual.join(',') || NONE;
  }
}

function portText(port: JsonObject): string {
  const nodePort = own(port, 'nodePort');
  const onNode = typeof nodePort === 'number' && nodePort > 0 ? `:${nodePort}` : '';
  const number = own(port, 'port');
  return `${typeof number === 'number' ? number : 0}${onNode}/${stringAt(port, 'protocol') ?? ''}`;
}

function nodeCells(node: JsonObject): Cell[] {
  const status = objectAt(node, 'status');
  const info = objectAt(status, 'nodeInfo');
  return [
    nameOf(node),
    nodeState(node),
    nodeRoles(objectAt(objectAt(node, 'metadata'), 'labels') ?? {}),
    creationAge(node),
    stringAt(info, 'kubeletVersion') ?? '',
    nodeAddress(status, 'InternalIP'),
    nodeAddress(status, 'ExternalIP'),
    textOr(stringAt(info, 'osImage'), UNKNOWN),
    textOr(stringAt(info, 'kernelVersion'), UNKNOWN),
    textOr(stringAt(info, 'containerRuntimeVersion'), UNKNOWN),
  ];
}

function nodeState(node: JsonObject): string {
  const ready = objectsAt(objectAt(node, 'status'), 'conditions').find((condition) => stringAt(condition, 'type') === 'Ready');
  const state = ready === undefined ? 'Unknown' : stringAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  const isUnschedulable = own(objectAt(node, 'spec') ?? {}, 'unschedulable') === true;
  return isUnschedulable ? `${state},SchedulingDisabled` : state;
}

const ROLE_PREFIX = 'node-role.platform.io/';
const ROLE_LABEL = 'platform.io/role';

/** Roles are the suffix of labels `node-role.…/<role>` or the value of the label `…/role`. */
function nodeRoles(labels: JsonObject): string {
  const roles = new Set<string>();
  for (const [label, value] of Object.entries(labels)) {
    const canonical = canonicalQualifiedName(label);
    if (canonical.startsWith(ROLE_PREFIX)) roles.add(canonical.slice(ROLE_PREFIX.length));
    else if (canonical === ROLE_LABEL && typeof value === 'string') roles.add(value);
  }
  roles.delete('');
  return [...roles].sort(compareBytes).join(',') || NONE;
}

function nodeAddress(status: JsonObject | undefined, type: string): string {
  const match = objectsAt(status, 'addresses').find((address) => stringAt(address, 'type') === type);
  return stringAt(match, 'address') ?? NONE;
}

function eventCells(event: JsonObject): Cell[] {
  const involved = objectAt(event, 'involvedObject');
  const series = objectAt(event, 'series');
  const first = stringAt(event, 'firstTimestamp') ?? stringAt(event, 'eventTime');
  const last = stringAt(series, 'lastObservedTime') ?? stringAt(event, 'lastTimestamp') ?? first;
  return [
    ageSince(last),
    stringAt(event, 'type') ?? '',
    stringAt(event, 'reason') ?? '',
    involvedObjectText(stringAt(involved, 'kind') ?? '', stringAt(involved, 'name') ?? ''),
    stringAt(involved, 'fieldPath') ?? '',
    sourceText(event),
    (stringAt(event, 'message') ?? '').trim(),
    ageSince(first),
    occurrences(event, series),
    nameOf(event),
  ];
}

function involvedObjectText(kind: string, objectName: string): string {
  return objectName === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${objectName}`;
}

function occurrences(event: JsonObject, series: JsonObject | undefined): number {
  const count = series === undefined ? own(event, 'count') : own(series, 'count');
  if (typeof count !== 'number') return series === undefined ? 1 : 0;
  return series === undefined && count === 0 ? 1 : count;
}

function sourceText(event: JsonObject): string {
  const source = objectAt(event, 'source');
  const component = stringAt(source, 'component') ?? '';
  const host = stringAt(source, 'host') ?? '';
  if (component !== '' || host !== '') return sourcePair(component, host);
  return sourcePair(stringAt(event, 'reportingComponent') ?? '', stringAt(event, 'reportingInstance') ?? '');
}

function sourcePair(component: string, host: string): string {
  return host === '' ? component : `${component}, ${host}`;
}
