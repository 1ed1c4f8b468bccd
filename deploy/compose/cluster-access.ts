/** How a one-shot service reaches the cluster: the administrator's files, and variables of docker-compose.yml. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { EnvironmentVariables } from '../../shared/cli/flags';
import { DIALECTS, type Dialect } from '../../shared/names/dialect';
import type { Credential } from '../../shared/pki/certificates';
import { ADMIN_LEAF, CLUSTER_AUTHORITY } from '../cluster/identities';

/** How a service in a container connects to the API servers. */
export interface ClusterAccess {
  /** The https URL of the API servers for other services. */
  readonly internalAddress: string;
  /** PEM. */
  readonly authority: string;
  readonly admin: Credential;
  readonly naming: Dialect;
}

/** `folder` has the administrator's files. Throws file system errors, and an error for an unknown naming. */
export function readClusterAccess(folder: string, environment: EnvironmentVariables): ClusterAccess {
  const { PLATFORM_INSIDE: internalAddress = 'https://front:6443', PLATFORM_NAMING: name = 'platform' } = environment;
  const naming = DIALECTS.find((dialect) => dialect === name);
  if (naming === undefined) throw new Error(`PLATFORM_NAMING=${name} has to be one of ${DIALECTS.join(', ')}`);
  const text = (file: string): string => readFileSync(path.join(folder, file), 'utf8');
  const admin = { certificate: text(`${ADMIN_LEAF.file}.crt`), key: text(`${ADMIN_LEAF.file}.key`) };
  return { internalAddress, authority: text(`${CLUSTER_AUTHORITY.file}.crt`), admin, naming };
}
