/** Service (behaviour-reference §5.3–5.6): what settles, what goes, what is judged. Addresses and ports are not chosen here. */
import type { FieldError } from '../../../../shared/api/errors/field-error';
import { objectAt, stringAt, type JsonObject } from '../../../../shared/values/json';
import { serviceAllocation } from './allocation';
import { carryAllocated } from './carry';
import { settleFamilies } from './families';
import { dropLeftovers, dropWhatAliasesLack } from './leftovers';
import { validateService, validateServiceChange } from './rules';
import { validateServiceStatus } from './traffic';
import { serviceWarnings } from './warnings';
import { UPDATE } from '../../../registry/stages';
import type { Strategy, StrategyContext } from '../../../registry/strategy';

export const service: Strategy = {
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
  status: { validate: (object) => validateServiceStatus(object) },
  warningsOnCreate: serviceWarnings,
  warningsOnUpdate: serviceWarnings,
};

function settleService(object: JsonObject, old: JsonObject | undefined, context: StrategyContext): readonly FieldError[] {
  if (!context.gates.enabled('ServiceTrafficDistribution')) dropDistribution(object, old);
  if (old !== undefined) carryAllocated(object, old);
  return settleFamilies(object, old, context.serviceFamilies);
}

/** A feature that is off stays where it is used already. */
function dropDistribution(object: JsonObject, old: JsonObject | undefined): void {
  if (stringAt(objectAt(old, 'spec'), 'trafficDistribution') === undefined) delete objectAt(object, 'spec')?.['trafficDistribution'];
}
