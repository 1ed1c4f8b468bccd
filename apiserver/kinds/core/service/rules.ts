/** What a Service may look like and how it may change, in upstream's order. */
import { invalidValue, notSupported, required, type FieldError } from '../../../../shared/api/errors/field-error';
import { type JsonObject, objectAt, own, stringAt, stringsAt } from '../../../../shared/values/json';
import { dnsSubdomain } from '../../../../shared/values/name-formats';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { validateLabels } from '../../../../shared/api/metadata/object-meta-rules';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { clusterAddressChanges, clusterAddressErrors, externalAddressErrors } from './addresses';
import { isHeadless } from './families';
import { portErrors, portListErrors, portSetErrors } from './ports';
import { balancerErrors, classChangeErrors, classErrors, healthCheckChangeErrors, trafficErrors } from './traffic';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

export function validateService(service: JsonObject): readonly FieldError[] {
  const spec = objectAt(service, 'spec') ?? {};
  return [
    ...hintErrors(service),
    ...portListErrors(spec),
    ...headlessErrors(spec),
    ...aliasErrors(spec),
    ...portErrors(spec),
    ...selectorErrors(spec),
    ...affinityErrors(spec),
    ...stringsAt(spec, 'externalIPs').flatMap((address, index) => externalAddressErrors(address, `spec.externalIPs[${index}]`)),
    ...typeErrors(spec),
    ...portSetErrors(spec),
    ...balancerErrors(service, spec),
    ...classErrors(spec),
    ...trafficErrors(spec),
  ];
}

export function validateServiceChange(service: JsonObject, old: JsonObject): readonly FieldError[] {
  const [spec, before] = [objectAt(service, 'spec') ?? {}, objectAt(old, 'spec') ?? {}];
  return [...clusterAddressChanges(spec, before), ...classChangeErrors(spec, before), ...healthCheckChangeErrors(spec, before)];
}

function hintErrors(service: JsonObject): readonly FieldError[] {
  const annotations = objectAt(readMetadata(service), 'annotations') ?? {};
  const named = (canonical: string): string | undefined =>
    Object.keys(annotations).find((name) => canonicalQualifiedName(name) === canonical);
  const [mode, hints] = [named('service.platform.io/topology-mode'), named('service.platform.io/topology-aware-hints')];
  if (mode === undefined || hints === undefined) return [];
  const value = stringAt(annotations, mode) ?? '';
  if (value === stringAt(annotations, hints)) return [];
  return [invalidValue(`metadata.annotations[${mode}]`, value, `must match annotations[${hints}] when both are specified`)];
}

function headlessErrors(spec: JsonObject): readonly FieldError[] {
  const type = stringAt(spec, 'type');
  if (!isHeadless(spec) || (type !== 'LoadBalancer' && type !== 'NodePort')) return [];
  return [invalidValue('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`)];
}

/** An alias has a name and no addresses; of the addresses of others nothing is left to say here, they were settled before. */
function aliasErrors(spec: JsonObject): readonly FieldError[] {
  if (stringAt(spec, 'type') !== 'ExternalName') return [];
  const field = 'spec.externalName';
  const given = stringAt(spec, 'externalName') ?? '';
  const name = given.endsWith('.') ? given.slice(0, -1) : given;
  const ofName = name === '' ? [required(field)] : dnsSubdomain(name).map((text) => invalidValue(field, given, text));
  return [...clusterAddressErrors(spec), ...ofName];
}

function selectorErrors(spec: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const selector = objectAt(spec, 'selector');
  if (selector !== undefined) validateLabels(selector, 'spec.selector', errors);
  return errors;
}

function affinityErrors(spec: JsonObject): readonly FieldError[] {
  const affinity = stringAt(spec, 'sessionAffinity') ?? '';
  if (affinity === '') return [required('spec.sessionAffinity')];
  if (affinity !== 'ClientIP' && affinity !== 'None') return [notSupported('spec.sessionAffinity', affinity, ['ClientIP', 'None'])];
  if (affinity === 'None') return [];
  const timeout = own(objectAt(objectAt(spec, 'sessionAffinityConfig'), 'clientIP') ?? {}, 'timeoutSeconds');
  if (typeof timeout !== 'number' || (timeout >= 1 && timeout <= 86_400)) return [];
  return [invalidValue('spec.sessionAffinityConfig.clientIP.timeoutSeconds', timeout, 'must be greater than 0 and less than 86400')];
}

function typeErrors(spec: JsonObject): readonly FieldError[] {
  const type = stringAt(spec, 'type') ?? '';
  return TYPES.includes(type) ? [] : [notSupported('spec.type', type, TYPES)];
}
