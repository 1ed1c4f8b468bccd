/** How API servers name themselves in the Leases that tell which of them there are, in both dialects. */
import type { Dialect, GeneratedNames } from './dialect';

const IDENTITY_LABEL_VALUE: Readonly<Record<Dialect, string>> = { platform: 'platform-apiserver', kubernetes: 'kube-apiserver' };

/** The labels and the annotation of such a Lease. */
export interface IdentityLabels {
  /** By its value the Leases of API servers are told from others. */
  readonly identity: readonly [name: string, value: string];
  /** The name of the label that bears the machine's name. */
  readonly hostname: string;
  /** The name of the annotation that bears what has to be the same for all servers of a cluster. */
  readonly settings: string;
}

export function identityLabels({ dialect, prefix }: GeneratedNames): IdentityLabels {
  return {
    identity: [`apiserver.${prefix}/identity`, IDENTITY_LABEL_VALUE[dialect]],
    hostname: `${prefix}/hostname`,
    settings: `apiserver.${prefix}/settings`,
  };
}

/** What the name of such a Lease begins with. */
export const IDENTITY_LEASE_PREFIX = 'apiserver-';
