/**
 * Describes the difference between two states of a node, a pod or an EndpointSlice. Pods with the workload's label are
 * named after the label instead of their generated name, so that the changes of two clusters can be compared. Changes
 * that no scenario is about, such as heartbeats, images and addresses, are left out. The functions are pure.
 */
import type { DiscoveryV1Endpoint, DiscoveryV1EndpointSlice } from '../../../shared/api/types/generated/members';
import { isBeingDeleted, type ApiObject } from '../../../shared/client/rest/api-object';
import type { Pod } from '../../../shared/client/rest/typed-objects';
import { conditionsOf, conditionStatus } from '../../../controllers/runtime/conditions';
import { taintsOf, type Node } from '../../../controllers/runtime/nodes';
import { labelsOf, nodeNameOf } from '../../../controllers/runtime/pods';

export interface Change {
  /** Such as `node node-b`, `pod web on node-b` or `endpoint web on node-b`. */
  readonly subject: string;
  /** Such as `Ready Unknown`, `deletion requested` or `not ready`. */
  readonly change: string;
}

export type EndpointSlice = ApiObject<DiscoveryV1EndpointSlice>;

/** The label of a workload's pods: changes name them by its value, and pods without it by their own name. */
export const WORKLOAD_LABEL = 'app';
const SERVICE_LABEL = 'kubernetes.io/service-name';
const NOT_READY = 'not ready';
const FINAL_PHASES: ReadonlySet<string> = new Set(['Failed', 'Succeeded']);

/** The changes of conditions and taints. `undefined` for a node that does not exist. */
export function nodeChanges(previous: Node | undefined, current: Node | undefined): readonly Change[] {
  const subject = `node ${(current ?? previous)?.name ?? ''}`;
  if (current === undefined) return [{ subject, change: 'removed' }];
  if (previous === undefined) return [{ subject, change: 'created' }];
  const before = new Set(taintTexts(previous));
  const after = new Set(taintTexts(current));
  return [
    // A condition that was removed is no change: nodes keep theirs.
    ...conditionsOf(current.body)
      .filter(({ type = '', status }) => status !== conditionStatus(previous.body, type))
      .map(({ type = '', status = '' }) => `${type} ${status}`),
    ...[...after].filter((taint) => !before.has(taint)).map((taint) => `taint ${taint}`),
    ...[...before].filter((taint) => !after.has(taint)).map((taint) => `no taint ${taint}`),
  ].map((change) => ({ subject, change }));
}

const taintTexts = (node: Node): readonly string[] => taintsOf(node).map(({ key, effect }) => `${key}:${effect}`);

/** The changes of a pod that scenarios are about. `undefined` for a pod that does not exist. */
export function podChanges(previous: Pod | undefined, current: Pod | undefined): readonly Change[] {
  const pod = current ?? previous;
  if (pod === undefined) return [];
  const subject = subjectOf('pod', labelsOf(pod)[WORKLOAD_LABEL] ?? pod.name, nodeNameOf(pod));
  if (current === undefined) return [{ subject, change: 'removed' }];
  const changes: string[] = previous === undefined ? ['created'] : [];
  if (nodeNameOf(current) !== '' && (previous === undefined || nodeNameOf(previous) === '')) changes.push('bound');
  const ready = readyStatus(current);
  if (ready !== readyStatus(previous)) changes.push(`Ready ${ready}`);
  if (isDisruptionTarget(current) && !isDisruptionTarget(previous)) changes.push('DisruptionTarget True');
  if (isBeingDeleted(current) && (previous === undefined || !isBeingDeleted(previous))) changes.push('deletion requested');
  const phase = current.body.status?.phase ?? '';
  if (FINAL_PHASES.has(phase) && previous?.body.status?.phase !== phase) changes.push(`phase ${phase}`);
  if (restartsOf(current) > restartsOf(previous)) changes.push('container restarted');
  return changes.map((change) => ({ subject, change }));
}

const subjectOf = (kind: string, name: string, node: string): string => `${kind} ${name}${node === '' ? '' : ` on ${node}`}`;

/** A pod without the condition is not ready. */
const readyStatus = (pod: Pod | undefined): string =>
  pod !== undefined && conditionStatus(pod.body, 'Ready') === 'True' ? 'True' : 'False';

const isDisruptionTarget = (pod: Pod | undefined): boolean => pod !== undefined && conditionStatus(pod.body, 'DisruptionTarget') === 'True';

/** The restarts of all containers. */
export const restartsOf = (pod: Pod | undefined): number =>
  (pod?.body.status?.containerStatuses ?? []).reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);

/** The changed states of endpoints. `undefined` for a slice that does not exist. */
export function sliceChanges(previous: EndpointSlice | undefined, current: EndpointSlice | undefined): readonly Change[] {
  const slice = current ?? previous;
  const service = slice === undefined ? '' : (labelsOf(slice)[SERVICE_LABEL] ?? '');
  const before = endpointsByPod(previous);
  const after = endpointsByPod(current);
  const changes: Change[] = [];
  for (const [pod, endpoint] of after) {
    const state = endpointState(endpoint);
    const previousEndpoint = before.get(pod);
    // Whether the endpoint of a starting pod is ready when it is added depends on the batching of updates.
    const previousState = previousEndpoint === undefined ? NOT_READY : endpointState(previousEndpoint);
    if (previousState !== state) changes.push({ subject: endpointSubject(service, endpoint), change: state });
  }
  for (const [pod, endpoint] of before)
    if (!after.has(pod)) changes.push({ subject: endpointSubject(service, endpoint), change: 'removed' });
  return changes;
}

const endpointSubject = (service: string, { nodeName = '' }: DiscoveryV1Endpoint): string => subjectOf('endpoint', service, nodeName);

/** By the uid of the pod. */
function endpointsByPod(slice: EndpointSlice | undefined): ReadonlyMap<string, DiscoveryV1Endpoint> {
  return new Map((slice?.body.endpoints ?? []).map((endpoint) => [endpoint.targetRef?.uid ?? '', endpoint]));
}

/** How the timeline names the state of an endpoint. A terminating one is `serving` while its pod is still ready. */
export function endpointState({ conditions }: DiscoveryV1Endpoint): string {
  if (conditions?.terminating === true) return conditions.serving === true ? 'terminating, serving' : 'terminating';
  return conditions?.ready === false ? NOT_READY : 'ready';
}
