/**
 * The strategies of the kinds with validation or preparation of their own, by `RESOURCE.GROUP` as in error messages.
 * Kinds without a row have the default strategy.
 */
import { apiService } from './apiregistration/api-service';
import { horizontalPodAutoscaler } from './autoscaling/autoscaler';
import { certificateSigningRequest } from './certificates/certificate-signing-request';
import { configMap } from './core/config/config-map';
import { controllerRevision } from './apps/controller-revision';
import { cronJob } from './batch/cron-job';
import { customResourceDefinition } from './apiextensions/custom-resource-definition';
import { daemonSet } from './apps/daemon-set';
import { deployment } from './apps/deployment';
import { podDisruptionBudget } from './policy/disruption-budget';
import { endpointSlice } from './discovery/endpoint-slice';
import { endpoints } from './core/endpoints/endpoints';
import { coreEvent } from './core/event/event';
import { ingress } from './networking/ingress';
import { ingressClass } from './networking/ingress-class';
import { job } from './batch/job';
import { lease } from './coordination/lease';
import { limitRange } from './core/limits/limit-range';
import { validatingAdmissionPolicy } from './admissionregistration/admission-policy';
import { validatingAdmissionPolicyBinding } from './admissionregistration/policy-binding';
import { mutatingWebhookConfiguration, validatingWebhookConfiguration } from './admissionregistration/webhook-configuration';
import { namespace } from './core/namespace/namespace';
import { networkPolicy } from './networking/network-policy';
import { eventsV1Event } from './events/events-v1-event';
import { node } from './core/node/node';
import { persistentVolume } from './core/volume/persistent-volume';
import { persistentVolumeClaim } from './core/claim/persistent-volume-claim';
import { pod } from './core/pod/pod';
import { podTemplate } from './core/workload/pod-template';
import { priorityClass } from './scheduling/priority-class';
import { flowSchema } from './flowcontrol/flow-schema';
import { priorityLevelConfiguration } from './flowcontrol/priority-level';
import { replicaSet } from './apps/replica-set';
import { replicationController } from './core/workload/replication-controller';
import { resourceQuota } from './core/limits/resource-quota';
import { clusterRole, role } from './rbac/role';
import { clusterRoleBinding, roleBinding } from './rbac/role-binding';
import { runtimeClass } from './node/runtime-class';
import { secret } from './core/config/secret';
import { service } from './core/service/service';
import { serviceAccount } from './core/config/service-account';
import { statefulSet } from './apps/stateful-set';
import { csiStorageCapacity } from './storage/csi-storage-capacity';
import { csiDriver } from './storage/csi-driver';
import { csiNode } from './storage/csi-node';
import { storageClass } from './storage/storage-class';
import { volumeAttachment } from './storage/volume-attachment';
import type { ObjectTypes } from '../../shared/api/types/generated/members';
import type { JsonObject } from '../../shared/values/json';
import type { Strategy } from '../registry/strategy';

/** A kind and its strategy. */
export interface StrategyRow {
  /** `RESOURCE.GROUP` as in error messages: `deployments.apps`, `pods`. */
  readonly resource: string;
  /** Type of the stored object in the generated type tables. */
  readonly type: keyof ObjectTypes;
  readonly strategy: Strategy;
}

/**
 * True for identical types only. Assignability is too weak: every member may be absent, so one type often accepts
 * another.
 */
type IsSame<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;

type NameOf<O> = { [T in keyof ObjectTypes]: IsSame<ObjectTypes[T], O> extends true ? T : never }[keyof ObjectTypes];

/** Pairs a resource with a strategy of its own type; any other pair does not compile. */
const row = <O extends JsonObject>(resource: string, type: NameOf<O>, strategy: Strategy<O>): StrategyRow => ({ resource, type, strategy });

