/**
 * The one-shot service that publishes the ConfigMap cluster-info for joining machines: `node
 * dist/deploy/compose/publish-cluster-info.js <folder of the administrator's files>`.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';
import { publishClusterInfo } from '../cluster/cluster-info';
import { ADMIN_LEAF } from '../cluster/identities';

async function main(): Promise<void> {
  const [folder = '/pki/admin'] = process.argv.slice(2);
  const { PLATFORM_ADDRESS: externalAddress = 'https://127.0.0.1:6443', PLATFORM_INSIDE: internalAddress = 'https://front:6443' } =
    process.env;
  const text = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
  const admin = { certificate: text(`${ADMIN_LEAF.file}.crt`), key: text(`${ADMIN_LEAF.file}.key`) };
  const publication = {
    server: externalAddress,
    reachableAt: internalAddress,
    authority: text('ca.crt'),
    admin,
    naming: 'platform',
  } as const;
  await publishClusterInfo(publication, systemClock, systemRandom, new AbortController().signal);
  process.stdout.write(`clients that join find the cluster at ${externalAddress}\n`);
}

void main();
