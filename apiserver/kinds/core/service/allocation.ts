/**
 * What a Service takes out of the cluster's ranges: an address of each of its families, node ports, and the port on which
 * load balancers ask for its health. Runs when the Service's families are settled and before anything else is judged (upstream's order).
 */
import { invalidAs, invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type { IpFamily } from '../../../../shared/values/ip-address';
import { type JsonObject, objectAt, stringAt, stringsAt } from '../../../../shared/values/json';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { internalError, invalid, type StatusError } from '../../../../shared/api/errors/status';
import { NotAllocated, type AllocationClaims, type Held } from '../../../allocation/claims';
import { addressId, portId } from '../../../allocation/pool';
import { numberAt } from '../../rules/field-rules';
import { needsHealthCheck, portsOf, takesNodePorts } from './carry';
import { isHeadless } from './families';
import type { AllocationRules } from '../../../registry/strategy';

export const serviceAllocation: AllocationRules = { choose, held, field: 'spec.ports' };

function choose(service: JsonObject, old: JsonObject | undefined, claims: AllocationClaims): void {
  const spec = objectAt(service, 'spec');
  if (spec === undefined) return;
  const before = objectAt(old, 'spec') ?? {};
  const name = stringAt(readMetadata(service), 'name') ?? '';
  chooseAddresses(spec, before, claims, name);
  if (old === undefined) choosePortsOfNew(spec, claims, name);
  else choosePortsOfChanged(spec, before, claims, name);
  chooseHealthCheckPort(spec, before, claims, name);
}

/** Those that the old Service had stay, right or wrong: that is judged later. */
function chooseAddresses(spec: JsonObject, before: JsonObject, claims: AllocationClaims, name: string): void {
  // A headless Service stays one, whatever addresses a change names: that is judged later.
  if (stringAt(spec, 'type') === 'ExternalName' || isHeadless(spec) || (stringAt(before, 'type') !== 'ExternalName' && isHeadless(before)))
    return;
  const had = stringAt(before, 'type') === 'ExternalName' ? 0 : stringsAt(before, 'clusterIPs').length;
  const addresses = [...stringsAt(spec, 'clusterIPs')];
  const families = stringsAt(spec, 'ipFamilies');
  for (const [index, text] of families.entries()) {
    const given = addresses[index] ?? '';
    if (index < had && given !== '') continue;
    const family: IpFamily = text === 'IPv6' ? 'IPv6' : 'IPv4';
    if (given === '')
      addresses[index] = attempt(
        () => claims.chooseAddress(family),
        (text) => internalError(`failed to allocate a serviceIP: ${text}`),
      );
    else {
      attempt(
        () => claims.claimAddress(family, given),
        (text) => refused(name, invalidValue('spec.clusterIPs', addresses, `failed to allocate IP ${given}: ${text}`)),
      );
    }
  }
  const [first] = addresses;
  if (first === undefined) return;
  spec['clusterIPs'] = addresses;
  spec['clusterIP'] = first;
}

/** The ports of one number share a node port, for their protocols: the first that one of them names, else one that is chosen. */
function choosePortsOfNew(spec: JsonObject, claims: AllocationClaims, name: string): void {
  if (!mayHaveNodePorts(spec)) return;
  const ports = portsOf(spec);
  const chooses = takesNodePorts(spec);
  const shared = new Map<number, Set<number>>();
  for (const [index, port] of ports.entries()) {
    const number = numberAt(port, 'port');
    const group = shared.get(number) ?? new Set();
    shared.set(number, group);
    const named = numberAt(port, 'nodePort');
    const wanted = named !== 0 || !chooses ? named : (firstOf(group) ?? firstNamed(ports, number));
    if (wanted === 0) {
      if (chooses) group.add((port['nodePort'] = chosenPort(claims)));
      continue;
    }
    if (!group.has(wanted)) claimNodePort(claims, name, index, wanted);
    group.add(wanted);
    port['nodePort'] = wanted;
  }
}

const firstOf = (group: ReadonlySet<number>): number | undefined => group.values().next().value;

const firstNamed = (ports: readonly JsonObject[], number: number): number =>
  ports
    .filter((port) => numberAt(port, 'port') === number)
    .map((port) => numberAt(port, 'nodePort'))
    .find((port) => port !== 0) ?? 0;

/** What the Service had it keeps for whichever port and protocol; every port without a node port gets one of its own. */
function choosePortsOfChanged(spec: JsonObject, before: JsonObject, claims: AllocationClaims, name: string): void {
  if (!mayHaveNodePorts(spec)) return;
  const usable = new Set(mayHaveNodePorts(before) ? portsOf(before).map((port) => numberAt(port, 'nodePort')) : []);
  for (const [index, port] of portsOf(spec).entries()) {
    const wanted = numberAt(port, 'nodePort');
    if (wanted === 0) {
      if (takesNodePorts(spec)) port['nodePort'] = chosenPort(claims);
    } else if (!usable.has(wanted)) {
      claimNodePort(claims, name, index, wanted);
      usable.add(wanted);
    }
  }
}

function mayHaveNodePorts(spec: JsonObject): boolean {
  const type = stringAt(spec, 'type');
  return type === 'NodePort' || type === 'LoadBalancer';
}

const chosenPort = (claims: AllocationClaims): number =>
  attempt(
    () => claims.choosePort(),
    (text) => internalError(`failed to allocate a nodePort: ${text}`),
  );

function claimNodePort(claims: AllocationClaims, name: string, index: number, port: number): void {
  attempt(
    () => claims.claimPort(port),
    (text) => refused(name, invalidValue(`spec.ports[${index}].nodePort`, port, text)),
  );
}

function chooseHealthCheckPort(spec: JsonObject, before: JsonObject, claims: AllocationClaims, name: string): void {
  if (!needsHealthCheck(spec) || (needsHealthCheck(before) && numberAt(before, 'healthCheckNodePort') !== 0)) return;
  const wanted = numberAt(spec, 'healthCheckNodePort');
  if (wanted === 0) {
    spec['healthCheckNodePort'] = attempt(
      () => claims.choosePort(),
      (text) => internalError(`failed to allocate a HealthCheck NodePort 0: ${text}`),
    );
    return;
  }
  attempt(
    () => claims.claimPort(wanted),
    (text) =>
      refused(
        name,
        invalidAs('spec.healthCheckNodePort', String(wanted), `failed to allocate requested HealthCheck NodePort ${wanted}: ${text}`),
      ),
  );
}

function held(service: JsonObject): Held {
  const spec = objectAt(service, 'spec') ?? {};
  const ids = new Map<string, string[]>();
  if (stringAt(spec, 'type') === 'ExternalName') return ids;
  for (const address of isHeadless(spec) ? [] : stringsAt(spec, 'clusterIPs')) {
    const id = addressId(address);
    if (id !== undefined) ids.set(id, []);
  }
  for (const port of mayHaveNodePorts(spec) ? portsOf(spec) : []) {
    const number = numberAt(port, 'nodePort');
    if (number === 0) continue;
    const protocols = ids.get(portId(number)) ?? [];
    protocols.push(stringAt(port, 'protocol') ?? '');
    ids.set(portId(number), protocols);
  }
  const health = needsHealthCheck(spec) ? numberAt(spec, 'healthCheckNodePort') : 0;
  if (health !== 0 && !ids.has(portId(health))) ids.set(portId(health), []);
  return ids;
}

/** Runs a claim; what it cannot be granted becomes the answer that `refusal` makes of the text. */
function attempt<R>(claim: () => R, refusal: (text: string) => StatusError): R {
  try {
    return claim();
  } catch (error) {
    throw error instanceof NotAllocated ? refusal(error.message) : error;
  }
}

function refused(name: string, error: FieldError): StatusError {
  return invalid({ group: '', kind: 'Service' }, name, [error]);
}
