/** The strategies of the kinds that have rules of their own, by resource and group as they stand in messages. */
import { apiService } from './apiregistration/api-service';
import { autoscaler } from './autoscaling/autoscaler';
import { certificateSigningRequest } from './certificates/certificate-signing-request';
import { configMap } from './core/config/config-map';
import { controllerRevision } from './apps/controller-revision';
import { cronJob } from './batch/cron-job';
import { customResourceDefinition } from './apiextensions/custom-resource-definition';
import { daemonSet } from './apps/daemon-set';
import { deployment } from './apps/deployment';
import { disruptionBudget } from './policy/disruption-budget';
import { endpointSlice } from './discovery/endpoint-slice';
import { endpoints } from './core/endpoints/endpoints';
import { event } from './core/event/event';
import { ingress } from './networking/ingress';
import { ingressClass } from './networking/ingress-class';
import { job } from './batch/job';
import { lease } from './coordination/lease';
import { limitRange } from './core/limits/limit-range';
import { namespace } from './core/namespace/namespace';
import { networkPolicy } from './networking/network-policy';
import { newerEvent } from './events/event';
import { node } from './core/node/node';
import { persistentVolume } from './core/volume/persistent-volume';
import { persistentVolumeClaim } from './core/claim/persistent-volume-claim';
import { pod } from './core/pod/pod';
import { podTemplate } from './core/workload/pod-template';
import { priorityClass } from './scheduling/priority-class';
import { priorityLevel } from './flowcontrol/priority-level';
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
import { storageClass } from './storage/storage-class';
import type { Strategy } from '../registry/strategy';

export const STRATEGIES: ReadonlyMap<string, Strategy> = new Map<string, Strategy>([
  ['apiservices.apiregistration.platform.io', apiService],
  ['certificatesigningrequests.certificates.platform.io', certificateSigningRequest],
  ['clusterrolebindings.rbac.authorization.platform.io', clusterRoleBinding],
  ['clusterroles.rbac.authorization.platform.io', clusterRole],
  ['configmaps', configMap],
  ['controllerrevisions.apps', controllerRevision],
  ['cronjobs.batch', cronJob],
  ['customresourcedefinitions.apiextensions.platform.io', customResourceDefinition],
  ['daemonsets.apps', daemonSet],
  ['deployments.apps', deployment],
  ['endpoints', endpoints],
  ['endpointslices.discovery.platform.io', endpointSlice],
  ['events', event],
  ['events.events.platform.io', newerEvent],
  ['horizontalpodautoscalers.autoscaling', autoscaler],
  ['ingressclasses.networking.platform.io', ingressClass],
  ['ingresses.networking.platform.io', ingress],
  ['jobs.batch', job],
  ['leases.coordination.platform.io', lease],
  ['limitranges', limitRange],
  ['namespaces', namespace],
  ['networkpolicies.networking.platform.io', networkPolicy],
  ['nodes', node],
  ['persistentvolumeclaims', persistentVolumeClaim],
  ['persistentvolumes', persistentVolume],
  ['poddisruptionbudgets.policy', disruptionBudget],
  ['pods', pod],
  ['podtemplates', podTemplate],
  ['priorityclasses.scheduling.platform.io', priorityClass],
  ['prioritylevelconfigurations.flowcontrol.apiserver.platform.io', priorityLevel],
  ['replicasets.apps', replicaSet],
  ['replicationcontrollers', replicationController],
  ['resourcequotas', resourceQuota],
  ['rolebindings.rbac.authorization.platform.io', roleBinding],
  ['roles.rbac.authorization.platform.io', role],
  ['runtimeclasses.node.platform.io', runtimeClass],
  ['secrets', secret],
  ['serviceaccounts', serviceAccount],
  ['services', service],
  ['statefulsets.apps', statefulSet],
  ['storageclasses.storage.platform.io', storageClass],
]);
