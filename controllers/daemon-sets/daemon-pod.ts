/**
 * Pods of a DaemonSet: builds the pod for a node, and reads for which node and which revision a pod was created. The
 * functions are pure.
 */
import type { CoreV1Pod } from '../../shared/api/types/generated/members';
import type { Dialect } from '../../shared/names/dialect';
import { compareBytes } from '../../shared/values/json';
import { podFromTemplate } from '../workload/pod-control';
import { templateOf } from '../workload/spec';
import { REVISION_LABEL, type ControllerRevision } from '../workload/controller-revision';
import { labelsOf, nodeNameOf } from '../runtime/pods';
import { creationTimestampOf } from '../../shared/client/rest/api-object';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { DAEMON_SETS, type DaemonSet } from './daemon-set';
import { daemonPodTolerations } from './node-eligibility';

/** Labels pods with the value of the annotation, for clients of `extensions/v1beta1`, as upstream does. */
const GENERATION_LABEL = 'pod-template-generation';
const GENERATION_ANNOTATION = 'deprecated.daemonset.template.generation';
const NODE_NAME_FIELD = 'metadata.name';

/** What a new pod is made from. */
export interface DaemonPodOrigin {
  readonly dialect: Dialect;
  readonly set: DaemonSet;
  /** The hash of the current revision. */
  readonly hash: string;
}

/** The body of the pod to create for a node. Its required node affinity makes the scheduler bind it to that node. */
export function newDaemonPod({ dialect, set, hash }: DaemonPodOrigin, node: string): CoreV1Pod {
  const { metadata = {}, spec = {} } = podFromTemplate(templateOf(set), dialect, DAEMON_SETS, set);
  const generation = set.metadata.annotations?.[GENERATION_ANNOTATION];
  const labels = {
    ...metadata.labels,
    ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }),
    [REVISION_LABEL]: hash,
  };
  const nodeAffinity = {
    ...spec.affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: NODE_NAME_FIELD, operator: 'In', values: [node] }] }],
    },
  };
  return {
    metadata: { ...metadata, labels },
    spec: { ...spec, affinity: { ...spec.affinity, nodeAffinity }, tolerations: daemonPodTolerations(spec, dialect) },
  };
}

/** The node to which the pod is bound, or the one for which it was created. '' when neither is known. */
export function targetNodeOf(pod: Pod): string {
  const nodeName = nodeNameOf(pod);
  if (nodeName !== '') return nodeName;
  const required = pod.body.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const fields = (required?.nodeSelectorTerms ?? []).flatMap(({ matchFields = [] }) => matchFields);
  return fields.find(({ key, operator }) => key === NODE_NAME_FIELD && operator === 'In')?.values?.[0] ?? '';
}

/** The hash in the label of a pod or a revision, '' without the label. */
export const revisionHashOf = (object: Pod | ControllerRevision): string => labelsOf(object)[REVISION_LABEL] ?? '';

/** Pods by the name of their target node; those without one under ''. */
export function podsByNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = targetNodeOf(pod);
    const others = byNode.get(node);
    if (others === undefined) byNode.set(node, [pod]);
    else others.push(pod);
  }
  return byNode;
}

/**
 * Scheduled pods first, then the oldest. The first one is counted in the status, and without `maxSurge` it is the one that
 * stays when others are surplus.
 */
export const sortDaemonPods = (pods: readonly Pod[]): readonly Pod[] =>
  [...pods].sort(
    (a, b) =>
      Number(nodeNameOf(a) === '') - Number(nodeNameOf(b) === '') ||
      compareBytes(creationTimestampOf(a), creationTimestampOf(b)) ||
      compareBytes(a.name, b.name),
  );
