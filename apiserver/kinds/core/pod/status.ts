/** What the status of a Pod may say, in upstream's order. Never looks at the spec's own rules. */
import { append } from '../../../../shared/values/append';
import {
  fieldErrorAs,
  forbiddenField,
  internalError,
  invalidAs,
  invalidValue,
  type FieldError,
} from '../../../../shared/api/errors/field-error';
import { objectAt, type JsonObject } from '../../../../shared/values/json';
import { dnsSubdomain, qualifiedName } from '../../../../shared/values/name-formats';
import { quote } from '../../../../shared/values/quote';
import { ipErrors, ipFamily } from '../../rules/addresses';
import { listed, misnamed } from '../../rules/field-rules';
import { checkOptional, integerAt, textAt, type Errors } from '../../rules/checks';

export function podStatusErrors(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const status = objectAt(object, 'status') ?? {};
  const errors: Errors = [];
  // The place is not where conditions stand (upstream behaviour).
  listed(status, 'conditions').forEach((condition, index) =>
    append(errors, misnamed(textAt(condition, 'type'), `metadata.conditions[${index}].Type`, qualifiedName)),
  );
  checkOptional(status, 'nominatedNodeName', 'status', errors, dnsSubdomain);
  checkStates(object, objectAt(old, 'status') ?? {}, status, errors);
  checkClaims(object, status, errors);
  const podAddresses = listed(status, 'podIPs').map((item) => textAt(item, 'ip'));
  checkAddresses(podAddresses, 'status.podIPs', 'core.PodIP', errors);
  const hostAddresses = listed(status, 'hostIPs').map((item) => textAt(item, 'ip'));
  const [first] = hostAddresses;
  if (first !== undefined && first !== textAt(status, 'hostIP')) {
    errors.push(invalidValue('status.hostIPs[0].ip', first, 'must be equal to `hostIP`'));
  }
  checkAddresses(hostAddresses, 'status.hostIPs', 'core.HostIP', errors);
  return errors;
}

/** Containers that are not started again stay as they ended. */
function checkStates(object: JsonObject, before: JsonObject, status: JsonObject, errors: Errors): void {
  const spec = objectAt(object, 'spec') ?? {};
  const policy = textAt(spec, 'restartPolicy');
  if (policy === 'Always') return;
  const restartable = new Set(
    listed(spec, 'initContainers')
      .filter((container) => textAt(container, 'restartPolicy') === 'Always')
      .map((container) => textAt(container, 'name')),
  );
  for (const member of ['containerStatuses', 'initContainerStatuses']) {
    const now = new Map([...listed(status, member)].reverse().map((one): [string, JsonObject] => [textAt(one, 'name'), one]));
    listed(before, member).forEach((old, index) => {
      const name = textAt(old, 'name');
      const ended = objectAt(objectAt(old, 'state'), 'terminated');
      const found = now.get(name);
      if (ended === undefined || found === undefined || restartable.has(name)) return;
      if (policy === 'OnFailure' && integerAt(ended, 'exitCode') !== 0) return;
      if (objectAt(objectAt(found, 'state'), 'terminated') !== undefined) return;
      errors.push(forbiddenField(`status.${member}[${index}].state`, 'may not be transitioned to non-terminated state'));
    });
  }
}

function checkClaims(object: JsonObject, status: JsonObject, errors: Errors): void {
  const names = new Set(listed(objectAt(object, 'spec'), 'resourceClaims').map((claim) => textAt(claim, 'name')));
  listed(status, 'resourceClaimStatuses').forEach((claim, index) => {
    const name = textAt(claim, 'name');
    if (names.has(name)) return;
    const text = 'must match the name of an entry in `spec.resourceClaims`';
    errors.push(invalidValue(`status.resourceClaimStatuses[${index}].name`, name, text));
  });
}

/** One of each family at most. */
function checkAddresses(addresses: readonly string[], field: string, type: string, errors: Errors): void {
  addresses.forEach((address, index) => append(errors, ipErrors(address, `${field}[${index}]`)));
  if (addresses.length < 2) return;
  const shown = (address: string): string => `${type}{IP:${quote(address)}}`;
  const families = addresses.map(ipFamily);
  const malformed = families.indexOf(0);
  if (malformed >= 0) {
    const reason = `invalid IP[${malformed}]: ${addresses[malformed] ?? ''}`;
    errors.push(internalError(field, `failed to check for dual stack with error:${reason}`));
  }
  if (malformed >= 0 || addresses.length > 2 || new Set(families).size < 2) {
    const list = `[]${type}{${addresses.map(shown).join(', ')}}`;
    errors.push(invalidAs(field, list, 'may specify no more than one IP for each IP family'));
  }
  const seen = new Set<string>();
  addresses.forEach((address, index) => {
    if (seen.has(address)) errors.push(fieldErrorAs('FieldValueDuplicate', `${field}[${index}]`, shown(address), ''));
    seen.add(address);
  });
}
