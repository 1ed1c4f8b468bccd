/** Service: what settles, what goes, what is judged. Addresses and ports are not chosen here. */
import type { FieldError } from '../../../../shared/api/errors/field-error';
import type { CoreV1Service } from '../../../../shared/api/types/generated/members';
import { serviceAllocation } from './allocation';
import { carryAllocated } from './carry';
import { settleFamilies } from './families';
import { dropLeftovers, dropWhatAliasesLack } from './leftovers';
import { validateService, validateServiceChange } from './rules';
import { validateServiceStatus } from './traffic';
import { serviceWarnings } from './warnings';
import { UPDATE } from '../../../registry/stages';
import type { Strategy, StrategyContext } from '../../../registry/strategy';

export const service: Strategy<CoreV1Service> = {
  allocation: serviceAllocation,
  prepareForAllocation: settleService,
  prepareForCreate: dropWhatAliasesLack,
  validate: validateService,
  update: {
    stages: UPDATE.changeThenObject,
    prepareForUpdate(object, old) {
      dropLeftovers(object, old);
      dropWhatAliasesLack(object);
    },
    validate: validateServiceChange,
  },
  status: { validate: validateServiceStatus },
  warningsOnCreate: serviceWarnings,
  warningsOnUpdate: serviceWarnings,
};

function settleService(object: CoreV1Service, old: CoreV1Service | undefined, context: StrategyContext): readonly FieldError[] {
  if (!context.gates.isEnabled('ServiceTrafficDistribution')) dropDistribution(object, old);
  if (old !== undefined) carryAllocated(object, old);
  return settleFamilies(object, old, context.serviceFamilies);
}

/** A feature that is off stays where it is used already. */
function dropDistribution(object: CoreV1Service, old: CoreV1Service | undefined): void {
  if (old?.spec?.trafficDistribution === undefined) delete object.spec?.trafficDistribution;
}
