/**
 * The one-shot service that creates the certificates of a cluster in containers: `node dist/deploy/compose/pki.js
 * <folder>`. A later run renews those that expire; the components reload their files.
 */
import { systemClock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';
import { ensureClusterFiles } from './cluster-files';

async function main(): Promise<void> {
  const [root = '/pki'] = process.argv.slice(2);
  const {
    PLATFORM_ADDRESS: externalAddress = 'https://127.0.0.1:6443',
    PLATFORM_NAMES: names = '',
    GRAFANA_PASSWORD: grafanaPassword = '',
  } = process.env;
  const options = { externalAddress, names: names.split(',').filter((name) => name !== ''), grafanaPassword };
  const created = await ensureClusterFiles(root, { ...options, clock: systemClock, random: systemRandom });
  process.stdout.write(created.length === 0 ? 'all certificates are valid\n' : `created ${created.join(', ')}\n`);
}

void main();
