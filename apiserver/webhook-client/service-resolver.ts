/**
 * Resolves a Service of this cluster to the address of one of its ready endpoints, from this replica's cache. Opens
 * no connection.
 */
import { arrayAt, isObject, objectAt, ownMember, stringAt, stringsAt, type JsonObject } from '../../shared/values/json';
import { parseIpAddress } from '../../shared/values/network/ip-address';
import { isProxyable } from '../../shared/values/network/proxyable-address';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import type { Random } from '../../shared/runtime/random';
import type { Entry } from '../cache/cache';
import { parseEntry } from '../registry/object/stored-object';

/** A port of a Service; `port` is the number in the Service's spec, not that of its endpoints. */
export interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** An endpoint, by its IP address; for an ExternalName Service, its external name. */
export interface ResolvedAddress {
  readonly host: string;
  readonly port: number;
}

/** An address, or the reason why there is none. */
export type Resolve = (service: ServicePort) => ResolvedAddress | { readonly error: string };

/** The objects that the resolver reads, and its source of randomness. */
export interface ResolverDependencies {
  /** `key`: `<namespace>/<name>`. */
  readonly service: (key: string) => Entry | undefined;
  /** The EndpointSlices of a namespace. */
  readonly slices: (namespace: string) => Iterable<Entry>;
  readonly random: Random;
}

const SERVICE_NAME_LABEL = 'platform.io/service-name';

/** The resolver chooses at random among the ready endpoints; an ExternalName Service resolves to its name. */
export function createServiceResolver(deps: ResolverDependencies): Resolve {
  return (servicePort) => {
    const lookup = lookUpService(deps, servicePort);
    const name = JSON.stringify(servicePort.name);
    switch (lookup.state) {
      case 'absent':
        return { error: `service ${name} not found` };
      case 'no-port':
        return { error: `no service port ${servicePort.port} found for service ${name}` };
      case 'no-endpoints':
      case 'none-ready':
        return { error: `no endpoints available for service ${name}` };
      case 'ready':
        return lookup.addresses[Math.floor(deps.random.float() * lookup.addresses.length)] ?? lookup.addresses[0];
    }
  };
}

/**
 * How far the resolution of a Service port succeeds:
 * - `absent`: there is no such Service.
 * - `no-port`: the Service lacks the port.
 * - `no-endpoints`: the Service has no EndpointSlices.
 * - `none-ready`: no endpoint of the port is ready and has an address that may be called.
 * - `ready`: there is an endpoint, or the Service is an ExternalName.
 */
export type ServiceState = ServiceLookup['state'];

/** Returns the state of a Service port, without choosing among its endpoints. */
export const serviceState =
  (deps: Pick<ResolverDependencies, 'service' | 'slices'>) =>
  (servicePort: ServicePort): ServiceState =>
    lookUpService(deps, servicePort).state;

type ServiceLookup =
  | { readonly state: 'absent' | 'no-port' | 'no-endpoints' | 'none-ready' }
  | { readonly state: 'ready'; readonly addresses: readonly [ResolvedAddress, ...ResolvedAddress[]] };

function lookUpService(
  { service, slices }: Pick<ResolverDependencies, 'service' | 'slices'>,
  { namespace, name, port }: ServicePort,
): ServiceLookup {
  const entry = service(`${namespace}/${name}`);
  if (entry === undefined) return { state: 'absent' };
  const spec = objectAt(parseEntry(entry).object, 'spec') ?? {};
  if (stringAt(spec, 'type') === 'ExternalName')
    return { state: 'ready', addresses: [{ host: stringAt(spec, 'externalName') ?? '', port }] };
  const servicePort = (arrayAt(spec, 'ports') ?? []).filter(isObject).find((candidate) => ownMember(candidate, 'port') === port);
  if (servicePort === undefined) return { state: 'no-port' };
  const serviceSlices = [...slices(namespace)].filter((slice) => serviceNameOf(slice) === name);
  if (serviceSlices.length === 0) return { state: 'no-endpoints' };
  const [first, ...rest] = readyAddresses(serviceSlices, stringAt(servicePort, 'name') ?? '');
  return first === undefined ? { state: 'none-ready' } : { state: 'ready', addresses: [first, ...rest] };
}

function readyAddresses(slices: Iterable<Entry>, portName: string): readonly ResolvedAddress[] {
  const addresses: ResolvedAddress[] = [];
  for (const slice of slices) {
    const { object } = parseEntry(slice);
    const port = (arrayAt(object, 'ports') ?? []).filter(isObject).find((candidate) => (stringAt(candidate, 'name') ?? '') === portName);
    const portNumber = port === undefined ? undefined : ownMember(port, 'port');
    if (typeof portNumber !== 'number') continue;
    for (const host of readyHosts(object)) addresses.push({ host, port: portNumber });
  }
  return addresses;
}

/** The name of the Service that an EndpointSlice belongs to. */
export function serviceNameOf({ labels }: Pick<Entry, 'labels'>): string | undefined {
  const label = Object.keys(labels).find((key) => key.endsWith('service-name') && canonicalQualifiedName(key) === SERVICE_NAME_LABEL);
  return label === undefined ? undefined : labels[label];
}

/**
 * The first address of each ready endpoint; an endpoint without the condition `ready` is ready. Skips host names (address
 * type FQDN), because kube-proxy does not resolve them either, and addresses that only this machine reaches, such as
 * 127.0.0.1.
 */
function readyHosts(slice: JsonObject): readonly string[] {
  return (arrayAt(slice, 'endpoints') ?? []).filter(isObject).flatMap((endpoint) => {
    if (ownMember(objectAt(endpoint, 'conditions') ?? {}, 'ready') === false) return [];
    return stringsAt(endpoint, 'addresses').slice(0, 1).filter(isProxyableHost);
  });
}

function isProxyableHost(text: string): boolean {
  const address = parseIpAddress(text);
  return address !== undefined && isProxyable(address);
}
