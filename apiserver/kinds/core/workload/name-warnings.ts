/** A name that Pods are going to bear, and that would surprise as a host name. */
import { checkDnsLabel } from '../../../../shared/values/name-formats';
import type { MetaV1ObjectMeta } from '../../../../shared/api/types/generated/members';

const WARNING =
  'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: ';

export function podNameWarnings(object: { readonly metadata?: MetaV1ObjectMeta }): readonly string[] {
  const faults = checkDnsLabel(object.metadata?.name ?? '');
  return faults.length === 0 ? [] : [`${WARNING}[${faults.join(' ')}]`];
}
