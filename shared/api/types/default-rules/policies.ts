/**
 * Default rules of RBAC, network policies, priority levels and device requests, by type: defaults that depend on other
 * fields.
 */
import { annotationAt } from '../../metadata/carried-annotations';
import { objectAt, ownMember, stringAt, type JsonObject } from '../../../values/json';
import { isZero, objectsAt, type DefaultRule } from './rule';

const RBAC = 'rbac.authorization.platform.io';

export const POLICY_RULES: Readonly<Record<string, DefaultRule>> = {
  'flowcontrol.v1beta3.PriorityLevelConfiguration': defaultShares,
  'networking.v1.NetworkPolicySpec': (spec) => {
    const types = spec['policyTypes'];
    if (Array.isArray(types) && types.length > 0) return;
    spec['policyTypes'] = objectsAt(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  },
  'resource.v1alpha3.DeviceRequest': (request) => {
    if (request['allocationMode'] === 'ExactCount' && isZero(request['count'])) request['count'] = 1;
  },
  'rbac.v1.Subject': (subject) => {
    const kind = stringAt(subject, 'kind');
    if ((stringAt(subject, 'apiGroup') ?? '') === '' && (kind === 'User' || kind === 'Group')) subject['apiGroup'] = RBAC;
  },
};

/** Default of `nominalConcurrencyShares` in the API. */
const DEFAULT_SHARES = 30;

/**
 * In v1beta3, zero shares mean the default, unless the annotation `v1beta3-preserve-zero-concurrency-shares` marks the
 * zero as intended.
 */
function defaultShares(object: JsonObject): void {
  const limited = objectAt(objectAt(object, 'spec'), 'limited');
  if (limited === undefined || annotationAt(object, (names) => names.zeroShares) !== undefined) return;
  if ((ownMember(limited, 'nominalConcurrencyShares') ?? 0) === 0) limited['nominalConcurrencyShares'] = DEFAULT_SHARES;
}
