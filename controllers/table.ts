/** All controllers. A controller is a row; whether it runs is the command line's choice. */
import { accountTokensController } from './account-tokens/controller';
import { tokenCleanerController } from './bootstrap-token/cleaner';
import { bootstrapSignerController } from './bootstrap-token/signer';
import { clusterRoleAggregationController } from './cluster-role-aggregation/controller';
import { endpointsController } from './endpoints/controller';
import { endpointSliceMirroringController } from './endpoint-slice-mirroring/controller';
import { endpointSliceController } from './endpoint-slices/controller';
import { namespaceController } from './namespace/controller';
import { rootCaController } from './root-ca/controller';
import type { Controller } from './runtime/controller';
import { claimProtectionController, volumeProtectionController } from './storage-protection/controller';
import { serviceAccountController } from './service-account/controller';

export const CONTROLLERS: readonly Controller[] = [
  namespaceController,
  rootCaController,
  serviceAccountController,
  accountTokensController,
  claimProtectionController,
  volumeProtectionController,
  clusterRoleAggregationController,
  tokenCleanerController,
  bootstrapSignerController,
  endpointSliceController,
  endpointsController,
  endpointSliceMirroringController,
];
