/**
 * Names in identity Leases, in both dialects. Each running API server of a cluster holds one identity Lease
 * (apiserver/reconcilers).
 */
import type { Dialect, GeneratedNames } from './dialect';

const IDENTITY_LABEL_VALUE: Readonly<Record<Dialect, string>> = { platform: 'platform-apiserver', kubernetes: 'kube-apiserver' };

/** Names on identity Leases. */
export interface IdentityLabels {
  /** The label that distinguishes identity Leases from other Leases. */
  readonly identity: readonly [name: string, value: string];
  /** The name of the label with the host name. */
  readonly hostname: string;
  /** The name of the annotation with the settings that must be equal on all servers of a cluster. */
  readonly settings: string;
}

/** The labels in the spelling of the generated names. */
export function identityLabels({ dialect, prefix }: GeneratedNames): IdentityLabels {
  return {
    identity: [`apiserver.${prefix}/identity`, IDENTITY_LABEL_VALUE[dialect]],
    hostname: `${prefix}/hostname`,
    settings: `apiserver.${prefix}/settings`,
  };
}

/** The prefix of the names of identity Leases. */
export const IDENTITY_LEASE_PREFIX = 'apiserver-';
