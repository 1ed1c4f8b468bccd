/** IngressClass (behaviour-reference §5.9): its controller never changes; its parameters are an object of any kind, in a namespace or in none. */
import { append } from '../../../shared/values/append';
import { forbiddenField, invalidValue, notSupported, required, tooLong, type FieldError } from '../../../shared/api/errors/field-error';
import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { dnsLabel, dnsSubdomain, urlPath } from '../../../shared/values/name-formats';
import { misnamed, objectNameErrors } from '../rules/field-rules';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';

const CONTROLLER = 'spec.controller';
const PARAMETERS = 'spec.parameters';
const LONGEST_CONTROLLER = 250;
const SCOPES = ['Cluster', 'Namespace'];

export const ingressClass: Strategy = {
  validate(object) {
    const parameters = objectAt(specOf(object), 'parameters');
    return [...controllerErrors(controllerOf(object)), ...(parameters === undefined ? [] : parametersErrors(parameters))];
  },
  update: {
    stages: UPDATE.changeThenObject,
    validate(object, old) {
      const controller = controllerOf(object);
      return controller === controllerOf(old) ? [] : [invalidValue(CONTROLLER, controller, 'field is immutable')];
    },
  },
};

const specOf = (object: JsonObject): JsonObject => objectAt(object, 'spec') ?? {};
const controllerOf = (object: JsonObject): string => stringAt(specOf(object), 'controller') ?? '';

function controllerErrors(controller: string): readonly FieldError[] {
  if (controller === '') return [required(CONTROLLER)];
  const long = Buffer.byteLength(controller) > LONGEST_CONTROLLER ? [tooLong(CONTROLLER, LONGEST_CONTROLLER)] : [];
  const slash = controller.indexOf('/');
  const [domain, path] = [controller.slice(0, Math.max(slash, 0)), controller.slice(slash + 1)];
  if (domain === '' || path === '') {
    return [...long, invalidValue(CONTROLLER, controller, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  return [...long, ...misnamed(domain, CONTROLLER, dnsSubdomain), ...misnamed(path, CONTROLLER, urlPath)];
}

function parametersErrors(parameters: JsonObject): readonly FieldError[] {
  const errors = [...objectNameErrors(parameters, PARAMETERS, dnsSubdomain)];
  const [scope, namespace] = [stringAt(parameters, 'scope') ?? '', stringAt(parameters, 'namespace')];
  const field = `${PARAMETERS}.namespace`;
  if (!SCOPES.includes(scope)) errors.push(notSupported(`${PARAMETERS}.scope`, scope, SCOPES));
  if (scope === 'Namespace') {
    if (namespace === undefined) errors.push(required(field, "`parameters.scope` is set to 'Namespace'"));
    else append(errors, misnamed(namespace, field, dnsLabel));
  }
  if (scope === 'Cluster' && namespace !== undefined) errors.push(forbiddenField(field, "`parameters.scope` is set to 'Cluster'"));
  return errors;
}
