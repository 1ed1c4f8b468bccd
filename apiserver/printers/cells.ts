/**
 * The cells of every kind that has columns of its own (columns.ts), in the order of those columns; texts as upstream prints them (recorded in
 * test/replay/answers/printers). A cell that depends on the time is a hole that is filled when the row is sent.
 */
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { arrayAt, compareBytes, objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';
import { created, keyCount, labelPairs, name, NONE, objects, or, since, texts, UNKNOWN, type Cells } from './table/cell';
import { GOVERNANCE_CELLS } from './cells/governance';
import { MACHINE_CELLS } from './cells/machines';
import { NETWORKING_CELLS } from './cells/networking';
import { VOLUME_CELLS } from './cells/volumes';
import { WORKLOAD_CELLS } from './cells/workloads';
import type { Cell } from './table/printer';
import { summarisePod } from './pod-status';

/** By kind, as COLUMNS. */
export const CELLS: Readonly<Record<string, Cells>> = {
  ...GOVERNANCE_CELLS,
  ...MACHINE_CELLS,
  ...NETWORKING_CELLS,
  ...VOLUME_CELLS,
  ...WORKLOAD_CELLS,
  ComponentStatus: componentCells,
  ConfigMap: (object) => [name(object), keyCount(object, 'data') + keyCount(object, 'binaryData'), created(object)],
  Event: eventCells,
  Lease: (object) => [name(object), stringAt(objectAt(object, 'spec'), 'holderIdentity') ?? '', created(object)],
  Namespace: (object) => [name(object), stringAt(objectAt(object, 'status'), 'phase') ?? '', created(object)],
  Node: nodeCells,
  Pod: podCells,
  Secret: (object) => [name(object), stringAt(object, 'type') ?? '', keyCount(object, 'data'), created(object)],
  Service: serviceCells,
  ServiceAccount: (object) => [name(object), arrayAt(object, 'secrets')?.length ?? 0, created(object)],
};

/** For kinds without cells of their own: the creation time as it is, for the client to make an age of. */
export function defaultCells(object: JsonObject): Cell[] {
  return [name(object), stringAt(objectAt(object, 'metadata'), 'creationTimestamp') ?? null];
}

function componentCells(component: JsonObject): Cell[] {
  const healthy = objects(component, 'conditions').find((condition) => stringAt(condition, 'type') === 'Healthy');
  const state = { True: 'Healthy', False: 'Unhealthy' }[stringAt(healthy, 'status') ?? ''] ?? 'Unknown';
  return [name(component), state, stringAt(healthy, 'message') ?? '', stringAt(healthy, 'error') ?? ''];
}

function podCells(pod: JsonObject): Cell[] {
  const spec = objectAt(pod, 'spec');
  const status = objectAt(pod, 'status');
  const { ready, total, word, restarts, lastRestart } = summarisePod(pod);
  return [
    name(pod),
    `${ready}/${total}`,
    word,
    restarts === 0 || lastRestart === undefined ? `${restarts}` : since(lastRestart, `${restarts} (`, ' ago)'),
    created(pod),
    or(stringAt(objects(status, 'podIPs')[0], 'ip') ?? stringAt(status, 'podIP'), NONE),
    or(stringAt(spec, 'nodeName'), NONE),
    or(stringAt(status, 'nominatedNodeName'), NONE),
    readinessGates(spec, status),
  ];
}

function readinessGates(spec: JsonObject | undefined, status: JsonObject | undefined): string {
  const gates = objects(spec, 'readinessGates');
  if (gates.length === 0) return NONE;
  const conditions = objects(status, 'conditions').filter((condition) => stringAt(condition, 'status') === 'True');
  const met = new Set(conditions.map((condition) => stringAt(condition, 'type')));
  return `${gates.filter((gate) => met.has(stringAt(gate, 'conditionType'))).length}/${gates.length}`;
}

function serviceCells(service: JsonObject): Cell[] {
  const spec = objectAt(service, 'spec');
  return [
    name(service),
    stringAt(spec, 'type') ?? '',
    or(texts(spec, 'clusterIPs')[0] ?? stringAt(spec, 'clusterIP'), NONE),
    externalAddresses(service),
    objects(spec, 'ports').map(portText).join(',') || NONE,
    created(service),
    labelPairs(objectAt(spec, 'selector')),
  ];
}

function externalAddresses(service: JsonObject): string {
  const spec = objectAt(service, 'spec');
  const manual = texts(spec, 'externalIPs');
  switch (stringAt(spec, 'type')) {
    case 'ExternalName':
      return stringAt(spec, 'externalName') ?? '';
    case 'LoadBalancer': {
      const points = objects(objectAt(objectAt(service, 'status'), 'loadBalancer'), 'ingress');
      const given = new Set(points.map((point) => or(stringAt(point, 'ip'), stringAt(point, 'hostname') ?? '')));
      given.delete('');
      return [...[...given].sort(compareBytes), ...manual].join(',') || '<pending>';
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
    name(node),
    nodeState(node),
    nodeRoles(objectAt(objectAt(node, 'metadata'), 'labels') ?? {}),
    created(node),
    stringAt(info, 'kubeletVersion') ?? '',
    nodeAddress(status, 'InternalIP'),
    nodeAddress(status, 'ExternalIP'),
    or(stringAt(info, 'osImage'), UNKNOWN),
    or(stringAt(info, 'kernelVersion'), UNKNOWN),
    or(stringAt(info, 'containerRuntimeVersion'), UNKNOWN),
  ];
}

function nodeState(node: JsonObject): string {
  const ready = objects(objectAt(node, 'status'), 'conditions').find((condition) => stringAt(condition, 'type') === 'Ready');
  const state = ready === undefined ? 'Unknown' : stringAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  const closed = own(objectAt(node, 'spec') ?? {}, 'unschedulable') === true;
  return closed ? `${state},SchedulingDisabled` : state;
}

const ROLE_PREFIX = 'node-role.platform.io/';
const ROLE_LABEL = 'platform.io/role';

/** Roles stand in label names, `node-role.…/<role>`, or in the value of `…/role`. */
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
  const found = objects(status, 'addresses').find((address) => stringAt(address, 'type') === type);
  return stringAt(found, 'address') ?? NONE;
}

function eventCells(event: JsonObject): Cell[] {
  const involved = objectAt(event, 'involvedObject');
  const series = objectAt(event, 'series');
  const first = stringAt(event, 'firstTimestamp') ?? stringAt(event, 'eventTime');
  const last = stringAt(series, 'lastObservedTime') ?? stringAt(event, 'lastTimestamp') ?? first;
  return [
    since(last),
    stringAt(event, 'type') ?? '',
    stringAt(event, 'reason') ?? '',
    objectText(stringAt(involved, 'kind') ?? '', stringAt(involved, 'name') ?? ''),
    stringAt(involved, 'fieldPath') ?? '',
    sourceText(event),
    (stringAt(event, 'message') ?? '').trim(),
    since(first),
    occurrences(event, series),
    name(event),
  ];
}

function objectText(kind: string, objectName: string): string {
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
  if (component !== '' || host !== '') return pair(component, host);
  return pair(stringAt(event, 'reportingComponent') ?? '', stringAt(event, 'reportingInstance') ?? '');
}

function pair(component: string, place: string): string {
  return place === '' ? component : `${component}, ${place}`;
}
