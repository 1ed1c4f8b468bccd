/**
 * The one-shot service that grants the simulation of nodes what it needs: `node
 * dist/deploy/compose/simulation-access.js <folder of the administrator's files>`.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock as clock } from '../../shared/runtime/clock';
import { systemRandom as random } from '../../shared/runtime/random';
import { ADMIN_LEAF } from '../cluster/identities';
import { grantSimulationAccess } from '../cluster/simulation-access';

async function main(): Promise<void> {
  const [folder = '/pki/admin'] = process.argv.slice(2);
  const { PLATFORM_INSIDE: server = 'https://front:6443' } = process.env;
  const text = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
  const admin = { certificate: text(`${ADMIN_LEAF.file}.crt`), key: text(`${ADMIN_LEAF.file}.key`) };
  const administrator = { server, authority: text('ca.crt'), admin, naming: 'platform', clock, random } as const;
  await grantSimulationAccess(administrator, new AbortController().signal);
  process.stdout.write('the simulation of nodes has its roles\n');
}

void main();
