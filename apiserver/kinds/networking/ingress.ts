/**
 * Ingress strategy: spec, status, and the legacy class annotation. Values that older releases accepted may stay in
 * updates of an object that has them. Routing is left to Ingress controllers.
 */
import { invalidShownValue, invalidValue, unsupportedValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import { type JsonObject, stringAt } from '../../../shared/values/json';
import { checkDns1035Label, checkDnsSubdomain, checkPortName, checkWildcardSubdomain } from '../../../shared/values/name-formats';
import { canonicalQualifiedName } from '../../../shared/names/dialect';
import { checkIp, ipFamily } from '../rules/addresses';
import { checkFormat, checkIfPresent, checkIfNotEmpty, checkRequired, type Errors } from '../rules/checks';
import { checkPort } from '../rules/numbers';
import { checkTypedReference } from '../rules/references';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type {
  NetworkingV1HTTPIngressPath,
  NetworkingV1Ingress,
  NetworkingV1IngressBackend,
  NetworkingV1IngressLoadBalancerIngress,
  NetworkingV1IngressRule,
  NetworkingV1IngressServiceBackend,
  NetworkingV1IngressSpec,
  NetworkingV1IngressTLS,
} from '../../../shared/api/types/generated/members';

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const CLASS_ANNOTATION = 'platform.io/ingress.class';
const NOT_AN_IP = 'must be a DNS name, not an IP address';

/** Ratcheting: invalid values that updates may keep, because the stored object has such values. */
interface RatchetingOptions {
  readonly allowsInvalidSecretName: boolean;
  /** Whether the paths of rules with a wildcard host may be invalid. */
  readonly allowsInvalidWildcardPaths: boolean;
}

const STRICT: RatchetingOptions = { allowsInvalidSecretName: false, allowsInvalidWildcardPaths: false };

export const ingress: Strategy<NetworkingV1Ingress> = {
  validate(object, old) {
    const errors: Errors = [];
    checkSpec(object.spec ?? {}, old === undefined ? STRICT : ratchetingOptions(old.spec ?? {}), errors);
    if (old === undefined) checkClassAnnotation(object, errors);
    return errors;
  },
  update: { stages: UPDATE.changeThenObject },
  status: { validate: validateStatus },
  warningsOnCreate({ metadata, spec }) {
    const annotation = ingressClassAnnotation(metadata?.annotations);
    if (annotation === undefined || spec?.ingressClassName !== undefined) return [];
    return [`annotation "${annotation.name}" is deprecated, please use 'spec.ingressClassName' instead`];
  },
};

/** The annotation with the class, under the client's spelling of its name; `undefined` without such an annotation. */
export function ingressClassAnnotation(annotations: JsonObject = {}): { readonly name: string; readonly value: string } | undefined {
  const name = Object.keys(annotations).find((key) => canonicalQualifiedName(key) === CLASS_ANNOTATION);
  return name === undefined ? undefined : { name, value: stringAt(annotations, name) ?? '' };
}

function checkClassAnnotation({ metadata, spec }: NetworkingV1Ingress, errors: Errors): void {
  const annotation = ingressClassAnnotation(metadata?.annotations);
  const name = spec?.ingressClassName;
  if (annotation === undefined || name === undefined || annotation.value === name) return;
  errors.push(invalidValue(`annotations.${annotation.name}`, annotation.value, 'must match `ingressClassName` when both are specified'));
}

function ratchetingOptions({ tls = [], rules = [] }: NetworkingV1IngressSpec): RatchetingOptions {
  return {
    allowsInvalidSecretName: tls.some((entry) => hasErrors((errors) => checkSecret(entry, '', errors))),
    allowsInvalidWildcardPaths: rules.some((rule) => hasWildcard(rule.host ?? '') && hasErrors((errors) => checkPaths(rule, '', errors))),
  };
}

function hasErrors(check: (errors: Errors) => void): boolean {
  const errors: Errors = [];
  check(errors);
  return errors.length > 0;
}

function checkSpec(spec: NetworkingV1IngressSpec, options: RatchetingOptions, errors: Errors): void {
  const { rules = [], defaultBackend, tls = [] } = spec;
  if (rules.length === 0 && defaultBackend === undefined) {
    errors.push(invalidShownValue('spec', '[]networking.IngressRule(nil)', 'either `defaultBackend` or `rules` must be specified'));
  }
  if (defaultBackend !== undefined) checkBackend(defaultBackend, 'spec.defaultBackend', errors);
  rules.forEach((rule, index) => checkRule(rule, `spec.rules[${index}]`, options, errors));
  tls.forEach((entry, index) => {
    const fieldPath = `spec.tls[${index}]`;
    entry.hosts?.forEach((host, hostIndex) => checkHost(host, `${fieldPath}.hosts[${hostIndex}]`, errors));
    if (!options.allowsInvalidSecretName) checkSecret(entry, fieldPath, errors);
  });
  checkIfPresent(spec, 'ingressClassName', 'spec', errors, checkDnsSubdomain);
}

const hasWildcard = (host: string): boolean => host.includes('*');

function checkHost(host: string, field: string, errors: Errors): void {
  checkFormat(host, field, hasWildcard(host) ? checkWildcardSubdomain : checkDnsSubdomain, errors);
}

function checkSecret(tls: NetworkingV1IngressTLS, fieldPath: string, errors: Errors): void {
  checkIfNotEmpty(tls, 'secretName', fieldPath, errors, checkDnsSubdomain);
}

function checkRule(rule: NetworkingV1IngressRule, fieldPath: string, options: RatchetingOptions, errors: Errors): void {
  const { host = '' } = rule;
  if (host !== '') {
    if (ipFamily(host) !== 0) errors.push(invalidValue(`${fieldPath}.host`, host, NOT_AN_IP));
    checkHost(host, `${fieldPath}.host`, errors);
  }
  if (!options.allowsInvalidWildcardPaths || !hasWildcard(host)) checkPaths(rule, fieldPath, errors);
}

function checkPaths({ http }: NetworkingV1IngressRule, fieldPath: string, errors: Errors): void {
  if (http === undefined) return;
  const paths = http.paths ?? [];
  if (paths.length === 0) errors.push(requiredValue(`${fieldPath}.http.paths`));
  paths.forEach((path, index) => checkPath(path, `${fieldPath}.http.paths[${index}]`, errors));
}

function checkPath({ pathType, path = '', backend = {} }: NetworkingV1HTTPIngressPath, fieldPath: string, errors: Errors): void {
  if (pathType === undefined || pathType === null) {
    errors.push(requiredValue(`${fieldPath}.pathType`, 'pathType must be specified'));
    return;
  }
  checkPathText(path, pathType, fieldPath, errors);
  checkBackend(backend, `${fieldPath}.backend`, errors);
}

/** Sequences that change the meaning of a path. */
const INVALID_PATH_SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];
const INVALID_PATH_SUFFIXES = ['/..', '/.'];

