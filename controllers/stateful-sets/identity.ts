/**
 * The identity of a StatefulSet's pods, which a pod and its successor share: name, identity labels and claims follow from
 * the ordinal. Builds the pods and claims to create. The functions are pure.
 */
import type {
  CoreV1PersistentVolumeClaim,
  CoreV1Pod,
  CoreV1PodSpec,
  CoreV1PodTemplateSpec,
} from '../../shared/api/types/generated/members';
import { qualifiedNameInDialect, type Dialect } from '../../shared/names/dialect';
import { cloneJson } from '../../shared/values/json';
import { podFromTemplate } from '../workload/pod-control';
import { REVISION_LABEL } from '../workload/controller-revision';
import { labelsOf } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { STATEFUL_SETS, type StatefulSet } from './stateful-set';

/** Labels in upstream's spelling, which stock manifests select. */
const POD_NAME_LABEL = qualifiedNameInDialect('kubernetes', 'statefulset.platform.io/pod-name');
const POD_INDEX_LABEL = qualifiedNameInDialect('kubernetes', 'apps.platform.io/pod-index');

export const podNameOf = (setName: string, ordinal: number): string => `${setName}-${ordinal}`;

/** The name of the set, and the ordinal: `web-0`, but not `web-01`. */
const POD_NAME_PATTERN = /^(.*)-(0|[1-9][0-9]{0,9})$/s;

/** `undefined` when a pod of the StatefulSet cannot have the name. */
export function ordinalOf(setName: string, podName: string): number | undefined {
  const [, parent, ordinal] = POD_NAME_PATTERN.exec(podName) ?? [];
  return parent === setName && ordinal !== undefined ? Number(ordinal) : undefined;
}

/** The name of the pod's revision, '' for a pod without the label. */
export const podRevisionOf = (pod: Pod): string => labelsOf(pod)[REVISION_LABEL] ?? '';

const claimTemplatesOf = ({ body }: StatefulSet): readonly CoreV1PersistentVolumeClaim[] => body.spec?.volumeClaimTemplates ?? [];

const claimName = (template: CoreV1PersistentVolumeClaim, podName: string): string => `${template.metadata?.name ?? ''}-${podName}`;

/** The names of the pod's claims. */
export const claimNames = (set: StatefulSet, podName: string): readonly string[] =>
  claimTemplatesOf(set).map((template) => claimName(template, podName));

/** The bodies of all claims of the pod, whether they exist or not. */
export function newClaims(set: StatefulSet, podName: string): readonly CoreV1PersistentVolumeClaim[] {
  const selectedLabels = set.body.spec?.selector?.matchLabels;
  return claimTemplatesOf(set).map((template) => {
    const { labels, annotations } = template.metadata ?? {};
    return {
      metadata: {
        namespace: set.namespace,
        name: claimName(template, podName),
        labels: { ...labels, ...selectedLabels },
        ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      },
      spec: cloneJson(template.spec ?? {}),
    };
  });
}

/** What a new pod is made from. */
export interface PodOrigin {
  readonly dialect: Dialect;
  readonly set: StatefulSet;
  /** The template of the revision of the pod, which need not be the current revision of the set. */
  readonly template: CoreV1PodTemplateSpec;
  /** The name of the revision. */
  readonly revision: string;
}

/** The body of the pod to create for an ordinal. */
export function newVersionedPod({ dialect, set, template, revision }: PodOrigin, ordinal: number): CoreV1Pod {
  const name = podNameOf(set.name, ordinal);
  const { metadata = {}, spec = {} } = podFromTemplate(template, dialect, STATEFUL_SETS, set);
  const serviceName = set.body.spec?.serviceName ?? '';
  return {
    metadata: { ...metadata, name, labels: { ...metadata.labels, ...identityLabels(name, ordinal), [REVISION_LABEL]: revision } },
    spec: { ...spec, hostname: name, ...(serviceName === '' ? {} : { subdomain: serviceName }), ...volumesFor(set, name, spec) },
  };
}

const identityLabels = (name: string, ordinal: number): Readonly<Record<string, string>> => ({
  [POD_NAME_LABEL]: name,
  [POD_INDEX_LABEL]: String(ordinal),
});

/** All identity labels, for a pod that lacks one, as an adopted pod may; `undefined` when it has them all. */
export function identityLabelsToRestore(pod: Pod, ordinal: number): Readonly<Record<string, string>> | undefined {
  const desired = identityLabels(pod.name, ordinal);
  const labels = labelsOf(pod);
  return Object.entries(desired).every(([key, value]) => labels[key] === value) ? undefined : desired;
}

/** The volumes of the claims replace volumes of the template that have the same names. */
function volumesFor(set: StatefulSet, podName: string, spec: CoreV1PodSpec): Pick<CoreV1PodSpec, 'volumes'> {
  const claimVolumes = claimTemplatesOf(set).map((template) => ({
    name: template.metadata?.name ?? '',
    persistentVolumeClaim: { claimName: claimName(template, podName) },
  }));
  const names = new Set(claimVolumes.map(({ name }) => name));
  const volumes = [...claimVolumes, ...(spec.volumes ?? []).filter(({ name = '' }) => !names.has(name))];
  return volumes.length === 0 ? {} : { volumes };
}
