/**
 * `npm run test:compose`: checks the control plane in one container (single-container.ts), then runs the containers of
 * docker-compose.yml and prints measurements: start times, memory and CPU, and for each scenario (scenarios.ts) whether
 * requests fail, whether watches miss or repeat changes, and whether acknowledged writes are lost. Fails when clients are affected more than a scenario allows. Needs a Docker engine; takes over the project
 * `platform`, volumes included.
 *
 *   npm run test:compose [-- --scenarios=rolling-restart,full-disk] [--before=HEAD~1] [--no-build] [--keep]
 *
 * With --before the cluster starts with the programs of that commit and is upgraded under load; --no-build uses
 * existing images; --keep leaves everything running.
 */
import path from 'node:path';
import { readKubeconfig } from '../../shared/client/kubeconfig/kubeconfig';
import { errorMessage } from '../../shared/runtime/error-message';
import { connectClient } from '../support/connect-client';
import { removeFolder, temporaryFolder } from '../support/programs';
import { buildCommit, compose, docker, holdSmallDisk, IMAGE, releaseSmallDisk, sleep, tryDocker } from './container-engine';
import { ClientCrowd } from './client-crowd';
import { ClientLoad, type LoadReport } from './client-load';
import { scenarios, SkippedScenario, type Scenario } from './scenarios';
import { runSingleContainer, SINGLE_CONTAINER } from './single-container';
import { Upgrade } from './upgrade';

const option = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const hasFlag = (name: string): boolean => process.argv.includes(`--${name}`);

/** Time after a fault in which its consequences are still observed. */
const QUIET_MS = 3_000;
const SECOND = 1000;
/** Clients with connections of their own. */
const CROWD = 100;
/** The largest number of requests on the connections of one killed server. */
const MAX_INTERRUPTED_REQUESTS = 12;

async function timed<T>(description: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  console.log(`${description.padEnd(60)} ${((performance.now() - startedAt) / SECOND).toFixed(1).padStart(6)} s`);
  return result;
}

const formatCounts = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([message, times]) => `${times} x ${message}`).join('; ') || 'none';
const sumCounts = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((total, times) => total + times, 0);

/** Effects on clients that the scenario does not allow. */
function findFaults({ mayFail }: Scenario, seen: LoadReport): readonly string[] {
  const failed = sumCounts(seen.failedWrites) + sumCounts(seen.failedReads);
  const faults: string[] = [];
  if (mayFail === 'none' && failed > 0) faults.push(`${failed} requests failed`);
  if (mayFail === 'interrupted' && failed > MAX_INTERRUPTED_REQUESTS) faults.push(`${failed} requests failed`);
  if (seen.unexplained > 0) faults.push(`${seen.unexplained} writes failed without a reason`);
  if (seen.writes === 0) faults.push('no write succeeded');
  if (seen.missed > 0) faults.push(`${seen.missed} changes were missed`);
  if (seen.repeated > 0) faults.push(`${seen.repeated} changes were repeated`);
  return faults;
}

function printReport(seen: LoadReport): void {
  const { writes, failedWrites, reads, failedReads, kubectl, longestWriteGapMs, missed, repeated, lists } = seen;
  console.log(`    ${writes} writes, failed: ${formatCounts(failedWrites)}; longest pause ${(longestWriteGapMs / SECOND).toFixed(1)} s`);
  console.log(`    ${reads} reads and ${kubectl} of kubectl, failed: ${formatCounts(failedReads)}`);
  console.log(`    changes: ${missed} missed, ${repeated} repeated, ${lists} lists`);
}

async function reportLosses(load: ClientLoad): Promise<readonly string[]> {
  // A failed comparison is a fault too, and does not prevent the remaining scenarios.
  const history = await load.compareWithStore().catch((error: unknown) => errorMessage(error));
  if (typeof history === 'string') return [`losses cannot be determined: ${history}`];
  const { created, lost, unexpected } = history;
  console.log(`    of ${created} created objects ${lost.length} are lost; ${unexpected.length} exist that were never created`);
  return [
    ...(lost.length > 0 ? [`lost: ${lost.slice(0, 5).join(', ')}`] : []),
    ...(unexpected.length > 0 ? [`never created: ${unexpected.slice(0, 5).join(', ')}`] : []),
  ];
}

