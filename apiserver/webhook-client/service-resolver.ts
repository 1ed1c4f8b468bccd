/** Where a webhook behind a Service is at this moment: one of the Service's ready endpoints, as this replica's cache knows them. Connects to nothing. */
import { arrayAt, isObject, objectAt, own, stringAt, stringsAt, type JsonObject } from '../../shared/values/json';
import { parseIpAddress } from '../../shared/values/ip-address';
import { isProxyable } from '../../shared/values/proxyable-address';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import type { Random } from '../../shared/runtime/random';
import type { Entry } from '../cache/cache';
import { parseEntry } from '../registry/object/stored-object';

export interface ServicePlace {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

export interface Reached {
  readonly host: string;
  readonly port: number;
}

/** A place, or why there is none. */
export type Resolve = (service: ServicePlace) => Reached | { readonly fault: string };

export interface ResolveParts {
  /** By namespace and name. */
  readonly service: (key: string) => Entry | undefined;
  /** The EndpointSlices of a namespace. */
  readonly slices: (namespace: string) => Iterable<Entry>;
  readonly random: Random;
}

const OWNER = 'platform.io/service-name';

export function serviceResolver(parts: ResolveParts): Resolve {
  return (place) => {
    const found = lookUp(parts, place);
    const name = JSON.stringify(place.name);
    switch (found.state) {
      case 'absent':
        return { fault: `service ${name} not found` };
      case 'no-port':
        return { fault: `no service port ${place.port} found for service ${name}` };
      case 'no-endpoints':
      case 'none-ready':
        return { fault: `no endpoints available for service ${name}` };
      case 'ready':
        return found.places[Math.floor(parts.random.float() * found.places.length)] ?? found.places[0];
    }
  };
}

/** How far the way to a Service leads. */
export type ServiceState = Found['state'];

export const serviceState =
  (parts: Pick<ResolveParts, 'service' | 'slices'>) =>
  (place: ServicePlace): ServiceState =>
    lookUp(parts, place).state;

type Found =
  | { readonly state: 'absent' | 'no-port' | 'no-endpoints' | 'none-ready' }
  | { readonly state: 'ready'; readonly places: readonly [Reached, ...Reached[]] };

function lookUp({ service, slices }: Pick<ResolveParts, 'service' | 'slices'>, { namespace, name, port }: ServicePlace): Found {
  const entry = service(`${namespace}/${name}`);
  if (entry === undefined) return { state: 'absent' };
  const spec = objectAt(parseEntry(entry).object, 'spec') ?? {};
  if (stringAt(spec, 'type') === 'ExternalName') return { state: 'ready', places: [{ host: stringAt(spec, 'externalName') ?? '', port }] };
  const found = (arrayAt(spec, 'ports') ?? []).filter(isObject).find((one) => own(one, 'port') === port);
  if (found === undefined) return { state: 'no-port' };
  const ofService = [...slices(namespace)].filter((slice) => servedBy(slice) === name);
  if (ofService.length === 0) return { state: 'no-endpoints' };
  const [first, ...others] = readyPlaces(ofService, stringAt(found, 'name') ?? '');
  return first === undefined ? { state: 'none-ready' } : { state: 'ready', places: [first, ...others] };
}

function readyPlaces(slices: Iterable<Entry>, portName: string): readonly Reached[] {
  const places: Reached[] = [];
  for (const slice of slices) {
    const { object } = parseEntry(slice);
    const port = (arrayAt(object, 'ports') ?? []).filter(isObject).find((one) => (stringAt(one, 'name') ?? '') === portName);
    const number = port === undefined ? undefined : own(port, 'port');
    if (typeof number !== 'number') continue;
    for (const host of readyAddresses(object)) places.push({ host, port: number });
  }
  return places;
}

/** The Service of a slice. */
export function servedBy({ labels }: Pick<Entry, 'labels'>): string | undefined {
  const label = Object.keys(labels).find((one) => one.endsWith('service-name') && canonicalQualifiedName(one) === OWNER);
  return label === undefined ? undefined : labels[label];
}

/**
 * The addresses of ready endpoints; one without the condition `ready` is ready. Skips host names (address type FQDN), which no other client in a cluster resolves, and
 * addresses of the server's own machine.
 */
function readyAddresses(slice: JsonObject): readonly string[] {
  return (arrayAt(slice, 'endpoints') ?? []).filter(isObject).flatMap((endpoint) => {
    if (own(objectAt(endpoint, 'conditions') ?? {}, 'ready') === false) return [];
    return stringsAt(endpoint, 'addresses').slice(0, 1).filter(isProxyableText);
  });
}

function isProxyableText(text: string): boolean {
  const address = parseIpAddress(text);
  return address !== undefined && isProxyable(address);
}
