/** Endpoints (behaviour-reference §5.7). Subsets are kept as they are sent. */
import { invalidValue, notSupported, required, type FieldError } from '../../../../shared/api/errors/field-error';
import { append } from '../../../../shared/values/append';
import { stringAt, type JsonObject } from '../../../../shared/values/json';
import { dnsLabel, dnsSubdomain, qualifiedName } from '../../../../shared/values/name-formats';
import {
  ipErrors,
  listed,
  misnamed,
  misnamedMember,
  numberAt,
  portNumberErrors,
  PROTOCOLS,
  unreachableErrors,
} from '../../rules/field-rules';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';

export const endpoints: Strategy = {
  validate,
  update: { stages: UPDATE.changeThenObject },
};

function validate(object: JsonObject): readonly FieldError[] {
  return listed(object, 'subsets').flatMap((subset, index) => subsetErrors(subset, `subsets[${index}]`));
}

function subsetErrors(subset: JsonObject, place: string): readonly FieldError[] {
  const ready = listed(subset, 'addresses');
  const notReady = listed(subset, 'notReadyAddresses');
  const ports = listed(subset, 'ports');
  const errors: FieldError[] = [];
  if (ready.length === 0 && notReady.length === 0) errors.push(required(place, 'must specify `addresses` or `notReadyAddresses`'));
  ready.forEach((address, index) => append(errors, addressErrors(address, `${place}.addresses[${index}]`)));
  notReady.forEach((address, index) => append(errors, addressErrors(address, `${place}.notReadyAddresses[${index}]`)));
  const isReady = new Set(ready.map((address) => stringAt(address, 'ip')));
  notReady.forEach((address, index) => {
    const ip = stringAt(address, 'ip') ?? '';
    if (isReady.has(ip)) errors.push(invalidValue(`${place}.notReadyAddresses[${index}].ip`, ip, 'must not be in `addresses` as well'));
  });
  ports.forEach((port, index) => append(errors, portErrors(port, `${place}.ports[${index}]`, ports.length > 1)));
  return errors;
}

function addressErrors(address: JsonObject, place: string): readonly FieldError[] {
  const ip = stringAt(address, 'ip') ?? '';
  const hostname = stringAt(address, 'hostname') ?? '';
  return [
    ...ipErrors(ip, `${place}.ip`),
    ...(hostname === '' ? [] : misnamed(hostname, `${place}.hostname`, dnsLabel)),
    ...misnamedMember(address, 'nodeName', place, dnsSubdomain),
    ...unreachableErrors(ip, `${place}.ip`),
  ];
}

function portErrors(port: JsonObject, place: string, needsName: boolean): readonly FieldError[] {
  const errors: FieldError[] = [];
  const name = stringAt(port, 'name') ?? '';
  if (name !== '') append(errors, misnamed(name, `${place}.name`, dnsLabel));
  else if (needsName) errors.push(required(`${place}.name`));
  append(errors, portNumberErrors(numberAt(port, 'port'), `${place}.port`));
  const protocol = stringAt(port, 'protocol') ?? '';
  if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(`${place}.protocol`, protocol, PROTOCOLS));
  return [...errors, ...misnamedMember(port, 'appProtocol', place, qualifiedName)];
}
