/**
 * Node objects of the simulation: their initial form, and the status that a kubelet would report. The functions are
 * pure. Label, conditions and `nodeInfo` of a node state that it is simulated. Writing nodes and renewing their Leases
 * is left to node-heartbeats.ts.
 */
import { formatTimestamp, parseTimestamp } from '../../../shared/api/metadata/object-meta';
import type { CoreV1Node, CoreV1NodeAddress, CoreV1NodeCondition, CoreV1NodeStatus } from '../../../shared/api/types/generated/members';
import { qualifiedNameInDialect, RELEASE, type Dialect } from '../../../shared/names/dialect';
import { hasSimulatedNodeLabel, SIMULATED_NODE_LABEL, simulationAnnotation } from '../../../shared/names/simulation';
import { equalJson } from '../../../shared/values/json';
import { conditionOf, conditionsOf, transitionTime, withCondition } from '../../runtime/conditions';
import type { Node } from '../../runtime/nodes';

/** What the new nodes have in common. */
export interface NodeTemplate {
  readonly dialect: Dialect;
  readonly capacity: Readonly<Record<string, string>>;
  /** Empty for nodes without a zone label. */
  readonly zones: readonly string[];
}

/** The address at which the simulation serves the kubelet API of all its nodes. */
export interface KubeletEndpoint {
  readonly host: string;
  readonly port: number;
}

/** A node, and what its kubelet would know. */
export interface NodeStatusInput {
  readonly node: Node;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** `undefined` when the node has no address. */
  readonly internalIp: string | undefined;
  /** `undefined` when the simulation serves no kubelet API. */
  readonly endpoint: KubeletEndpoint | undefined;
  /** The capacity of a node that has none in its status. */
  readonly capacity: Readonly<Record<string, string>>;
}

const NAME_PREFIX = 'simulated-';
/** `simulated-12`. */
const GENERATED_NAME = /^simulated-[1-9]\d{0,5}$/;
/** Ends the release in `v1.31.1+build` and in `v1.31.1-rc.0`. */
const BUILD_SEPARATOR = /[-+]/;
/** The age at which heartbeat times in the status are renewed, as upstream's kubelet does. The Lease is renewed more often. */
const STATUS_PERIOD_MS = 300_000;
/** The conditions that a healthy kubelet reports, by type. */
const CONDITIONS: Readonly<Record<string, readonly [status: string, reason: string, message: string]>> = {
  MemoryPressure: ['False', 'KubeletHasSufficientMemory', 'simulated kubelet has sufficient memory available'],
  DiskPressure: ['False', 'KubeletHasNoDiskPressure', 'simulated kubelet has no disk pressure'],
  PIDPressure: ['False', 'KubeletHasSufficientPID', 'simulated kubelet has sufficient PID available'],
  Ready: ['True', 'KubeletReady', 'simulated kubelet is posting ready status'],
};

/** The names of the first `count` generated nodes. */
export const nodeNames = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `${NAME_PREFIX}${index + 1}`);

/** Whether the name is one of those that the simulation gives to its own nodes. */
export const isGeneratedNodeName = (name: string): boolean => GENERATED_NAME.test(name);

/** Whether the simulation acts as the kubelet of the node, by its label. */
export const isSimulated = ({ metadata }: Node): boolean => hasSimulatedNodeLabel(metadata.labels);

/** Whether an annotation stops the simulated kubelet of the node, which then writes no Lease, no status and no pod. */
export const isStopped = ({ metadata }: Node): boolean => simulationAnnotation(metadata.annotations, 'heartbeat') === 'stopped';

/** The body of a node to create. `index`: the position of the node, from 0, by which zones are assigned round-robin. */
export function newSimulatedNode(name: string, index: number, { dialect, zones }: NodeTemplate): CoreV1Node {
  const zone = zones[index % Math.max(1, zones.length)];
  const labels: Readonly<Record<string, string>> = {
    [SIMULATED_NODE_LABEL.name]: SIMULATED_NODE_LABEL.value,
    'platform.io/hostname': name,
    'platform.io/os': 'linux',
    'platform.io/arch': 'amd64',
    ...(zone === undefined ? {} : { 'topology.platform.io/zone': zone }),
  };
  const labelsInDialect = Object.entries(labels).map(([key, value]) => [qualifiedNameInDialect(dialect, key), value] as const);
  return { metadata: { name, labels: Object.fromEntries(labelsInDialect) } };
}

/**
 * The status that the kubelet of the node reports now; `undefined` when the present one is complete, has the same
 * addresses and port, and has recent heartbeats. Capacity and allocatable of the present status are kept.
 */
export function nextNodeStatus(input: NodeStatusInput): CoreV1NodeStatus | undefined {
  const { node, now, endpoint } = input;
  const current = node.body.status ?? {};
  const addresses = nodeAddresses(input);
  const isUpToDate =
    hasMembers(current.allocatable) &&
    hasCurrentConditions(node, now) &&
    equalJson(addresses, current.addresses ?? []) &&
    current.daemonEndpoints?.kubeletEndpoint?.Port === endpoint?.port;
  if (isUpToDate) return undefined;
  const capacity = hasMembers(current.capacity) ? current.capacity : { ...input.capacity };
  return {
    ...current,
    capacity,
    allocatable: hasMembers(current.allocatable) ? current.allocatable : capacity,
    addresses,
    ...(endpoint === undefined ? {} : { daemonEndpoints: { kubeletEndpoint: { Port: endpoint.port } } }),
    nodeInfo: nodeInfo(node.uid),
    conditions: nodeConditions(node, formatTimestamp(now)),
  };
}

const nodeAddresses = ({ node, internalIp, endpoint }: NodeStatusInput): CoreV1NodeAddress[] => [
  ...(internalIp === undefined ? [] : [{ type: 'InternalIP', address: internalIp }]),
  { type: 'Hostname', address: endpoint?.host ?? node.name },
];

const hasMembers = (quantities: Record<string, string> | undefined): quantities is Record<string, string> =>
  quantities !== undefined && Object.keys(quantities).length > 0;

/** Whether all conditions are those of a healthy kubelet, with recent heartbeats. */
function hasCurrentConditions({ body }: Node, now: number): boolean {
  return Object.entries(CONDITIONS).every(([type, [status]]) => {
    const condition = conditionOf(body, type);
    const heartbeat = parseTimestamp(condition?.lastHeartbeatTime ?? undefined) ?? 0;
    return condition?.status === status && heartbeat + STATUS_PERIOD_MS > now;
  });
}

/** The conditions of the node, with those of the kubelet replaced; others are kept. */
function nodeConditions({ body }: Node, now: string): CoreV1NodeCondition[] {
  const current = conditionsOf(body);
  return Object.entries(CONDITIONS).reduce<CoreV1NodeCondition[]>(
    (conditions, [type, [status, reason, message]]) => {
      const lastTransitionTime = transitionTime(current, type, status, now);
      return withCondition(conditions, { type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime });
    },
    [...current],
  );
}

function nodeInfo(uid: string): NonNullable<CoreV1NodeStatus['nodeInfo']> {
  const version = `${RELEASE.gitVersion.split(BUILD_SEPARATOR, 1)[0] ?? ''}+simulated`;
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
