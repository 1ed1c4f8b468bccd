/** Ingress (behaviour-reference §5.9): what its spec and its status may say, and the class in its older form, an annotation. */
import { append } from '../../../shared/values/append';
import { invalidAs, invalidValue, notSupported, required, type FieldError } from '../../../shared/api/errors/field-error';
import { type JsonObject, objectAt, own, stringAt, stringsAt } from '../../../shared/values/json';
import { dns1035Label, dnsSubdomain, portName, wildcardSubdomain } from '../../../shared/values/name-formats';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { canonicalQualifiedName } from '../../../shared/names/dialect';
import { ipFamily } from '../rules/addresses';
import { ipErrors, listed, misnamed, misnamedMember, numberAt, objectNameErrors, portNumberErrors } from '../rules/field-rules';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';

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

export const ingress: Strategy = {
  validate(object, old) {
    const spec = specOf(object);
    if (old !== undefined) return specErrors(spec, leniencyFor(specOf(old)));
    return [...specErrors(spec, STRICT), ...classAnnotationErrors(object)];
  },
  update: { stages: UPDATE.changeThenObject },
  status: { validate: (object) => statusErrors(objectAt(object, 'status') ?? {}) },
  warningsOnCreate(object) {
    const annotation = classAnnotation(object);
    if (annotation === undefined || own(specOf(object), 'ingressClassName') !== undefined) return [];
    return [`annotation "${annotation.name}" is deprecated, please use 'spec.ingressClassName' instead`];
  },
};

const specOf = (object: JsonObject): JsonObject => objectAt(object, 'spec') ?? {};

/** The annotation that names the class, under the name that the client gave it. */
export function classAnnotation(object: JsonObject): { readonly name: string; readonly value: string } | undefined {
  const annotations = objectAt(readMetadata(object), 'annotations') ?? {};
  const name = Object.keys(annotations).find((key) => canonicalQualifiedName(key) === CLASS_ANNOTATION);
  return name === undefined ? undefined : { name, value: stringAt(annotations, name) ?? '' };
}

function classAnnotationErrors(object: JsonObject): readonly FieldError[] {
  const annotation = classAnnotation(object);
  const name = stringAt(specOf(object), 'ingressClassName');
  if (annotation === undefined || name === undefined || annotation.value === name) return [];
  return [invalidValue(`annotations.${annotation.name}`, annotation.value, 'must match `ingressClassName` when both are specified')];
}

function leniencyFor(old: JsonObject): Leniency {
  return {
    anySecretName: listed(old, 'tls').some((tls) => secretErrors(tls, '').length > 0),
    anyWildcardPaths: listed(old, 'rules').some((rule) => hasWildcard(hostOf(rule)) && pathsErrors(rule, '').length > 0),
  };
}

function specErrors(spec: JsonObject, leniency: Leniency): readonly FieldError[] {
  const errors: FieldError[] = [];
  const rules = listed(spec, 'rules');
  const fallback = objectAt(spec, 'defaultBackend');
  if (rules.length === 0 && fallback === undefined) {
    errors.push(invalidAs('spec', '[]networking.IngressRule(nil)', 'either `defaultBackend` or `rules` must be specified'));
  }
  if (fallback !== undefined) append(errors, backendErrors(fallback, 'spec.defaultBackend'));
  rules.forEach((rule, index) => append(errors, ruleErrors(rule, `spec.rules[${index}]`, leniency)));
  listed(spec, 'tls').forEach((tls, index) => {
    const place = `spec.tls[${index}]`;
    stringsAt(tls, 'hosts').forEach((host, at) => append(errors, hostFormatErrors(host, `${place}.hosts[${at}]`)));
    if (!leniency.anySecretName) append(errors, secretErrors(tls, place));
  });
  return [...errors, ...misnamedMember(spec, 'ingressClassName', 'spec', dnsSubdomain)];
}

const hasWildcard = (host: string): boolean => host.includes('*');
const hostOf = (rule: JsonObject): string => stringAt(rule, 'host') ?? '';

const hostFormatErrors = (host: string, field: string): readonly FieldError[] =>
  misnamed(host, field, hasWildcard(host) ? wildcardSubdomain : dnsSubdomain);

function secretErrors(tls: JsonObject, place: string): readonly FieldError[] {
  const name = stringAt(tls, 'secretName') ?? '';
  return name === '' ? [] : misnamed(name, `${place}.secretName`, dnsSubdomain);
}

