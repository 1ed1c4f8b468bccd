/**
 * Records the tables that kubectl prints of the manifests in test/e2e/manifests when the reference server holds them:
 *   node deploy/scripts/run.mjs test/replay/tools/record-tables.js <kubeconfig of the reference> > test/e2e/manifests/tables.txt
 */
import { KubectlSession } from '../../support/external/kubectl-session';
import { manifests, printedTables } from '../../support/scenarios/manifest-tables';
import { packagedProgram } from '../../support/external/kubectl';

const NAMESPACE = 'show-shop';

async function main(kubeconfig: string): Promise<void> {
  const session = new KubectlSession(packagedProgram('kubectl') ?? 'kubectl', kubeconfig, NAMESPACE);
  await session.run(`create namespace ${NAMESPACE}`);
  try {
    await session.ok('apply -f -', manifests(NAMESPACE));
    process.stdout.write(await printedTables(session));
  } finally {
    await session.run('delete --wait=false -f -', manifests(NAMESPACE));
  }
}

main(process.argv[2] ?? '').catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
});
