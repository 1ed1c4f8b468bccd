/** Warns about a workload name that is no DNS label, because the names and host names of its Pods derive from it. */
import { checkDnsLabel } from '../../../../shared/values/name-formats';
import type { MetaV1ObjectMeta } from '../../../../shared/api/types/generated/members';

const WARNING_START =
  'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: ';

/** At most one warning; none for a valid name. */
export function podNameWarnings(object: { readonly metadata?: MetaV1ObjectMeta }): readonly string[] {
  const errors = checkDnsLabel(object.metadata?.name ?? '');
  return errors.length === 0 ? [] : [`${WARNING_START}[${errors.join(' ')}]`];
}
