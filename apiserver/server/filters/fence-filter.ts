/**
 * Hides the Lease that a write names as its fence from users that may not read it: the write is refused as if the
 * term were over, so that a user cannot probe holders and terms. Service accounts of the system namespace are exempt:
 * controllers write with these accounts, and their upstream roles do not include Leases.
 */
import { FENCE_HEADER, parseFence } from '../../../shared/api/identity/fencing';
import { parseServiceAccountUserName } from '../../../shared/api/identity/user';
import { canonicalNamespace, type GeneratedNames } from '../../../shared/names/dialect';
import { whenResolved } from '../../../shared/runtime/maybe-promise';
import type { Authorizer } from '../../authorization/authorizer';
import type { Filter } from './filter-chain';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export function hideFencingLease(authorizer: Authorizer, names: GeneratedNames): Filter {
  return (exchange) => {
    if (READS.has(exchange.method)) return true;
    const text = exchange.header(FENCE_HEADER);
    // A fence that cannot be parsed is refused by the write.
    const fence = text === undefined ? undefined : parseFence(text);
    const { user } = exchange;
    if (fence === undefined || parseServiceAccountUserName(user.name)?.namespace === names.systemNamespace) return true;
    const attributes = {
      kind: 'resource',
      verb: 'get',
      group: 'coordination.platform.io',
      version: 'v1',
      resource: 'leases',
      subresource: '',
      namespace: canonicalNamespace(names, fence.namespace),
      name: fence.name,
    } as const;
    return whenResolved(authorizer.authorize(user, attributes), ({ type }) => {
      exchange.setFenceHidden(type !== 'allow');
      return true;
    });
  };
}
