/**
 * Service (behaviour-reference §5.3, §5.4): plain fields. Addresses and node ports are kept as they are sent; nothing is allocated here.
 */
import { objectAt, own, stringAt, type JsonObject } from '../../../shared/api/json';
import type { Strategy } from './strategy';
import { addressWarnings } from './service-addresses';
import { validateService, validateServiceChange, validateServiceStatus } from './service-rules';

export const service: Strategy = {
  prepareForCreate: dropWhatNamesDoNotHave,
  validate: validateService,
  update: {
    state: 'last',
    prepare(object, old) {
      keepAddresses(object, old);
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

/** An alias has no traffic of its own to direct. */
function dropWhatNamesDoNotHave(object: JsonObject): void {
  const spec = objectAt(object, 'spec');
  if (spec !== undefined && typeOf(object) === 'ExternalName') delete spec['internalTrafficPolicy'];
}

/** An update that is silent about addresses keeps them; families and policy too. */
function keepAddresses(object: JsonObject, old: JsonObject): void {
  if (typeOf(object) === 'ExternalName' || typeOf(old) === 'ExternalName') return;
  const spec = objectAt(object, 'spec');
  if (spec === undefined) return;
  const before = specOf(old);
  const silent = own(spec, 'clusterIP') === undefined && own(spec, 'clusterIPs') === undefined;
  if (silent) carry(spec, before, ['clusterIP', 'clusterIPs']);
  else if (own(spec, 'clusterIPs') === undefined && own(spec, 'clusterIP') !== undefined)
    spec['clusterIPs'] = [own(spec, 'clusterIP') ?? ''];
  carry(spec, before, ['ipFamilies', 'ipFamilyPolicy']);
}

function carry(spec: JsonObject, before: JsonObject, members: readonly string[]): void {
  for (const member of members) {
    const value = own(before, member);
    if (own(spec, member) === undefined && value !== undefined) spec[member] = value;
  }
}

/** What the old type needed and the new one does not goes, where it was left as it was. */
function dropWhatTheTypeNoLongerNeeds(object: JsonObject, old: JsonObject): void {
  const spec = objectAt(object, 'spec');
  const [type, before] = [typeOf(object), typeOf(old)];
  if (spec === undefined || type === before) return;
  const drop = (member: string): void => {
    if (JSON.stringify(own(spec, member)) === JSON.stringify(own(specOf(old), member))) delete spec[member];
  };
  if (type === 'ExternalName') ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].forEach(drop);
  if (before === 'LoadBalancer') {
    ['allocateLoadBalancerNodePorts', 'loadBalancerClass', 'healthCheckNodePort'].forEach(drop);
    object['status'] = { ...objectAt(object, 'status'), loadBalancer: {} };
  }
}