/** registry/resources.test.ts compares the types with those of the kinds. */
export const STRATEGY_ROWS: readonly StrategyRow[] = [
  row('apiservices.apiregistration.platform.io', 'apiregistration.v1.APIService', apiService),
  row('certificatesigningrequests.certificates.platform.io', 'certificates.v1.CertificateSigningRequest', certificateSigningRequest),
  row('clusterrolebindings.rbac.authorization.platform.io', 'rbac.v1.ClusterRoleBinding', clusterRoleBinding),
  row('clusterroles.rbac.authorization.platform.io', 'rbac.v1.ClusterRole', clusterRole),
  row('configmaps', 'core.v1.ConfigMap', configMap),
  row('controllerrevisions.apps', 'apps.v1.ControllerRevision', controllerRevision),
  row('cronjobs.batch', 'batch.v1.CronJob', cronJob),
  row('csidrivers.storage.platform.io', 'storage.v1.CSIDriver', csiDriver),
  row('csinodes.storage.platform.io', 'storage.v1.CSINode', csiNode),
  row('csistoragecapacities.storage.platform.io', 'storage.v1.CSIStorageCapacity', csiStorageCapacity),
  row('customresourcedefinitions.apiextensions.platform.io', 'apiextensions.v1.CustomResourceDefinition', customResourceDefinition),
  row('daemonsets.apps', 'apps.v1.DaemonSet', daemonSet),
  row('deployments.apps', 'apps.v1.Deployment', deployment),
  row('endpoints', 'core.v1.Endpoints', endpoints),
  row('endpointslices.discovery.platform.io', 'discovery.v1.EndpointSlice', endpointSlice),
  row('events', 'core.v1.Event', coreEvent),
  row('events.events.platform.io', 'core.v1.Event', eventsV1Event),
  row('flowschemas.flowcontrol.apiserver.platform.io', 'flowcontrol.v1.FlowSchema', flowSchema),
  row('horizontalpodautoscalers.autoscaling', 'autoscaling.v2.HorizontalPodAutoscaler', horizontalPodAutoscaler),
  row('ingressclasses.networking.platform.io', 'networking.v1.IngressClass', ingressClass),
  row('ingresses.networking.platform.io', 'networking.v1.Ingress', ingress),
  row('jobs.batch', 'batch.v1.Job', job),
  row('leases.coordination.platform.io', 'coordination.v1.Lease', lease),
  row('limitranges', 'core.v1.LimitRange', limitRange),
  row(
    'mutatingwebhookconfigurations.admissionregistration.platform.io',
    'admissionregistration.v1.MutatingWebhookConfiguration',
    mutatingWebhookConfiguration,
  ),
  row('namespaces', 'core.v1.Namespace', namespace),
  row('networkpolicies.networking.platform.io', 'networking.v1.NetworkPolicy', networkPolicy),
  row('nodes', 'core.v1.Node', node),
  row('persistentvolumeclaims', 'core.v1.PersistentVolumeClaim', persistentVolumeClaim),
  row('persistentvolumes', 'core.v1.PersistentVolume', persistentVolume),
  row('poddisruptionbudgets.policy', 'policy.v1.PodDisruptionBudget', podDisruptionBudget),
  row('pods', 'core.v1.Pod', pod),
  row('podtemplates', 'core.v1.PodTemplate', podTemplate),
  row('priorityclasses.scheduling.platform.io', 'scheduling.v1.PriorityClass', priorityClass),
  row(
    'prioritylevelconfigurations.flowcontrol.apiserver.platform.io',
    'flowcontrol.v1.PriorityLevelConfiguration',
    priorityLevelConfiguration,
  ),
  row('replicasets.apps', 'apps.v1.ReplicaSet', replicaSet),
  row('replicationcontrollers', 'core.v1.ReplicationController', replicationController),
  row('resourcequotas', 'core.v1.ResourceQuota', resourceQuota),
  row('rolebindings.rbac.authorization.platform.io', 'rbac.v1.RoleBinding', roleBinding),
  row('roles.rbac.authorization.platform.io', 'rbac.v1.Role', role),
  row('runtimeclasses.node.platform.io', 'node.v1.RuntimeClass', runtimeClass),
  row('secrets', 'core.v1.Secret', secret),
  row('serviceaccounts', 'core.v1.ServiceAccount', serviceAccount),
  row('services', 'core.v1.Service', service),
  row('statefulsets.apps', 'apps.v1.StatefulSet', statefulSet),
  row('storageclasses.storage.platform.io', 'storage.v1.StorageClass', storageClass),
  row(
    'validatingadmissionpolicies.admissionregistration.platform.io',
    'admissionregistration.v1.ValidatingAdmissionPolicy',
    validatingAdmissionPolicy,
  ),
  row(
    'validatingadmissionpolicybindings.admissionregistration.platform.io',
    'admissionregistration.v1.ValidatingAdmissionPolicyBinding',
    validatingAdmissionPolicyBinding,
  ),
  row(
    'validatingwebhookconfigurations.admissionregistration.platform.io',
    'admissionregistration.v1.ValidatingWebhookConfiguration',
    validatingWebhookConfiguration,
  ),
  row('volumeattachments.storage.platform.io', 'storage.v1.VolumeAttachment', volumeAttachment),
];

/** By {@link StrategyRow.resource}. */
export const STRATEGIES: ReadonlyMap<string, Strategy> = new Map(STRATEGY_ROWS.map(({ resource, strategy }) => [resource, strategy]));
