/**
 * IngressClass strategy: the controller is immutable; the parameters refer to an object of any kind, cluster-scoped or
 * in the namespace that they name. That the object exists is not checked.
 */
import { forbiddenField, invalidValue, unsupportedValue, requiredValue, tooLongValue } from '../../../shared/api/errors/field-error';
import { checkDnsLabel, checkDnsSubdomain } from '../../../shared/values/name-formats';
import { checkFormat, type Errors } from '../rules/checks';
import { checkDomainPrefixedPath } from '../rules/domain-prefixed-path';
import { checkTypedReference } from '../rules/references';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type { NetworkingV1IngressClass, NetworkingV1IngressClassParametersReference } from '../../../shared/api/types/generated/members';

const CONTROLLER = 'spec.controller';
const PARAMETERS = 'spec.parameters';
const MAX_CONTROLLER_LENGTH = 250;
const SCOPES = ['Cluster', 'Namespace'];

export const ingressClass: Strategy<NetworkingV1IngressClass> = {
  validate(object) {
    const parameters = object.spec?.parameters;
    const errors: Errors = [];
    checkController(controllerOf(object), errors);
    if (parameters !== undefined) checkParameters(parameters, errors);
    return errors;
  },
  update: {
    stages: UPDATE.changeThenObject,
    validate(object, old) {
      const controller = controllerOf(object);
      return controller === controllerOf(old) ? [] : [invalidValue(CONTROLLER, controller, 'field is immutable')];
    },
  },
};

const controllerOf = (object: NetworkingV1IngressClass): string => object.spec?.controller ?? '';

function checkController(controller: string, errors: Errors): void {
  if (Buffer.byteLength(controller) > MAX_CONTROLLER_LENGTH) errors.push(tooLongValue(CONTROLLER, MAX_CONTROLLER_LENGTH));
  checkDomainPrefixedPath(controller, CONTROLLER, errors);
}

function checkParameters(parameters: NetworkingV1IngressClassParametersReference, errors: Errors): void {
  checkTypedReference(parameters, PARAMETERS, checkDnsSubdomain, errors);
  const scope = parameters.scope ?? '';
  const namespace = parameters.namespace;
  const field = `${PARAMETERS}.namespace`;
  if (!SCOPES.includes(scope)) errors.push(unsupportedValue(`${PARAMETERS}.scope`, scope, SCOPES));
  if (scope === 'Namespace') {
    if (namespace === undefined) errors.push(requiredValue(field, "`parameters.scope` is set to 'Namespace'"));
    else checkFormat(namespace, field, checkDnsLabel, errors);
  }
  if (scope === 'Cluster' && namespace !== undefined) errors.push(forbiddenField(field, "`parameters.scope` is set to 'Cluster'"));
}
