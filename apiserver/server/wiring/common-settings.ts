/** What all servers of a cluster must have in common beside what their store holds, as each tells the others. Says nothing that is secret. */
import { createHash } from 'node:crypto';
import type { TokenKeys } from '../../../shared/api/identity/token-keys';
import type { CommonSettings } from '../../reconcilers/replicas/peers';
import type { ServerOptions } from './server-options';

type Told = Pick<ServerOptions, 'serviceRanges' | 'nodePorts' | 'serviceAccounts'>;

export function commonSettings({ serviceRanges, nodePorts, serviceAccounts }: Told): CommonSettings {
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

const DIGEST_LENGTH = 16;

/** Of the public halves, in whatever order they are read. */
function digestOf({ checking }: TokenKeys): string {
  const ids = checking.map(({ id }) => id).sort();
  return createHash('sha256').update(ids.join('\n')).digest('base64url').slice(0, DIGEST_LENGTH);
}
