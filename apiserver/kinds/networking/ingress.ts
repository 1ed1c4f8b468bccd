/** Ingress: what its spec and its status may say, and the class in its older form, an annotation. */
import { invalidShownValue, invalidValue, unsupportedValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import { type JsonObject, stringAt } from '../../../shared/values/json';
import { checkDns1035Label, checkDnsSubdomain, checkPortName, checkWildcardSubdomain } from '../../../shared/values/name-formats';
import { canonicalQualifiedName } from '../../../shared/names/dialect';
import { checkIp, ipFamily } from '../rules/addresses';
import { checkFormat, checkGiven, checkOptional, checkRequired, type Errors } from '../rules/checks';
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
const NO_NAME = 'must be a DNS name, not an IP address';

/** What is borne with because it was stored before it was looked at. */
interface Leniency {
  readonly anySecretName: boolean;
  /** What hosts with a wildcard lead to. */
  readonly anyWildcardPaths: boolean;
}

const STRICT: Leniency = { anySecretName: false, anyWildcardPaths: false };

export const ingress: Strategy<NetworkingV1Ingress> = {
  validate(object, old) {
    const errors: Errors = [];
    checkSpec(object.spec ?? {}, old === undefined ? STRICT : leniencyFor(old.spec ?? {}), errors);
    if (old === undefined) checkClassAnnotation(object, errors);
    return errors;
  },
  update: { stages: UPDATE.changeThenObject },
  status: { validate: validateStatus },
  warningsOnCreate({ metadata, spec }) {
    const annotation = classAnnotation(metadata?.annotations);
    if (annotation === undefined || spec?.ingressClassName !== undefined) return [];
    return [`annotation "${annotation.name}" is deprecated, please use 'spec.ingressClassName' instead`];
  },
};

/** The one among an Ingress's annotations that names the class, under the name that the client gave it. */
export function classAnnotation(annotations: JsonObject = {}): { readonly name: string; readonly value: string } | undefined {
  const name = Object.keys(annotations).find((key) => canonicalQualifiedName(key) === CLASS_ANNOTATION);
  return name === undefined ? undefined : { name, value: stringAt(annotations, name) ?? '' };
}

function checkClassAnnotation({ metadata, spec }: NetworkingV1Ingress, errors: Errors): void {
  const annotation = classAnnotation(metadata?.annotations);
  const name = spec?.ingressClassName;
  if (annotation === undefined || name === undefined || annotation.value === name) return;
  errors.push(invalidValue(`annotations.${annotation.name}`, annotation.value, 'must match `ingressClassName` when both are specified'));
}

function leniencyFor({ tls = [], rules = [] }: NetworkingV1IngressSpec): Leniency {
  return {
    anySecretName: tls.some((one) => isWrong((errors) => checkSecret(one, '', errors))),
    anyWildcardPaths: rules.some((rule) => hasWildcard(rule.host ?? '') && isWrong((errors) => checkPaths(rule, '', errors))),
  };
}

function isWrong(check: (errors: Errors) => void): boolean {
  const errors: Errors = [];
  check(errors);
  return errors.length > 0;
}

function checkSpec(spec: NetworkingV1IngressSpec, leniency: Leniency, errors: Errors): void {
  const { rules = [], defaultBackend: fallback, tls = [] } = spec;
  if (rules.length === 0 && fallback === undefined) {
    errors.push(invalidShownValue('spec', '[]networking.IngressRule(nil)', 'either `defaultBackend` or `rules` must be specified'));
  }
  if (fallback !== undefined) checkBackend(fallback, 'spec.defaultBackend', errors);
  rules.forEach((rule, index) => checkRule(rule, `spec.rules[${index}]`, leniency, errors));
  tls.forEach((one, index) => {
    const place = `spec.tls[${index}]`;
    one.hosts?.forEach((host, at) => checkHost(host, `${place}.hosts[${at}]`, errors));
    if (!leniency.anySecretName) checkSecret(one, place, errors);
  });
  checkGiven(spec, 'ingressClassName', 'spec', errors, checkDnsSubdomain);
}

const hasWildcard = (host: string): boolean => host.includes('*');

function checkHost(host: string, field: string, errors: Errors): void {
  checkFormat(host, field, hasWildcard(host) ? checkWildcardSubdomain : checkDnsSubdomain, errors);
}

function checkSecret(tls: NetworkingV1IngressTLS, place: string, errors: Errors): void {
  checkOptional(tls, 'secretName', place, errors, checkDnsSubdomain);
}

function checkRule(rule: NetworkingV1IngressRule, place: string, leniency: Leniency, errors: Errors): void {
  const { host = '' } = rule;
  if (host !== '') {
    if (ipFamily(host) !== 0) errors.push(invalidValue(`${place}.host`, host, NO_NAME));
    checkHost(host, `${place}.host`, errors);
  }
  if (!leniency.anyWildcardPaths || !hasWildcard(host)) checkPaths(rule, place, errors);
}

function checkPaths({ http }: NetworkingV1IngressRule, place: string, errors: Errors): void {
  if (http === undefined) return;
  const paths = http.paths ?? [];
  if (paths.length === 0) errors.push(requiredValue(`${place}.http.paths`));
  paths.forEach((path, index) => checkPath(path, `${place}.http.paths[${index}]`, errors));
}

function checkPath({ pathType, path = '', backend = {} }: NetworkingV1HTTPIngressPath, place: string, errors: Errors): void {
  if (pathType === undefined || pathType === null) {
    errors.push(requiredValue(`${place}.pathType`, 'pathType must be specified'));
    return;
  }
  checkPathText(path, pathType, place, errors);
  checkBackend(backend, `${place}.backend`, errors);
}

/** Texts that make a path mean another one, or none. */
const WITHIN = ['//', '/./', '/../', '%2f', '%2F'];
const AT_THE_END = ['/..', '/.'];

function checkPathText(path: string, type: string, place: string, errors: Errors): void {
  const refuse = (text: string): void => {
    errors.push(invalidValue(`${place}.path`, path, text));
  };
  const isAbsolute = path.startsWith('/');
  switch (type) {
    case 'Exact':
    case 'Prefix':
      if (!isAbsolute) refuse('must be an absolute path');
      for (const part of WITHIN) if (path.includes(part)) refuse(`must not contain '${part}'`);
      for (const part of AT_THE_END) if (path.endsWith(part)) refuse(`cannot end with '${part}'`);
      return;
    case 'ImplementationSpecific':
      if (path !== '' && !isAbsolute) refuse('must be an absolute path');
      return;
    default:
      errors.push(unsupportedValue(`${place}.pathType`, type, PATH_TYPES));
  }
}

function checkBackend({ service, resource }: NetworkingV1IngressBackend, place: string, errors: Errors): void {
  if (service !== undefined && resource !== undefined) {
    errors.push(invalidValue(place, '', 'cannot set both resource and service backends'));
  } else if (resource !== undefined) checkTypedReference(resource, `${place}.resource`, checkDnsSubdomain, errors);
  else if (service !== undefined) checkService(service, place, errors);
  else errors.push(invalidValue(place, '', 'resource or service backend is required'));
}

function checkService(service: NetworkingV1IngressServiceBackend, place: string, errors: Errors): void {
  const field = `${place}.service`;
  const { name = '', number = 0 } = service.port ?? {};
  checkRequired(service, 'name', field, errors, checkDns1035Label);
  if (name !== '' && number !== 0) errors.push(invalidValue(place, '', 'cannot set both port name & port number'));
  else if (name !== '') checkFormat(name, `${field}.port.name`, checkPortName, errors);
  else if (number !== 0) checkPort(number, `${field}.port.number`, errors);
  else errors.push(requiredValue(place, 'port name or number is required'));
}

function validateStatus({ status }: NetworkingV1Ingress): readonly FieldError[] {
  const errors: Errors = [];
  status?.loadBalancer?.ingress?.forEach((point, index) => checkPoint(point, `status.loadBalancer.ingress[${index}]`, errors));
  return errors;
}

/** Ports are not looked at (upstream behaviour). */
function checkPoint({ ip = '', hostname = '' }: NetworkingV1IngressLoadBalancerIngress, place: string, errors: Errors): void {
  if (ip !== '') checkIp(ip, `${place}.ip`, errors);
  if (hostname === '') return;
  checkFormat(hostname, `${place}.hostname`, checkDnsSubdomain, errors);
  if (ipFamily(hostname) !== 0) errors.push(invalidValue(`${place}.hostname`, hostname, NO_NAME));
}
