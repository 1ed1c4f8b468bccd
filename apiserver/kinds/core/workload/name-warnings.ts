/** A name that Pods are going to bear, and that would surprise as a host name. */
import { stringAt, type JsonObject } from '../../../../shared/values/json';
import { dnsLabel } from '../../../../shared/values/name-formats';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';

const TEXT =
  'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: ';

export function nameWarnings(object: JsonObject): readonly string[] {
  const faults = dnsLabel(stringAt(readMetadata(object), 'name') ?? '');
  return faults.length === 0 ? [] : [`${TEXT}[${faults.join(' ')}]`];
}
