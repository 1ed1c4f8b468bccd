/**
 * Endpoints strategy: each subset has addresses, and names for its ports when there are several. Subsets are stored as
 * sent; EndpointSlices that mirror them are left to a controller.
 */
import { invalidValue, requiredValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type {
  CoreV1EndpointAddress,
  CoreV1EndpointPort,
  CoreV1Endpoints,
  CoreV1EndpointSubset,
} from '../../../../shared/api/types/generated/members';
import { checkDnsLabel, checkDnsSubdomain, checkQualifiedName } from '../../../../shared/values/name-formats';
import { checkIp, checkNonSpecialIp } from '../../rules/addresses';
import { checkIfPresent, checkIfNotEmpty, type Errors } from '../../rules/checks';
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

function checkSubset(subset: CoreV1EndpointSubset, fieldPath: string, errors: Errors): void {
  const { addresses: ready = [], notReadyAddresses: notReady = [], ports = [] } = subset;
  if (ready.length === 0 && notReady.length === 0) errors.push(requiredValue(fieldPath, 'must specify `addresses` or `notReadyAddresses`'));
  ready.forEach((address, index) => checkEndpointAddress(address, `${fieldPath}.addresses[${index}]`, errors));
  notReady.forEach((address, index) => checkEndpointAddress(address, `${fieldPath}.notReadyAddresses[${index}]`, errors));
  const readyIps = new Set(ready.map(({ ip }) => ip));
  notReady.forEach(({ ip }, index) => {
    if (ip !== undefined && readyIps.has(ip)) {
      errors.push(invalidValue(`${fieldPath}.notReadyAddresses[${index}].ip`, ip, 'must not be in `addresses` as well'));
    }
  });
  ports.forEach((port, index) => {
    const portPath = `${fieldPath}.ports[${index}]`;
    if (ports.length > 1 && (port.name ?? '') === '') errors.push(requiredValue(`${portPath}.name`));
    checkEndpointPort(port, portPath, errors);
  });
}

function checkEndpointAddress(address: CoreV1EndpointAddress, fieldPath: string, errors: Errors): void {
  const { ip = '' } = address;
  checkIp(ip, `${fieldPath}.ip`, errors);
  checkIfNotEmpty(address, 'hostname', fieldPath, errors, checkDnsLabel);
  checkIfPresent(address, 'nodeName', fieldPath, errors, checkDnsSubdomain);
  checkNonSpecialIp(ip, `${fieldPath}.ip`, errors);
}

function checkEndpointPort(port: CoreV1EndpointPort, fieldPath: string, errors: Errors): void {
  checkIfNotEmpty(port, 'name', fieldPath, errors, checkDnsLabel);
  checkPort(port.port ?? 0, `${fieldPath}.port`, errors);
  checkProtocol(port.protocol ?? '', `${fieldPath}.protocol`, errors);
  checkIfPresent(port, 'appProtocol', fieldPath, errors, checkQualifiedName);
}
