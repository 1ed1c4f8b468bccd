/**
 * The one-shot service that publishes the ConfigMap cluster-info for joining machines: `node
 * dist/deploy/compose/publish-cluster-info.js <folder of the administrator's files>`.
 */
import { systemClock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';
import { publishClusterInfo } from '../cluster/cluster-info';
import { readClusterAccess } from './cluster-access';

async function main(): Promise<void> {
  const [folder = '/pki/admin'] = process.argv.slice(2);
  const { PLATFORM_ADDRESS: server = 'https://127.0.0.1:6443' } = process.env;
  const { internalAddress: reachableAt, ...access } = readClusterAccess(folder, process.env);
  await publishClusterInfo({ ...access, server, reachableAt }, systemClock, systemRandom, new AbortController().signal);
  process.stdout.write(`clients that join find the cluster at ${server}\n`);
}

void main();
