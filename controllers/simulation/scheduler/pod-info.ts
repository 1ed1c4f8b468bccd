/**
 * The members of a pod that scheduling decisions read, computed once for each version of the pod: a decision reads them
 * for every pod of every node.
 */
import { compileLabelSelector, type LabelMatcher } from '../../../shared/api/selectors/label-selector';
import { requirementsOfSelector } from '../../../shared/api/selectors/object-selector';
import { parseTimestamp } from '../../../shared/api/metadata/object-meta';
import type { CoreV1PodAffinityTerm, MetaV1LabelSelector } from '../../../shared/api/types/generated/members';
import { keyOf } from '../../../shared/client/rest/api-object';
import type { Pod } from '../../../shared/client/rest/typed-objects';
import { podResourceAmounts } from '../../../shared/quota/pod-amounts';
import { controllerOf, labelsOf } from '../../runtime/pods';

/** Amounts of resources, in billionths. */
export type Amounts = ReadonlyMap<string, bigint>;

/** A port of the node that a container uses. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** A required term of the affinity or anti-affinity between pods. */
export interface AffinityTerm {
  readonly topologyKey: string;
  /** Whether the term selects the pod. `namespaceLabels`: of the pod's namespace. */
  matches(pod: PodInfo, namespaceLabels: Readonly<Record<string, string>>): boolean;
}

/** A parsed pod; immutable. */
export interface PodInfo {
  readonly pod: Pod;
  readonly key: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Higher ones first; 0 without a priority class. */
  readonly priority: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The uid of the controller; '' for none. */
  readonly owner: string;
  readonly requests: Amounts;
  readonly hostPorts: readonly HostPort[];
  /** The required terms; preferred ones are not read. */
  readonly affinity: readonly AffinityTerm[];
  readonly antiAffinity: readonly AffinityTerm[];
}

const ANY_ADDRESS = '0.0.0.0';
const cache = new WeakMap<Pod, PodInfo>();

/** Parses the pod, once for each version. */
export function podInfo(pod: Pod): PodInfo {
  const cached = cache.get(pod);
  if (cached !== undefined) return cached;
  const { affinity, priority } = pod.body.spec ?? {};
  const { podAffinity, podAntiAffinity } = affinity ?? {};
  const info: PodInfo = {
    pod,
    key: keyOf(pod),
    namespace: pod.namespace,
    labels: labelsOf(pod),
    priority: priority ?? 0,
    createdAt: parseTimestamp(pod.metadata.creationTimestamp ?? undefined) ?? 0,
    owner: controllerOf(pod)?.uid ?? '',
    requests: new Map([...podResourceAmounts(pod.body, 'requests')].map(([name, { nanos }]) => [name, nanos])),
    hostPorts: hostPortsOf(pod),
    affinity: (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => affinityTerm(pod, term)),
    antiAffinity: (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => affinityTerm(pod, term)),
  };
  cache.set(pod, info);
  return info;
}

/** Without a selector no pod matches; an empty selector matches all. */
export const podSelector = (selector: MetaV1LabelSelector | undefined): LabelMatcher =>
  selector === undefined ? () => false : compileLabelSelector(requirementsOfSelector(selector));

/** Whether two pods with these ports cannot run on one node. */
export const portsConflict = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === ANY_ADDRESS || b.ip === ANY_ADDRESS);

function affinityTerm(
  owner: Pod,
  { topologyKey = '', labelSelector, namespaces = [], namespaceSelector }: CoreV1PodAffinityTerm,
): AffinityTerm {
  // A term without both members applies to the namespace of its pod.
  const names = new Set(namespaces.length === 0 && namespaceSelector === undefined ? [owner.namespace] : namespaces);
  const matchesPod = podSelector(labelSelector);
  const matchesNamespace = podSelector(namespaceSelector);
  return {
    topologyKey,
    matches: ({ namespace, labels }, namespaceLabels) => matchesPod(labels) && (names.has(namespace) || matchesNamespace(namespaceLabels)),
  };
}

function hostPortsOf({ body }: Pod): readonly HostPort[] {
  const { containers, initContainers = [] } = body.spec ?? {};
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...(containers ?? []), ...sidecars].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, hostIP = '', protocol = 'TCP' }) =>
      hostPort === 0 ? [] : [{ ip: hostIP === '' ? ANY_ADDRESS : hostIP, protocol, port: hostPort }],
    ),
  );
}
