/**
 * Node objects of the simulation: their initial form and the status that a kubelet would report. Pure. Its
 * label, conditions and `nodeInfo` state that a node is simulated.
 */
import { formatTimestamp, parseTimestamp } from '../../../shared/api/metadata/object-meta';
import type { CoreV1Node, CoreV1NodeCondition, CoreV1NodeStatus } from '../../../shared/api/types/generated/members';
import { qualifiedNameInDialect, RELEASE, type Dialect } from '../../../shared/names/dialect';
import { hasSimulatedNodeLabel, SIMULATED_NODE_LABEL, simulationAnnotation } from '../../../shared/names/simulation';
import { conditionOf, conditionsOf, transitionTime, withCondition } from '../../runtime/conditions';
import type { Node } from '../../runtime/nodes';

export interface NodeTemplate {
  readonly dialect: Dialect;
  readonly capacity: Readonly<Record<string, string>>;
  readonly zones: readonly string[];
}

/** Where the API server reaches the server of the simulation in place of a kubelet; undefined: nowhere. */
export interface KubeletEndpoint {
  readonly host: string;
  readonly port: number;
}

export interface NodeStatusInput {
  readonly node: Node;
  readonly now: number;
  readonly internalIp: string | undefined;
  readonly endpoint: KubeletEndpoint | undefined;
  /** For a node without a capacity. */
  readonly capacity: Readonly<Record<string, string>>;
}

const NAME_PREFIX = 'simulated-';
/** Times of heartbeats in the status are renewed so often; the Lease is renewed more often. */
const STATUS_PERIOD_MS = 300_000;
const REASONS: Readonly<Record<string, readonly [status: string, reason: string, message: string]>> = {
  MemoryPressure: ['False', 'KubeletHasSufficientMemory', 'simulated kubelet has sufficient memory available'],
  DiskPressure: ['False', 'KubeletHasNoDiskPressure', 'simulated kubelet has no disk pressure'],
  PIDPressure: ['False', 'KubeletHasSufficientPID', 'simulated kubelet has sufficient PID available'],
  Ready: ['True', 'KubeletReady', 'simulated kubelet is posting ready status'],
};

export const nodeNames = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `${NAME_PREFIX}${index + 1}`);

/** Whether the name is one of those that the simulation gives to its own nodes. */
export const isGeneratedNodeName = (name: string): boolean => /^simulated-[1-9]\d{0,5}$/.test(name);

export const isSimulated = ({ metadata }: Node): boolean => hasSimulatedNodeLabel(metadata.labels);

/** Whether an annotation stops the kubelet of the node: no Lease, no status, no change of a pod. */
export const isStopped = ({ metadata }: Node): boolean => simulationAnnotation(metadata.annotations, 'heartbeat') === 'stopped';

/** `index`: of the node, from 0. Zones are assigned in turn. */
export function newSimulatedNode(name: string, index: number, { dialect, zones }: NodeTemplate): CoreV1Node {
  const zone = zones[index % Math.max(1, zones.length)];
  const labels: Readonly<Record<string, string>> = {
    [SIMULATED_NODE_LABEL.name]: SIMULATED_NODE_LABEL.value,
    'platform.io/hostname': name,
    'platform.io/os': 'linux',
    'platform.io/arch': 'amd64',
    ...(zone === undefined ? {} : { 'topology.platform.io/zone': zone }),
  };
  const spelled = Object.entries(labels).map(([key, value]) => [qualifiedNameInDialect(dialect, key), value] as const);
  return { metadata: { name, labels: Object.fromEntries(spelled) } };
}

/** The status that the kubelet of the node reports now; undefined when the present one is recent and the same. */
export function nextNodeStatus(input: NodeStatusInput): CoreV1NodeStatus | undefined {
  const { node, now, internalIp, endpoint } = input;
  const current = node.body.status ?? {};
  const capacity = hasMembers(current.capacity) ? current.capacity : { ...input.capacity };
  const addresses = [
    ...(internalIp === undefined ? [] : [{ type: 'InternalIP', address: internalIp }]),
    { type: 'Hostname', address: endpoint?.host ?? node.name },
  ];
  const status: CoreV1NodeStatus = {
    ...current,
    capacity,
    allocatable: hasMembers(current.allocatable) ? current.allocatable : capacity,
    addresses,
    ...(endpoint === undefined ? {} : { daemonEndpoints: { kubeletEndpoint: { Port: endpoint.port } } }),
    nodeInfo: nodeInfo(node.uid),
  };
  const isCurrent = hasCurrentConditions(node, now) && JSON.stringify(addresses) === JSON.stringify(current.addresses);
  const hasEndpoint = current.daemonEndpoints?.kubeletEndpoint?.Port === endpoint?.port;
  if (isCurrent && hasEndpoint && hasMembers(current.allocatable)) return undefined;
  return { ...status, conditions: nodeConditions(node, formatTimestamp(now)) };
}

const hasMembers = (amounts: Record<string, string> | undefined): amounts is Record<string, string> =>
  amounts !== undefined && Object.keys(amounts).length > 0;

function hasCurrentConditions({ body }: Node, now: number): boolean {
  return Object.entries(REASONS).every(([type, [status]]) => {
    const condition = conditionOf(body, type);
    const heartbeat = parseTimestamp(condition?.lastHeartbeatTime ?? undefined) ?? 0;
    return condition?.status === status && heartbeat + STATUS_PERIOD_MS > now;
  });
}

function nodeConditions({ body }: Node, now: string): CoreV1NodeCondition[] {
  const current = conditionsOf(body);
  return Object.entries(REASONS).reduce<CoreV1NodeCondition[]>(
    (conditions, [type, [status, reason, message]]) => {
      const lastTransitionTime = transitionTime(current, type, status, now);
      return withCondition(conditions, { type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime });
    },
    [...current],
  );
}

function nodeInfo(uid: string): NonNullable<CoreV1NodeStatus['nodeInfo']> {
  const version = `${RELEASE.gitVersion.split(/[-+]/, 1)[0] ?? ''}+simulated`;
  return {
    machineID: uid,
    systemUUID: uid,
    bootID: uid,
    kernelVersion: 'simulated',
    osImage: 'Simulated node',
    containerRuntimeVersion: 'simulation://1.0.0',
    kubeletVersion: version,
    kubeProxyVersion: version,
    operatingSystem: 'linux',
    architecture: 'amd64',
  };
}
