/** Finds the pod template in workload objects. The kinds are those of upstream's plug-in; custom kinds have no template here. */
import type {
  AppsV1DaemonSet,
  AppsV1Deployment,
  AppsV1ReplicaSet,
  AppsV1StatefulSet,
  BatchV1CronJob,
  BatchV1Job,
  CoreV1PodTemplate,
  CoreV1PodTemplateSpec,
  CoreV1ReplicationController,
} from '../../../../shared/api/types/generated/members';
import type { JsonObject } from '../../../../shared/values/json';

type FindTemplate = (object: JsonObject) => CoreV1PodTemplateSpec | undefined;

/** By `RESOURCE.GROUP`, where the core group is empty. */
const TEMPLATE_FINDERS: ReadonlyMap<string, FindTemplate> = new Map<string, FindTemplate>([
  ['podtemplates.', ({ template }: CoreV1PodTemplate) => template],
  ['replicationcontrollers.', ({ spec }: CoreV1ReplicationController) => spec?.template],
  ['daemonsets.apps', ({ spec }: AppsV1DaemonSet) => spec?.template],
  ['deployments.apps', ({ spec }: AppsV1Deployment) => spec?.template],
  ['replicasets.apps', ({ spec }: AppsV1ReplicaSet) => spec?.template],
  ['statefulsets.apps', ({ spec }: AppsV1StatefulSet) => spec?.template],
  ['jobs.batch', ({ spec }: BatchV1Job) => spec?.template],
  ['cronjobs.batch', ({ spec }: BatchV1CronJob) => spec?.jobTemplate?.spec?.template],
]);

type ResourceNames = Readonly<Record<'group' | 'resource', string>>;

/** Whether objects of the resource contain a pod template. */
export const hasPodTemplate = ({ resource, group }: ResourceNames): boolean => TEMPLATE_FINDERS.has(`${resource}.${group}`);

/** `undefined` when the resource has no template, or the object lacks it. */
export function podTemplateOf({ resource, group }: ResourceNames, object: JsonObject): CoreV1PodTemplateSpec | undefined {
  return TEMPLATE_FINDERS.get(`${resource}.${group}`)?.(object);
}
