/** The strategies of the kinds that have rules of their own, by resource and group as they stand in messages. */
import { apiService } from './api-service';
import { autoscaler } from './autoscaler';
import { certificateSigningRequest } from './certificate-signing-request';
import { configMap } from './configmap';
import { controllerRevision } from './controller-revision';
import { cronJob } from './cron-job';
import { customResourceDefinition } from './custom-resource-definition';
import { daemonSet } from './daemonset';
import { deployment } from './deployment';
import { disruptionBudget } from './disruption-budget';
import { endpointSlice } from './endpoint-slice';
import { endpoints } from './endpoints';
import { event } from './event';
import { ingress } from './ingress';
import { ingressClass } from './ingress-class';
import { job } from './job';
import { lease } from './lease';
import { limitRange } from './limit-range';
import { namespace } from './namespace';
import { networkPolicy } from './network-policy';
import { newerEvent } from './newer-event';
import { node } from './node';
import { persistentVolume } from './persistent-volume';
import { persistentVolumeClaim } from './persistent-volume-claim';
import { pod } from './pod';
import { podTemplate } from './pod-template-object';
import { priorityClass } from './priority-class';
import { priorityLevel } from './priority-level';
import { replicaSet } from './replica-set';
import { replicationController } from './replication-controller';
import { resourceQuota } from './resource-quota';
import { clusterRole, role } from './role';
import { clusterRoleBinding, roleBinding } from './role-binding';
import { runtimeClass } from './runtime-class';
import { secret } from './secret';
import { service } from './service';
import { serviceAccount } from './service-account';
import { statefulSet } from './stateful-set';
import { storageClass } from './storage-class';
import type { Strategy } from './strategy';

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
