/**
 * Which IP families a Service has, and with them how many addresses: works out `ipFamilyPolicy`, `ipFamilies` and the
 * shape of `clusterIP`/`clusterIPs` from the request, the old Service and the families that the cluster gives addresses of. Never chooses an
 * address, and never looks at anything but the two objects.
 */
import { invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type { IpFamily } from '../../../../shared/values/ip-address';
import { equalJson, type JsonObject, objectAt, own, stringAt, stringsAt } from '../../../../shared/values/json';
import { ipFamily } from '../../rules/addresses';
import { clusterAddressErrors, HEADLESS } from './addresses';

const NONE: readonly FieldError[] = [];

/**
 * Settles the members of `service` in place. When it returns errors, they are all that the client is told. Afterwards a Service with
 * virtual addresses has one family for each address it is to have, of which `clusterIPs` holds those that are given already, in the same order.
 * `configured`: the families of the cluster's ranges, the first being the default.
 */
export function settleFamilies(service: JsonObject, old: JsonObject | undefined, configured: readonly IpFamily[]): readonly FieldError[] {
  const spec = objectAt(service, 'spec');
  if (spec === undefined) return NONE;
  const before = old === undefined ? undefined : (objectAt(old, 'spec') ?? {});
  agreeOnAddresses(spec, before);
  if (stringAt(spec, 'type') === 'ExternalName') return NONE;
  if (before !== undefined && keepsItsStacks(spec, before)) return NONE;
  const policy = policyOf(spec, before);
  spec['ipFamilyPolicy'] = policy;
  const malformed = clusterAddressErrors(spec);
  if (malformed.length > 0) return malformed;
  if (before !== undefined && policy === 'SingleStack') releaseSecond(spec, before);
  const errors = [...(before === undefined ? NONE : shrinkErrors(spec, before, policy)), ...countErrors(spec, policy)];
  const families = [...stringsAt(spec, 'ipFamilies')];
  inferFamilies(spec, families, configured, errors);
  if (errors.length > 0) return errors;
  if (isHeadless(spec) && !hasSelector(spec)) {
    // Whoever keeps the endpoints may use a family that the cluster has no addresses of.
    complete(families, policy, [configured[0] ?? 'IPv4', configured[0] === 'IPv6' ? 'IPv4' : 'IPv6']);
  } else {
    const refused = configurationErrors(families, policy, configured);
    if (refused.length > 0) return refused;
    complete(families, policy, configured);
  }
  spec['ipFamilies'] = families;
  return NONE;
}

export function isHeadless(spec: JsonObject): boolean {
  return stringsAt(spec, 'clusterIPs')[0] === HEADLESS || stringAt(spec, 'clusterIP') === HEADLESS;
}

const hasSelector = (spec: JsonObject): boolean => Object.keys(objectAt(spec, 'selector') ?? {}).length > 0;

/** `clusterIP` and `clusterIPs` say the same in two ways: where only one of them was set or changed, the other follows. */
function agreeOnAddresses(spec: JsonObject, before: JsonObject | undefined): void {
  const [first, list] = [stringAt(spec, 'clusterIP') ?? '', stringsAt(spec, 'clusterIPs')];
  if (list.length === 0 && first !== '') spec['clusterIPs'] = [first];
  if (list.length === 0 || before === undefined) return;
  const oldFirst = stringAt(before, 'clusterIP') ?? '';
  if (first === oldFirst || !equalJson([...list], [...stringsAt(before, 'clusterIPs')])) return;
  if (first === '') delete spec['clusterIPs'];
  else spec['clusterIPs'] = [first];
}

/** A Service that takes as many families as it can get keeps those it has, even when the cluster has got more or fewer since. */
function keepsItsStacks(spec: JsonObject, before: JsonObject): boolean {
  return (
    stringAt(before, 'type') !== 'ExternalName' &&
    [spec, before].every((state) => stringAt(state, 'ipFamilyPolicy') === 'PreferDualStack') &&
    ['type', 'clusterIPs', 'ipFamilies'].every((member) => equalJson(own(spec, member), own(before, member)))
  );
}

function policyOf(spec: JsonObject, before: JsonObject | undefined): string {
  const given = stringAt(spec, 'ipFamilyPolicy') ?? stringAt(before, 'ipFamilyPolicy');
  if (given !== undefined) return given;
  return isHeadless(spec) && !hasSelector(spec) ? 'RequireDualStack' : 'SingleStack';
}

/** What a client left as it was when it asked for one family loses its second entry. */
function releaseSecond(spec: JsonObject, before: JsonObject): void {
  for (const member of ['clusterIPs', 'ipFamilies']) {
    const list = own(spec, member);
    if (Array.isArray(list) && list.length > 1 && equalJson(list, own(before, member))) spec[member] = list.slice(0, 1);
  }
}

const PAIRS = [
  { member: 'clusterIPs', one: 'cluster IP', many: 'cluster IPs' },
  { member: 'ipFamilies', one: 'IP family', many: 'IP families' },
] as const;

function shrinkErrors(spec: JsonObject, before: JsonObject, policy: string): readonly FieldError[] {
  if (policy === 'SingleStack') return NONE;
  return PAIRS.filter(({ member }) => stringsAt(before, member).length === 2 && stringsAt(spec, member).length === 1).map(({ one }) =>
    invalidValue('spec.ipFamilyPolicy', policy, `must be 'SingleStack' to release the secondary ${one}`),
  );
}

function countErrors(spec: JsonObject, policy: string): readonly FieldError[] {
  if (policy !== 'SingleStack') return NONE;
  return PAIRS.filter(({ member }) => stringsAt(spec, member).length === 2).map(({ many }) => {
    const text = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${many} are specified`;
    return invalidValue('spec.ipFamilyPolicy', policy, text);
  });
}

/** Addresses without a family name theirs. */
function inferFamilies(spec: JsonObject, families: string[], configured: readonly IpFamily[], errors: FieldError[]): void {
  const addresses = stringsAt(spec, 'clusterIPs');
  if (addresses[0] === HEADLESS) return;
  for (const [index, address] of addresses.entries()) {
    if (index < families.length) continue;
    const family: IpFamily = ipFamily(address) === 6 ? 'IPv6' : 'IPv4';
    if (configured.includes(family)) families.push(family);
    else errors.push(invalidValue(`spec.clusterIPs[${index}]`, addresses, `${family} is not configured on this cluster`));
  }
}

function configurationErrors(families: readonly string[], policy: string, configured: readonly string[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (policy === 'RequireDualStack' && configured.length < 2)
    errors.push(invalidValue('spec.ipFamilyPolicy', policy, 'this cluster is not configured for dual-stack services'));
  families.forEach((family, index) => {
    if (!configured.includes(family)) errors.push(invalidValue(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster'));
  });
  return errors;
}

/** The first family that is available where none was asked for, and the other one where the policy wants it. */
function complete(families: string[], policy: string, available: readonly IpFamily[]): void {
  if (families.length === 0 && available[0] !== undefined) families.push(available[0]);
  if (policy === 'SingleStack' || families.length !== 1) return;
  const other = available.find((family) => family !== families[0]);
  if (other !== undefined) families.push(other);
}
