/**
 * The one-shot service that publishes the ConfigMap cluster-info for joining machines: `node
 * dist/deploy/compose/publish-cluster-info.js <folder of the administrator's files>`.
 */
import { systemClock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';
import { publishClusterInfo } from '../cluster/cluster-info';
import { readAdministratorFiles } from './administrator-files';

async function main(): Promise<void> {
  const [folder = '/pki/admin'] = process.argv.slice(2);
  const { PLATFORM_ADDRESS: externalAddress = 'https://127.0.0.1:6443', PLATFORM_INSIDE: internalAddress = 'https://front:6443' } =
    process.env;
  const files = readAdministratorFiles(folder);
  const publication = { ...files, server: externalAddress, reachableAt: internalAddress, naming: 'platform' } as const;
  await publishClusterInfo(publication, systemClock, systemRandom, new AbortController().signal);
  process.stdout.write(`clients that join find the cluster at ${externalAddress}\n`);
}

void main();