function ruleErrors(rule: JsonObject, place: string, leniency: Leniency): readonly FieldError[] {
  const host = hostOf(rule);
  const errors: FieldError[] = [];
  if (host !== '') {
    if (ipFamily(host) !== 0) errors.push(invalidValue(`${place}.host`, host, NO_NAME));
    append(errors, hostFormatErrors(host, `${place}.host`));
  }
  return leniency.anyWildcardPaths && hasWildcard(host) ? errors : [...errors, ...pathsErrors(rule, place)];
}

function pathsErrors(rule: JsonObject, place: string): readonly FieldError[] {
  const http = objectAt(rule, 'http');
  if (http === undefined) return [];
  const paths = listed(http, 'paths');
  if (paths.length === 0) return [required(`${place}.http.paths`)];
  return paths.flatMap((path, index) => pathErrors(path, `${place}.http.paths[${index}]`));
}

function pathErrors(path: JsonObject, place: string): readonly FieldError[] {
  const type = stringAt(path, 'pathType');
  if (type === undefined) return [required(`${place}.pathType`, 'pathType must be specified')];
  return [
    ...pathTextErrors(stringAt(path, 'path') ?? '', type, place),
    ...backendErrors(objectAt(path, 'backend') ?? {}, `${place}.backend`),
  ];
}

/** Texts that make a path mean another one, or none. */
const WITHIN = ['//', '/./', '/../', '%2f', '%2F'];
const AT_THE_END = ['/..', '/.'];

function pathTextErrors(path: string, type: string, place: string): readonly FieldError[] {
  const wrong = (text: string): FieldError => invalidValue(`${place}.path`, path, text);
  const isAbsolute = path.startsWith('/');
  const absolute = isAbsolute ? [] : [wrong('must be an absolute path')];
  switch (type) {
    case 'Exact':
    case 'Prefix':
      return [
        ...absolute,
        ...WITHIN.filter((part) => path.includes(part)).map((part) => wrong(`must not contain '${part}'`)),
        ...AT_THE_END.filter((part) => path.endsWith(part)).map((part) => wrong(`cannot end with '${part}'`)),
      ];
    case 'ImplementationSpecific':
      return path === '' ? [] : absolute;
    default:
      return [notSupported(`${place}.pathType`, type, PATH_TYPES)];
  }
}

function backendErrors(backend: JsonObject, place: string): readonly FieldError[] {
  const [service, resource] = [objectAt(backend, 'service'), objectAt(backend, 'resource')];
  if (service !== undefined && resource !== undefined) {
    return [invalidValue(place, '', 'cannot set both resource and service backends')];
  }
  if (resource !== undefined) return objectNameErrors(resource, `${place}.resource`, dnsSubdomain);
  if (service !== undefined) return serviceErrors(service, place);
  return [invalidValue(place, '', 'resource or service backend is required')];
}

function serviceErrors(service: JsonObject, place: string): readonly FieldError[] {
  const field = `${place}.service`;
  const name = stringAt(service, 'name') ?? '';
  const errors: FieldError[] = name === '' ? [required(`${field}.name`)] : [...misnamed(name, `${field}.name`, dns1035Label)];
  const port = objectAt(service, 'port') ?? {};
  const [portText, number] = [stringAt(port, 'name') ?? '', numberAt(port, 'number')];
  if (portText !== '' && number !== 0) errors.push(invalidValue(place, '', 'cannot set both port name & port number'));
  else if (portText !== '') append(errors, misnamed(portText, `${field}.port.name`, portName));
  else if (number !== 0) append(errors, portNumberErrors(number, `${field}.port.number`));
  else errors.push(required(place, 'port name or number is required'));
  return errors;
}

/** Ports are not looked at (upstream behaviour). */
function statusErrors(status: JsonObject): readonly FieldError[] {
  return listed(objectAt(status, 'loadBalancer'), 'ingress').flatMap((point, index) => {
    const place = `status.loadBalancer.ingress[${index}]`;
    const [ip, hostname] = [stringAt(point, 'ip') ?? '', stringAt(point, 'hostname') ?? ''];
    const errors: FieldError[] = ip === '' ? [] : [...ipErrors(ip, `${place}.ip`)];
    if (hostname === '') return errors;
    append(errors, misnamed(hostname, `${place}.hostname`, dnsSubdomain));
    if (ipFamily(hostname) !== 0) errors.push(invalidValue(`${place}.hostname`, hostname, NO_NAME));
    return errors;
  });
}
