/**
 * Gives Services addresses and ports where nothing allocates them yet, so that the rules that come after can be seen. Keeps no account: a range is
 * all that it knows. Goes when the write path allocates.
 */
import { service as strategy } from '../../apiserver/registry/strategies/service';
import { numberAt, portsOf, needsHealthCheck, takesNodePorts } from '../../apiserver/registry/strategies/service-carry';
import type { Strategy } from '../../apiserver/registry/strategies/strategy';
import { invalidValue, type FieldError } from '../../shared/api/field-error';
import { objectAt, stringAt, type JsonObject } from '../../shared/api/json';
import { stringsAt } from '../../shared/api/object-meta';

let chosen = 0;

export function allocateInTests(): void {
  const { settle } = strategy;
  const allocating: Strategy = {
    settle(service, old, context) {
      const errors = settle?.(service, old, context) ?? [];
      const spec = objectAt(service, 'spec');
      if (errors.length > 0 || spec === undefined || stringAt(spec, 'type') === 'ExternalName') return errors;
      const v4 = context.serviceFamilies.length === 1 ? '10.96' : '10.0';
      const isNew = old === undefined || stringAt(objectAt(old, 'spec'), 'type') === 'ExternalName';
      return [...addresses(spec, v4, isNew), ...nodePorts(spec, old === undefined), ...healthCheck(spec, old === undefined)].slice(0, 1);
    },
  };
  Object.assign(strategy, allocating);
}

function addresses(spec: JsonObject, v4: string, isNew: boolean): readonly FieldError[] {
  const given = [...stringsAt(spec, 'clusterIPs')];
  if (given[0] === 'None') return [];
  for (const address of isNew ? given : []) {
    const range = address.includes(':') ? 'fd00::/108' : `${v4}.0.0/16`;
    const text =
      address === `${v4}.0.1`
        ? 'provided IP is already allocated'
        : `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${range}`;
    if (address === `${v4}.0.1` || !address.startsWith(address.includes(':') ? 'fd00::' : v4))
      return [invalidValue('spec.clusterIPs', given, `failed to allocate IP ${address}: ${text}`)];
  }
  for (const [index, family] of stringsAt(spec, 'ipFamilies').entries())
    given[index] ??= family === 'IPv4' ? `${v4}.1.${++chosen % 250}` : `fd00::${(++chosen).toString(16)}`;
  spec['clusterIPs'] = given;
  spec['clusterIP'] = given[0] ?? '';
  return [];
}

const portErrors = (number: number, field: string): readonly FieldError[] =>
  number >= 30_000 && number <= 32_767
    ? []
    : [invalidValue(field, number, 'provided port is not in the valid range. The range of valid ports is 30000-32767')];

function nodePorts(spec: JsonObject, shares: boolean): readonly FieldError[] {
  const used = new Map<number, number>();
  const type = stringAt(spec, 'type');
  if (type !== 'NodePort' && type !== 'LoadBalancer') return [];
  return portsOf(spec).flatMap((port, index) => {
    const given = numberAt(port, 'nodePort');
    const errors = given === 0 ? [] : portErrors(given, `spec.ports[${index}].nodePort`);
    if (given === 0 && takesNodePorts(spec))
      port['nodePort'] = (shares ? used.get(numberAt(port, 'port')) : undefined) ?? 31_000 + (++chosen % 900);
    used.set(numberAt(port, 'port'), numberAt(port, 'nodePort'));
    return errors;
  });
}

function healthCheck(spec: JsonObject, isNew: boolean): readonly FieldError[] {
  if (!needsHealthCheck(spec)) return [];
  const field = 'healthCheckNodePort';
  const number = numberAt(spec, field);
  if (number === 0) spec[field] = 32_000 + (++chosen % 700);
  if (number === 0 || !isNew) return [];
  const isTaken = portsOf(spec).some((port) => numberAt(port, 'nodePort') === number);
  return isTaken ? [invalidValue(`spec.${field}`, number, 'provided port is already allocated')] : portErrors(number, `spec.${field}`);
}
