/**
 * Chooses the endpoint for a proxied request to a Service: a ready address of its Endpoints. As upstream requires,
 * the `targetRef` of the address must name a pod of the same namespace that has the address, so addresses that users
 * write into Endpoints cannot lead to other hosts. Opens no connections.
 */
import { arrayAt, isObject, objectAt, ownMember, stringAt, type JsonObject } from '../../../shared/values/json';
import { parseIpAddress } from '../../../shared/values/network/ip-address';
import { serviceUnavailable } from '../../../shared/api/errors/status';
import { quote } from '../../../shared/values/text/quote';
import type { Entry } from '../../cache/cache';
import { parseEntry } from '../object/stored-object';

export interface ServiceEndpoint {
  readonly address: string;
  readonly port: number;
}

export interface EndpointChoice {
  readonly namespace: string;
  /** The name of the port in the Endpoints. */
  readonly portName: string;
  /** Random number in [0, 1) that selects the first candidate. */
  readonly chance: number;
  /** Reads a pod of the namespace; `undefined` when it does not exist. */
  readonly getPod: (name: string) => Promise<Entry | undefined>;
}

/** Bounds the addresses that are tried, for Endpoints with many references to missing pods. */
const MAX_TRIED = 1_000;

/** `undefined` when no address with that port belongs to a pod. */
export async function chooseEndpoint(endpoints: JsonObject, choice: EndpointChoice): Promise<ServiceEndpoint | undefined> {
  const candidates = candidatesIn(endpoints, choice);
  const first = Math.floor(choice.chance * candidates.length);
  for (const { address, port, podName } of [...candidates.slice(first), ...candidates.slice(0, first)].slice(0, MAX_TRIED)) {
    const pod = await choice.getPod(podName);
    if (pod !== undefined && hasAddress(pod, address)) return { address, port };
  }
  return undefined;
}

type Candidate = ServiceEndpoint & { readonly podName: string };

function candidatesIn(endpoints: JsonObject, { namespace, portName }: EndpointChoice): readonly Candidate[] {
  return (arrayAt(endpoints, 'subsets') ?? []).filter(isObject).flatMap((subset) => {
    const ports = (arrayAt(subset, 'ports') ?? []).filter(isObject);
    const port = ports.find((each) => (stringAt(each, 'name') ?? '') === portName);
    if (port === undefined) return [];
    return (arrayAt(subset, 'addresses') ?? []).filter(isObject).flatMap((address) => {
      const target = objectAt(address, 'targetRef');
      if (target === undefined || (stringAt(target, 'namespace') ?? '') !== namespace) return [];
      return [
        { address: stringAt(address, 'ip') ?? '', port: Number(ownMember(port, 'port') ?? 0), podName: stringAt(target, 'name') ?? '' },
      ];
    });
  });
}

function hasAddress(pod: Entry, text: string): boolean {
  if (pod.fields['status.podIP'] === text) return true;
  const wanted = parseIpAddress(text);
  const status = objectAt(parseEntry(pod).object, 'status');
  return (arrayAt(status, 'podIPs') ?? []).filter(isObject).some((item) => {
    const address = parseIpAddress(stringAt(item, 'ip') ?? '');
    return wanted !== undefined && address?.family === wanted.family && address.value === wanted.value;
  });
}

const INT64 = 63;
const NUMBER = /^[+-]?[0-9]{1,19}$/;

/** The number of a port in a request to a Service; `undefined` when the port is a name. */
export function servicePortNumber(text: string): bigint | undefined {
  if (!NUMBER.test(text)) return undefined;
  const number = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(INT64 + 1, number) === number ? number : undefined;
}

/** The name of the Service's port with this number. Throws 503 when there is none. */
export function servicePortName(service: JsonObject, name: string, number: bigint): string {
  const ports = (arrayAt(objectAt(service, 'spec'), 'ports') ?? []).filter(isObject);
  const match = ports.find((each) => Number(ownMember(each, 'port')) === Number(number));
  if (match === undefined) throw serviceUnavailable(`no service port ${number} found for service ${quote(name)}`);
  return stringAt(match, 'name') ?? '';
}
