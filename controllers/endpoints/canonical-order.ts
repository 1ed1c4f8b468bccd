/**
 * Sorts addresses, ports and subsets of Endpoints as upstream does, so that neither controller manager rewrites the
 * Endpoints of the other. Addresses are sorted by IP and uid; ports and subsets by the MD5 of their text as Go's spew
 * prints it (`%#v`). The order depends only on the content.
 */
import { createHash } from 'node:crypto';
import type { CoreV1EndpointAddress, CoreV1EndpointPort, CoreV1ObjectReference } from '../../shared/api/types/generated/members';
import { compareBytes } from '../../shared/values/json';

/** A subset with all its lists. */
export interface Subset {
  readonly ports: readonly CoreV1EndpointPort[];
  readonly addresses: readonly CoreV1EndpointAddress[];
  readonly notReadyAddresses: readonly CoreV1EndpointAddress[];
}

/** By IP, then by the uid of the target. */
export const compareAddresses = (a: CoreV1EndpointAddress, b: CoreV1EndpointAddress): number =>
  compareBytes(a.ip ?? '', b.ip ?? '') || compareBytes(a.targetRef?.uid ?? '', b.targetRef?.uid ?? '');

/**
 * Sorts the ports in each subset, then the subsets. The caller has sorted the addresses with {@link compareAddresses}.
 */
export function sortSubsets(subsets: readonly Subset[]): readonly Subset[] {
  const sorted = subsets.map((subset) => ({ ...subset, ports: sortByHash(subset.ports, (port) => `(v1.EndpointPort)${goPort(port)}`) }));
  return sortByHash(sorted, (subset) => `(v1.EndpointSubset)${goSubset(subset)}`);
}

function sortByHash<T>(items: readonly T[], textOf: (item: T) => string): readonly T[] {
  if (items.length < 2) return items;
  const hashed = items.map((item) => ({ item, hash: createHash('md5').update(textOf(item)).digest('hex') }));
  return hashed.sort((a, b) => compareBytes(a.hash, b.hash)).map(({ item }) => item);
}

function goSubset({ addresses, notReadyAddresses, ports }: Subset): string {
  const goAddresses = (list: readonly CoreV1EndpointAddress[]): string => `([]v1.EndpointAddress)${goList(list, goAddress)}`;
  return `{Addresses:${goAddresses(addresses)} NotReadyAddresses:${goAddresses(notReadyAddresses)} Ports:([]v1.EndpointPort)${goList(ports, goPort)}}`;
}

function goAddress({ ip, hostname, nodeName, targetRef }: CoreV1EndpointAddress): string {
  const reference = targetRef === undefined ? '<nil>' : goReference(targetRef);
  return `{IP:${goString(ip)} Hostname:${goString(hostname)} NodeName:${goPointer(nodeName)} TargetRef:(*v1.ObjectReference)${reference}}`;
}

function goReference({ kind, namespace, name, uid = '', apiVersion, resourceVersion, fieldPath }: CoreV1ObjectReference): string {
  const identity = `Kind:${goString(kind)} Namespace:${goString(namespace)} Name:${goString(name)} UID:(types.UID)${uid}`;
  return `{${identity} APIVersion:${goString(apiVersion)} ResourceVersion:${goString(resourceVersion)} FieldPath:${goString(fieldPath)}}`;
}

function goPort({ name, port = 0, protocol = '', appProtocol }: CoreV1EndpointPort): string {
  return `{Name:${goString(name)} Port:(int32)${port} Protocol:(v1.Protocol)${protocol} AppProtocol:${goPointer(appProtocol)}}`;
}

const goList = <T>(list: readonly T[], format: (item: T) => string): string =>
  list.length === 0 ? '<nil>' : `[${list.map(format).join(' ')}]`;

const goString = (text = ''): string => `(string)${text}`;

const goPointer = (text: string | undefined): string => `(*string)${text ?? '<nil>'}`;
