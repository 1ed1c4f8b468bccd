/**
 * The resource metrics API (`metrics.k8s.io/v1beta1`) over the usage of simulated pods: discovery, PodMetrics and
 * NodeMetrics. Reads informers only; a list is linear in the number of pods. Pods of real nodes have no metrics here.
 */
import { formatTimestamp } from '../../../shared/api/metadata/object-meta';
import { compileLabelSelector, parseLabelSelector, type LabelMatcher } from '../../../shared/api/selectors/label-selector';
import { SelectorError } from '../../../shared/api/selectors/selector-error';
import { badRequest, notFound, routeNotFound, type StatusError } from '../../../shared/api/errors/status';
import type { CoreV1Node, CoreV1Pod } from '../../../shared/api/types/generated/members';
import type { Informer } from '../../../shared/client/informer/informer';
import type { ApiObject } from '../../../shared/client/rest/api-object';
import type { PartialObjectMetadata } from '../../../shared/client/rest/resource';
import type { Pod } from '../../../shared/client/rest/typed-objects';
import type { Clock } from '../../../shared/runtime/clock';
import type { JsonObject, JsonValue } from '../../../shared/values/json';
import { appendToKey } from '../../../shared/values/append';
import { formatQuantity } from '../../../shared/values/quantity';
import type { Node } from '../../runtime/nodes';
import { controllerOf, labelsOf, nodeNameOf } from '../../runtime/pods';
import { isSimulated } from '../nodes/simulated-node';
import { perContainer, podUsage, sumUsage, type PodUsage } from './pod-usage';

/** The group and version of the API; the group is the same in both dialects. */
export const METRICS_GROUP = 'metrics.k8s.io';
export const METRICS_VERSION = 'v1beta1';
const GROUP_VERSION = `${METRICS_GROUP}/${METRICS_VERSION}`;
const ROOT = `/apis/${GROUP_VERSION}`;
/** The window over which a usage is stated to be averaged: the scrape interval in metrics-server's manifests. */
const WINDOW_SECONDS = 15;

/** The observed pods, nodes and owners. */
export interface MetricsSources {
  readonly pods: Informer<CoreV1Pod>;
  readonly nodes: Informer<CoreV1Node>;
  /** Workloads with annotations that give a load to their pods. */
  readonly owners: readonly Informer<PartialObjectMetadata>[];
  readonly clock: Pick<Clock, 'now'>;
}

/** Whether the path belongs to this API. */
export const isMetricsPath = (path: string): boolean => path === ROOT || path.startsWith(`${ROOT}/`);

/** The response to a GET. `path`: one for which {@link isMetricsPath} is true. Throws {@link StatusError}. */
export function respondWithMetrics(sources: MetricsSources, path: string, query: URLSearchParams): JsonObject {
  const segments = path.slice(ROOT.length).split('/').slice(1).map(decodeSegment);
  const matches = selectorOf(query);
  // `nodes`, `nodes/NAME`, `pods`, `namespaces/NAMESPACE/pods` and `namespaces/NAMESPACE/pods/NAME`.
  const [first, second, third, fourth, ...rest] = segments;
  if (first === undefined) return resourceList();
  if (rest.length > 0) throw routeNotFound();
  if (first === 'nodes' && third === undefined) return second === undefined ? nodeList(sources, matches) : nodeMetricsOf(sources, second);
  if (first === 'pods' && second === undefined) return podList(sources, undefined, matches);
  const isPodsPath = first === 'namespaces' && third === 'pods';
  if (!isPodsPath || second === undefined) throw routeNotFound();
  return fourth === undefined ? podList(sources, second, matches) : podMetricsOf(sources, second, fourth);
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest('the path is malformed');
  }
}

function selectorOf(query: URLSearchParams): LabelMatcher {
  try {
    return compileLabelSelector(parseLabelSelector(query.get('labelSelector') ?? ''));
  } catch (error) {
    throw error instanceof SelectorError ? badRequest(error.message) : error;
  }
}

function resourceList(): JsonObject {
  const common = { singularName: '', verbs: ['get', 'list'] };
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: GROUP_VERSION,
    resources: [
      { ...common, name: 'nodes', namespaced: false, kind: 'NodeMetrics' },
      { ...common, name: 'pods', namespaced: true, kind: 'PodMetrics' },
    ],
  };
}

const list = (kind: string, items: JsonValue[]): JsonObject => ({ kind, apiVersion: GROUP_VERSION, metadata: {}, items });