/** Returns whether clients were affected no more than allowed. */
async function runScenario(scenario: Scenario, load: ClientLoad): Promise<boolean> {
  const { name, description } = scenario;
  load.takeReport();
  const startedAt = performance.now();
  const figure = await scenario.run().catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  if (figure instanceof SkippedScenario) {
    console.log(`${`${name}: ${description}`.padEnd(60)} SKIPPED: ${figure.message}`);
    return true;
  }
  await sleep(QUIET_MS);
  await load.waitUntilCaughtUp();
  const took = ((performance.now() - startedAt) / SECOND).toFixed(1).padStart(6);
  console.log(`${`${name}: ${description}`.padEnd(60)} ${took} s  ${figure instanceof Error ? '' : figure}`);
  const seen = load.takeReport();
  printReport(seen);
  const problems = [...findFaults(scenario, seen), ...(figure instanceof Error ? [figure.message] : []), ...(await reportLosses(load))];
  for (const fault of problems) console.log(`    WRONG: ${fault}`);
  return problems.length === 0;
}

/**
 * Builds the images. The first image of the cluster gets the name that the services use; with `--before` the result is
 * the name of the image of this tree.
 */
async function buildImages(): Promise<string | undefined> {
  const commit = option('before');
  if (!hasFlag('no-build')) await timed('build the image', () => compose('build', '--quiet'));
  if (commit === undefined) return undefined;
  const before = `${IMAGE}:before`;
  const after = `${IMAGE}:after`;
  await docker('tag', IMAGE, after);
  if (!hasFlag('no-build')) await timed(`build the image of ${commit}`, () => buildCommit(commit, before));
  await docker('tag', before, IMAGE);
  return after;
}

/** Whether the scenario is to run; without `--scenarios` all do. */
function isChosen(name: string): boolean {
  const chosen = option('scenarios')?.split(',');
  return chosen === undefined || chosen.includes(name);
}

/** Returns whether all checks passed. */
async function checkSingleContainer(): Promise<boolean> {
  const outcome = await runSingleContainer().catch((error: unknown) => new Error(errorMessage(error)));
  console.log(`${SINGLE_CONTAINER}: ${outcome instanceof Error ? `WRONG: ${outcome.message}` : outcome}`);
  return !(outcome instanceof Error);
}

async function main(): Promise<void> {
  const engine = await tryDocker('version');
  if (engine.code !== 0) {
    console.log(`SKIPPED: the containers need a Docker engine:\n${engine.output}`);
    return;
  }
  const folder = temporaryFolder('compose');
  const kubeconfig = path.join(folder, 'admin.kubeconfig');
  const down = async (): Promise<void> => {
    await releaseSmallDisk();
    await compose('--profile', '*', 'down', '--volumes', '--remove-orphans', '--timeout', '20');
  };
  await down();
  const after = await buildImages();
  try {
    if (isChosen(SINGLE_CONTAINER) && !(await checkSingleContainer())) process.exitCode = 1;
    if (option('scenarios') === SINGLE_CONTAINER) return;
    await timed('start the cluster', () => compose('up', '--detach', '--wait'));
    // Otherwise the disk would disappear with its member in any scenario that stops it.
    await holdSmallDisk();
    await compose('cp', 'pki:/pki/admin/admin.kubeconfig', kubeconfig);
    const config = readKubeconfig(kubeconfig);
    const client = connectClient(config);
    const load = new ClientLoad(config, client, kubeconfig);
    const upgrade = after === undefined ? undefined : new Upgrade(config, client, after);
    await load.start();
    await sleep(QUIET_MS);
    for (const scenario of scenarios(client, new ClientCrowd(config, CROWD), upgrade)) {
      if (!isChosen(scenario.name)) continue;
      if (!(await runScenario(scenario, load))) process.exitCode = 1;
    }
    await load.stop();
    client.close();
    console.log(await docker('stats', '--no-stream', '--format', 'table {{.Name}}\t{{.MemUsage}}\t{{.CPUPerc}}'));
  } finally {
    if (!hasFlag('keep')) await down();
    if (after !== undefined) await docker('tag', after, IMAGE);
    removeFolder(folder);
  }
}

void main();
