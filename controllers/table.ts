/** All controllers, in the order of the help. The flag `--controllers` selects those that a process runs. */
import { accountTokensController } from './account-tokens/controller';
import { autoscalerController } from './autoscalers/controller';
import { tokenCleanerController } from './bootstrap-token/cleaner';
import { bootstrapSignerController } from './bootstrap-token/signer';
import { certificateApprover } from './certificates/approver';
import { certificateCleaner } from './certificates/cleaner';
import { certificateSigner } from './certificates/signer';
import { clusterRoleAggregationController } from './cluster-role-aggregation/controller';
import { cronJobController } from './cron-jobs/controller';
import { daemonSetController } from './daemon-sets/controller';
import { deploymentController } from './deployments/controller';
import { statefulSetController } from './stateful-sets/controller';
import { disruptionController } from './disruption/controller';
import { ephemeralVolumeController } from './ephemeral-volumes/controller';
import { endpointsController } from './endpoints/controller';
import { endpointSliceMirroringController } from './endpoint-slice-mirroring/controller';
import { endpointSliceController } from './endpoint-slices/controller';
import { garbageCollectorController } from './garbage-collector/controller';
import { jobController } from './jobs/controller';
import { legacyTokenCleanerController } from './legacy-tokens/controller';
import { namespaceController } from './namespace/controller';
import { nodeIpamController } from './node-ipam/controller';
import { nodeLifecycleController } from './node-lifecycle/controller';
import { ttlController } from './node-ttl/controller';
import { replicaSetController, replicationController } from './replica-sets/controller';
import { resourceQuotaController } from './resource-quota/controller';
import { rootCaController } from './root-ca/controller';
import { policyStatusController } from './policy-status/controller';
import { podGarbageController } from './pod-garbage/controller';
import { volumeBinderController } from './persistent-volumes/controller';
import type { Controller } from './runtime/controller';
import { claimProtectionController, volumeProtectionController } from './storage-protection/controller';
import { taintEvictionController } from './taint-eviction/controller';
import { serviceAccountController } from './service-account/controller';
import { serviceLoadBalancerController } from './service-load-balancer/controller';
import { ttlAfterFinishedController } from './ttl-after-finished/controller';

export const CONTROLLERS: readonly Controller[] = [
  namespaceController,
  rootCaController,
  serviceAccountController,
  accountTokensController,
  legacyTokenCleanerController,
  claimProtectionController,
  volumeProtectionController,
  volumeBinderController,
  ephemeralVolumeController,
  clusterRoleAggregationController,
  certificateApprover,
  certificateSigner,
  certificateCleaner,
  disruptionController,
  resourceQuotaController,
  nodeLifecycleController,
  nodeIpamController,
  taintEvictionController,
  ttlController,
  tokenCleanerController,
  bootstrapSignerController,
  endpointSliceController,
  endpointsController,
  endpointSliceMirroringController,
  serviceLoadBalancerController,
  garbageCollectorController,
  ttlAfterFinishedController,
  podGarbageController,
  replicaSetController,
  replicationController,
  deploymentController,
  statefulSetController,
  daemonSetController,
  jobController,
  cronJobController,
  autoscalerController,
  policyStatusController,
];
