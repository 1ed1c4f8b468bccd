/** Service (behaviour-reference §5.3–5.6): its families and fields. Addresses and ports are not chosen here. */
import type { FieldError } from '../../../shared/api/field-error';
import { equalJson, objectAt, own, stringAt, type JsonObject } from '../../../shared/api/json';
import type { Strategy, StrategyContext } from './strategy';
import { addressWarnings } from './service-addresses';
import { serviceAllocation } from './service-allocation';
import { carryAllocated } from './service-carry';
import { settleFamilies } from './service-families';
import { validateService, validateServiceChange, validateServiceStatus } from './service-rules';

export const service: Strategy = {
  allocation: serviceAllocation,
  settle: settleAddresses,
  prepareForCreate: dropWhatNamesDoNotHave,
  validate: validateService,
  update: {
    state: 'last',
    prepare(object, old) {
      dropWhatTheTypeNoLongerNeeds(object, old);
      dropWhatNamesDoNotHave(object);
    },
    validate: validateServiceChange,
  },
  status: { validate: (object) => validateServiceStatus(object) },
  warnings: (object) => addressWarnings(object),
};

const specOf = (object: JsonObject): JsonObject => objectAt(object, 'spec') ?? {};
const typeOf = (object: JsonObject): string => stringAt(specOf(object), 'type') ?? '';

function settleAddresses(object: JsonObject, old: JsonObject | undefined, context: StrategyContext): readonly FieldError[] {
  if (old !== undefined) carryAllocated(object, old);
  return settleFamilies(object, old, context.serviceFamilies);
}

/** An alias has no traffic of its own to direct. */
function dropWhatNamesDoNotHave(object: JsonObject): void {
  const spec = objectAt(object, 'spec');
  if (spec !== undefined && typeOf(object) === 'ExternalName') delete spec['internalTrafficPolicy'];
}

/** What the old type needed and the new one does not goes, where it was left as it was. */
function dropWhatTheTypeNoLongerNeeds(object: JsonObject, old: JsonObject): void {
  const spec = objectAt(object, 'spec');
  const [type, before] = [typeOf(object), typeOf(old)];
  if (spec === undefined || type === before) return;
  const drop = (member: string): void => {
    if (equalJson(own(spec, member), own(specOf(old), member))) delete spec[member];
  };
  if (type === 'ExternalName') ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].forEach(drop);
  if (before === 'LoadBalancer') {
    ['allocateLoadBalancerNodePorts', 'loadBalancerClass', 'healthCheckNodePort'].forEach(drop);
    object['status'] = { ...objectAt(object, 'status'), loadBalancer: {} };
  }
}