const podList = (sources: MetricsSources, namespace: string | undefined, matches: LabelMatcher): JsonObject =>
  list(
    'PodMetricsList',
    measurePods(sources).flatMap(({ pod, usage }) =>
      (namespace === undefined || pod.namespace === namespace) && matches(labelsOf(pod)) ? [podMetrics(sources, pod, usage)] : [],
    ),
  );

function podMetricsOf(sources: MetricsSources, namespace: string, name: string): JsonObject {
  const measured = measurePods(sources).find(({ pod }) => pod.namespace === namespace && pod.name === name);
  if (measured === undefined) throw metricsNotFound('podmetrics', `${namespace}/${name}`);
  return podMetrics(sources, measured.pod, measured.usage);
}

function nodeList(sources: MetricsSources, matches: LabelMatcher): JsonObject {
  const byNode = new Map<string, MeasuredPod[]>();
  for (const measured of measurePods(sources)) appendToKey(byNode, nodeNameOf(measured.pod), measured);
  const nodes = sources.nodes.list().filter((node) => isSimulated(node) && matches(labelsOf(node)));
  return list(
    'NodeMetricsList',
    nodes.map((node) => nodeMetrics(sources, node, byNode.get(node.name) ?? [])),
  );
}

function nodeMetricsOf(sources: MetricsSources, name: string): JsonObject {
  const node = sources.nodes.get('', name);
  if (node === undefined || !isSimulated(node)) throw metricsNotFound('nodemetrics', name);
  return nodeMetrics(
    sources,
    node,
    measurePods(sources).filter(({ pod }) => nodeNameOf(pod) === name),
  );
}

const metricsNotFound = (resource: string, name: string): StatusError => notFound({ group: METRICS_GROUP, resource }, name);

interface MeasuredPod {
  readonly pod: Pod;
  readonly usage: PodUsage;
}

/** The running pods of simulated nodes with their usage. */
function measurePods({ pods, nodes, owners }: MetricsSources): readonly MeasuredPod[] {
  const running = pods.list().filter((pod) => {
    const node = nodes.get('', nodeNameOf(pod));
    return pod.body.status?.phase === 'Running' && node !== undefined && isSimulated(node);
  });
  // The number of running pods by the uid of their controller.
  const siblings = new Map<string, number>();
  for (const pod of running) {
    const owner = controllerOf(pod)?.uid ?? '';
    siblings.set(owner, (siblings.get(owner) ?? 0) + 1);
  }
  return running.map((pod) => {
    const owner = ownerOf(pod, owners);
    const siblingCount = siblings.get(controllerOf(pod)?.uid ?? '') ?? 1;
    return { pod, usage: podUsage({ pod, ownerAnnotations: owner?.metadata.annotations, siblingCount }) };
  });
}

function ownerOf(pod: Pod, owners: MetricsSources['owners']): ApiObject<PartialObjectMetadata> | undefined {
  const reference = controllerOf(pod);
  if (reference === undefined) return undefined;
  return owners.map((informer) => informer.get(pod.namespace, reference.name)).find((owner) => owner?.uid === reference.uid);
}

const measuredAt = ({ clock }: MetricsSources): JsonObject => ({ timestamp: formatTimestamp(clock.now()), window: `${WINDOW_SECONDS}s` });

function podMetrics(sources: MetricsSources, pod: Pod, { cpu, memory }: PodUsage): JsonObject {
  const { namespace, name, body, metadata } = pod;
  const containers = body.spec?.containers ?? [];
  const cpuParts = perContainer(cpu, containers.length);
  const memoryParts = perContainer(memory, containers.length);
  return {
    kind: 'PodMetrics',
    apiVersion: GROUP_VERSION,
    metadata: {
      name,
      namespace,
      labels: { ...labelsOf(pod) },
      ...(metadata.creationTimestamp === undefined ? {} : { creationTimestamp: metadata.creationTimestamp }),
    },
    ...measuredAt(sources),
    containers: containers.map((container, index) => ({
      name: container.name ?? '',
      usage: { cpu: cpuParts[index] ?? '0', memory: memoryParts[index] ?? '0' },
    })),
  };
}

function nodeMetrics(sources: MetricsSources, node: Node, pods: readonly MeasuredPod[]): JsonObject {
  const used = pods.map(({ usage }) => usage);
  return {
    kind: 'NodeMetrics',
    apiVersion: GROUP_VERSION,
    metadata: { name: node.name, labels: { ...labelsOf(node) } },
    ...measuredAt(sources),
    usage: { cpu: formatQuantity(sumUsage(used, 'cpu')), memory: formatQuantity(sumUsage(used, 'memory')) },
  };
}
