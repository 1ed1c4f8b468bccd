/** What a Service may look like and how it may change, in upstream's order. */
import { forbiddenField, invalidValue, unsupportedValue, requiredValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type { CoreV1Service, CoreV1ServiceSpec } from '../../../../shared/api/types/generated/members';
import { stringAt } from '../../../../shared/values/json';
import { checkDnsSubdomain } from '../../../../shared/values/name-formats';
import { validateLabels } from '../../../../shared/api/metadata/object-meta-rules';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import type { Errors } from '../../rules/checks';
import { checkAddressChanges, checkClusterAddresses, checkExternalAddress } from './addresses';
import { isHeadless } from './families';
import { checkPortList, checkPorts, checkPortSet } from './ports';
import { checkBalancer, checkClass, checkClassChange, checkHealthCheckChange, checkTraffic } from './traffic';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

export function validateService(service: CoreV1Service, old: CoreV1Service | undefined): readonly FieldError[] {
  const errors: Errors = [];
  const { spec = {} } = service;
  checkHints(service, errors);
  checkPortList(spec, errors);
  checkHeadless(spec, errors);
  checkAlias(spec, errors);
  checkAliasName(spec, old?.spec, errors);
  checkPorts(spec, errors);
  if (spec.selector !== undefined) validateLabels(spec.selector, 'spec.selector', errors);
  checkAffinity(spec, errors);
  spec.externalIPs?.forEach((address, index) => checkExternalAddress(address, `spec.externalIPs[${index}]`, errors));
  const { type = '' } = spec;
  if (!TYPES.includes(type)) errors.push(unsupportedValue('spec.type', type, TYPES));
  checkPortSet(spec, errors);
  checkBalancer(service, spec, errors);
  checkClass(spec, errors);
  checkTraffic(spec, errors);
  return errors;
}

export function validateServiceChange({ spec = {} }: CoreV1Service, { spec: before = {} }: CoreV1Service): readonly FieldError[] {
  const errors: Errors = [];
  checkAddressChanges(spec, before, errors);
  checkClassChange(spec, before, errors);
  checkHealthCheckChange(spec, before, errors);
  return errors;
}

function checkHints({ metadata }: CoreV1Service, errors: Errors): void {
  const annotations = metadata?.annotations ?? {};
  const named = (canonical: string): string | undefined =>
    Object.keys(annotations).find((name) => canonicalQualifiedName(name) === canonical);
  const [mode, hints] = [named('service.platform.io/topology-mode'), named('service.platform.io/topology-aware-hints')];
  if (mode === undefined || hints === undefined) return;
  const value = stringAt(annotations, mode) ?? '';
  if (value === stringAt(annotations, hints)) return;
  errors.push(invalidValue(`metadata.annotations[${mode}]`, value, `must match annotations[${hints}] when both are specified`));
}

function checkHeadless(spec: CoreV1ServiceSpec, errors: Errors): void {
  const { type } = spec;
  if (!isHeadless(spec) || (type !== 'LoadBalancer' && type !== 'NodePort')) return;
  errors.push(invalidValue('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`));
}

/** An alias has a name and no addresses; of the addresses of others nothing is left to say here, they were settled before. */
function checkAlias(spec: CoreV1ServiceSpec, errors: Errors): void {
  if (spec.type !== 'ExternalName') return;
  checkClusterAddresses(spec, errors);
  const field = 'spec.externalName';
  const { externalName: given = '' } = spec;
  const name = given.endsWith('.') ? given.slice(0, -1) : given;
  if (name === '') errors.push(requiredValue(field));
  else for (const text of checkDnsSubdomain(name)) errors.push(invalidValue(field, given, text));
}

/** The specification allows `externalName` only for type ExternalName. Upstream's server accepts it for any type, so a stored name may stay, even when the type changes. */
function checkAliasName({ type, externalName = '' }: CoreV1ServiceSpec, before: CoreV1ServiceSpec | undefined, errors: Errors): void {
  if (type === 'ExternalName' || externalName === '' || externalName === before?.externalName) return;
  errors.push(forbiddenField('spec.externalName', "may only be used when `type` is 'ExternalName'"));
}

function checkAffinity({ sessionAffinity: affinity = '', sessionAffinityConfig }: CoreV1ServiceSpec, errors: Errors): void {
  if (affinity === '') errors.push(requiredValue('spec.sessionAffinity'));
  else if (affinity !== 'ClientIP' && affinity !== 'None')
    errors.push(unsupportedValue('spec.sessionAffinity', affinity, ['ClientIP', 'None']));
  const timeout = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (affinity !== 'ClientIP' || timeout === undefined || (timeout >= 1 && timeout <= 86_400)) return;
  errors.push(invalidValue('spec.sessionAffinityConfig.clientIP.timeoutSeconds', timeout, 'must be greater than 0 and less than 86400'));
}
