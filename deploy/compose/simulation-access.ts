/**
 * The one-shot service that grants the simulation of nodes what it needs: `node
 * dist/deploy/compose/simulation-access.js <folder of the administrator's files>`.
 */
import { systemClock as clock } from '../../shared/runtime/clock';
import { systemRandom as random } from '../../shared/runtime/random';
import { grantSimulationAccess } from '../cluster/simulation-access';
import { readClusterAccess } from './cluster-access';

async function main(): Promise<void> {
  const [folder = '/pki/admin'] = process.argv.slice(2);
  const { internalAddress: server, ...access } = readClusterAccess(folder, process.env);
  await grantSimulationAccess({ ...access, server, clock, random }, new AbortController().signal);
  process.stdout.write('the simulation of nodes has its roles\n');
}

void main();
