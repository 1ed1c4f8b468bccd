/**
 * The one-shot service that grants the simulation of nodes what it needs: `node
 * dist/deploy/compose/simulation-access.js <folder of the administrator's files>`.
 */
import { systemClock as clock } from '../../shared/runtime/clock';
import { systemRandom as random } from '../../shared/runtime/random';
import { grantSimulationAccess } from '../cluster/simulation-access';
import { readAdministratorFiles } from './administrator-files';

async function main(): Promise<void> {
  const [folder = '/pki/admin'] = process.argv.slice(2);
  const { PLATFORM_INSIDE: server = 'https://front:6443' } = process.env;
  const administrator = { ...readAdministratorFiles(folder), server, naming: 'platform', clock, random } as const;
  await grantSimulationAccess(administrator, new AbortController().signal);
  process.stdout.write('the simulation of nodes has its roles\n');
}

void main();