function checkPathText(path: string, type: string, fieldPath: string, errors: Errors): void {
  const addError = (text: string): void => {
    errors.push(invalidValue(`${fieldPath}.path`, path, text));
  };
  const isAbsolute = path.startsWith('/');
  switch (type) {
    case 'Exact':
    case 'Prefix':
      if (!isAbsolute) addError('must be an absolute path');
      for (const sequence of INVALID_PATH_SEQUENCES) {
        if (path.includes(sequence)) addError(`must not contain '${sequence}'`);
      }
      for (const suffix of INVALID_PATH_SUFFIXES) {
        if (path.endsWith(suffix)) addError(`cannot end with '${suffix}'`);
      }
      return;
    case 'ImplementationSpecific':
      if (path !== '' && !isAbsolute) addError('must be an absolute path');
      return;
    default:
      errors.push(unsupportedValue(`${fieldPath}.pathType`, type, PATH_TYPES));
  }
}

function checkBackend({ service, resource }: NetworkingV1IngressBackend, fieldPath: string, errors: Errors): void {
  if (service !== undefined && resource !== undefined) {
    errors.push(invalidValue(fieldPath, '', 'cannot set both resource and service backends'));
  } else if (resource !== undefined) checkTypedReference(resource, `${fieldPath}.resource`, checkDnsSubdomain, errors);
  else if (service !== undefined) checkService(service, fieldPath, errors);
  else errors.push(invalidValue(fieldPath, '', 'resource or service backend is required'));
}

function checkService(service: NetworkingV1IngressServiceBackend, fieldPath: string, errors: Errors): void {
  const field = `${fieldPath}.service`;
  const { name = '', number = 0 } = service.port ?? {};
  checkRequired(service, 'name', field, errors, checkDns1035Label);
  if (name !== '' && number !== 0) errors.push(invalidValue(fieldPath, '', 'cannot set both port name & port number'));
  else if (name !== '') checkFormat(name, `${field}.port.name`, checkPortName, errors);
  else if (number !== 0) checkPort(number, `${field}.port.number`, errors);
  else errors.push(requiredValue(fieldPath, 'port name or number is required'));
}

function validateStatus({ status }: NetworkingV1Ingress): readonly FieldError[] {
  const errors: Errors = [];
  status?.loadBalancer?.ingress?.forEach((entry, index) =>
    checkLoadBalancerIngress(entry, `status.loadBalancer.ingress[${index}]`, errors),
  );
  return errors;
}

/** Ports are not validated (upstream behaviour). */
function checkLoadBalancerIngress(
  { ip = '', hostname = '' }: NetworkingV1IngressLoadBalancerIngress,
  fieldPath: string,
  errors: Errors,
): void {
  if (ip !== '') checkIp(ip, `${fieldPath}.ip`, errors);
  if (hostname === '') return;
  checkFormat(hostname, `${fieldPath}.hostname`, checkDnsSubdomain, errors);
  if (ipFamily(hostname) !== 0) errors.push(invalidValue(`${fieldPath}.hostname`, hostname, NOT_AN_IP));
}
