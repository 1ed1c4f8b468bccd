/** All controllers. A controller is a row; whether it runs is the command line's choice. */
import { clusterRoleAggregationController } from './cluster-role-aggregation/controller';
import { disruptionController } from './disruption/controller';
import { endpointsController } from './endpoints/controller';
import { endpointSliceMirroringController } from './endpoint-slice-mirroring/controller';
import { endpointSliceController } from './endpoint-slices/controller';
import { namespaceController } from './namespace/controller';
import { nodeLifecycleController } from './node-lifecycle/controller';
import { ttlController } from './node-ttl/controller';
import { resourceQuotaController } from './resource-quota/controller';
import { rootCaController } from './root-ca/controller';
import type { Controller } from './runtime/controller';
import { claimProtectionController, volumeProtectionController } from './storage-protection/controller';
import { taintEvictionController } from './taint-eviction/controller';
import { serviceAccountController } from './service-account/controller';

export const CONTROLLERS: readonly Controller[] = [
  namespaceController,
  rootCaController,
  serviceAccountController,
  claimProtectionController,
  volumeProtectionController,
  clusterRoleAggregationController,
  disruptionController,
  resourceQuotaController,
  nodeLifecycleController,
  taintEvictionController,
  ttlController,
  endpointSliceController,
  endpointsController,
  endpointSliceMirroringController,
];
