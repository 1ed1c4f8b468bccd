/** Endpoints. Subsets are kept as they are sent. */
import { invalidValue, requiredValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type {
  CoreV1EndpointAddress,
  CoreV1EndpointPort,
  CoreV1Endpoints,
  CoreV1EndpointSubset,
} from '../../../../shared/api/types/generated/members';
import { checkDnsLabel, checkDnsSubdomain, checkQualifiedName } from '../../../../shared/values/name-formats';
import { checkIp, checkReachable } from '../../rules/addresses';
import { checkFormat, checkGiven, checkOptional, type Errors } from '../../rules/checks';
import { checkPort, checkProtocol } from '../../rules/numbers';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';

export const endpoints: Strategy<CoreV1Endpoints> = {
  validate,
  update: { stages: UPDATE.changeThenObject },
};

function validate({ subsets }: CoreV1Endpoints): readonly FieldError[] {
  const errors: Errors = [];
  subsets?.forEach((subset, index) => checkSubset(subset, `subsets[${index}]`, errors));
  return errors;
}

function checkSubset(subset: CoreV1EndpointSubset, place: string, errors: Errors): void {
  const { addresses: ready = [], notReadyAddresses: notReady = [], ports = [] } = subset;
  if (ready.length === 0 && notReady.length === 0) errors.push(requiredValue(place, 'must specify `addresses` or `notReadyAddresses`'));
  ready.forEach((address, index) => checkAddress(address, `${place}.addresses[${index}]`, errors));
  notReady.forEach((address, index) => checkAddress(address, `${place}.notReadyAddresses[${index}]`, errors));
  const isReady = new Set(ready.map(({ ip }) => ip));
  notReady.forEach(({ ip }, index) => {
    if (ip !== undefined && isReady.has(ip))
      errors.push(invalidValue(`${place}.notReadyAddresses[${index}].ip`, ip, 'must not be in `addresses` as well'));
  });
  ports.forEach((port, index) => checkPortOf(port, `${place}.ports[${index}]`, ports.length > 1, errors));
}

function checkAddress(address: CoreV1EndpointAddress, place: string, errors: Errors): void {
  const { ip = '' } = address;
  checkIp(ip, `${place}.ip`, errors);
  checkOptional(address, 'hostname', place, errors, checkDnsLabel);
  checkGiven(address, 'nodeName', place, errors, checkDnsSubdomain);
  checkReachable(ip, `${place}.ip`, errors);
}

function checkPortOf(port: CoreV1EndpointPort, place: string, needsName: boolean, errors: Errors): void {
  const { name = '' } = port;
  if (name !== '') checkFormat(name, `${place}.name`, checkDnsLabel, errors);
  else if (needsName) errors.push(requiredValue(`${place}.name`));
  checkPort(port.port ?? 0, `${place}.port`, errors);
  checkProtocol(port.protocol ?? '', `${place}.protocol`, errors);
  checkGiven(port, 'appProtocol', place, errors, checkQualifiedName);
}
