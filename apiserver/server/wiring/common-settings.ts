/**
 * The settings that all replicas of a server must share apart from the content of the store, in the form in which each
 * replica publishes them. Contains no secrets. Comparing them is left to `reconcilers/replicas`.
 */
import { createHash } from 'node:crypto';
import type { TokenKeys } from '../../../shared/api/identity/token-keys';
import type { CommonSettings } from '../../reconcilers/replicas/peer-checks';
import type { ServerOptions } from './server-options';

/** The options that must be equal on all replicas. */
type SharedOptions = Pick<ServerOptions, 'serviceRanges' | 'nodePorts' | 'serviceAccounts'>;

/** The settings of this replica, by the name of their flag. */
export function commonSettings({ serviceRanges, nodePorts, serviceAccounts }: SharedOptions): CommonSettings {
  return {
    '--service-cluster-ip-range': serviceRanges.map(({ text }) => text).join(','),
    '--service-node-port-range': `${nodePorts.first}-${nodePorts.first + nodePorts.size - 1}`,
    ...(serviceAccounts === undefined
      ? {}
      : {
          '--service-account-issuer': serviceAccounts.issuers[0],
          '--service-account-key-file': digestOf(serviceAccounts.keys()),
        }),
  };
}

/** Characters of base64url, so 96 bits: enough to distinguish sets of keys. */
const DIGEST_LENGTH = 16;

/** Digest of the public keys, in any order. */
function digestOf({ verifying }: TokenKeys): string {
  const ids = verifying.map(({ id }) => id).sort();
  return createHash('sha256').update(ids.join('\n')).digest('base64url').slice(0, DIGEST_LENGTH);
}
