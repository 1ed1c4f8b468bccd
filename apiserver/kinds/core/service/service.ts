/**
 * Service strategy: dropped and carried over fields, IP families, allocation and warnings; the rules are in the files
 * of this folder. Cluster IPs and node ports are allocated by allocation.ts and committed with the Service.
 */
import type { FieldError } from '../../../../shared/api/errors/field-error';
import type { CoreV1Service } from '../../../../shared/api/types/generated/members';
import { serviceAllocation } from './allocation';
import { patchAllocatedValues } from './patch-allocated-values';
import { initIpFamilyFields } from './ip-families';
import { dropTypeDependentFields, dropExternalNameFields } from './drop-type-dependent-fields';
import { validateService, validateServiceUpdate } from './validate-service';
import { setConditionTimes, validateServiceStatus } from './service-status';
import { serviceWarnings } from './warnings';
import { UPDATE } from '../../../registry/stages';
import type { Strategy, StrategyContext } from '../../../registry/strategy';

export const service: Strategy<CoreV1Service> = {
  allocation: serviceAllocation,
  prepareForAllocation: initServiceFields,
  prepareForCreate: dropExternalNameFields,
  validate: validateService,
  update: {
    stages: UPDATE.changeThenObject,
    prepareForUpdate(object, old) {
      dropTypeDependentFields(object, old);
      dropExternalNameFields(object);
    },
    validate: validateServiceUpdate,
  },
  status: {
    prepareForUpdate: (object, old, { now }) => setConditionTimes(object, old, now),
    validate: validateServiceStatus,
  },
  warningsOnCreate: serviceWarnings,
  warningsOnUpdate: serviceWarnings,
};

/** Runs before allocation. Returned errors are the whole response. */
function initServiceFields(object: CoreV1Service, old: CoreV1Service | undefined, context: StrategyContext): readonly FieldError[] {
  if (!context.gates.isEnabled('ServiceTrafficDistribution')) dropDisabledTrafficDistribution(object, old);
  if (old !== undefined) patchAllocatedValues(object, old);
  return initIpFamilyFields(object, old, context.serviceFamilies);
}

/** Drops the field of a disabled feature unless the stored object uses it. */
function dropDisabledTrafficDistribution(object: CoreV1Service, old: CoreV1Service | undefined): void {
  if (old?.spec?.trafficDistribution === undefined) delete object.spec?.trafficDistribution;
}
