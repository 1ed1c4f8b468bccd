/**
 * The folder of the administrator's files (deploy/cluster/component-files.ts) as the one-shot services read it. Throws
 * file system errors.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Credential } from '../../shared/pki/certificates';
import { ADMIN_LEAF, CLUSTER_AUTHORITY } from '../cluster/identities';

export interface AdministratorFiles {
  /** PEM: the authority of the API servers. */
  readonly authority: string;
  readonly admin: Credential;
}

export function readAdministratorFiles(folder: string): AdministratorFiles {
  const text = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
  return {
    authority: text(`${CLUSTER_AUTHORITY.file}.crt`),
    admin: { certificate: text(`${ADMIN_LEAF.file}.crt`), key: text(`${ADMIN_LEAF.file}.key`) },
  };
}
