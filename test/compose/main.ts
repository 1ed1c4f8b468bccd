/**
 * `npm run test:compose`: tries the containers for real and prints what it saw: how long they take to start, what they hold, and, for each of a table of scenarios,
 * whether requests fail, changes are missed or told twice, or anything is lost that was acknowledged. Fails when clients notice more than a scenario allows them to.
 * Needs a Docker engine; takes the project `platform` for itself, volumes and all.
 *
 *   npm run test:compose [-- --scenarios=rolling-restart,full-disk] [--before=HEAD~1] [--no-build] [--keep]
 *
 * The cluster begins with the programs of the commit --before, if one is named, and is upgraded under load; --no-build takes the images that are there; --keep leaves
 * everything running.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readKubeconfig } from '../../shared/client/kubeconfig/kubeconfig';
import { errorMessage } from '../../shared/runtime/error-message';
import { connected } from './client';
import { buildCommit, compose, docker, holdSmallDisk, IMAGE, letSmallDiskGo, wait } from './engine';
import { Crowd } from './crowd';
import { Load, type Seen } from './load';
import { scenarios, SkippedScenario, type Scenario } from './scenarios';
import { Upgrade } from './upgrade';

const option = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const has = (name: string): boolean => process.argv.includes(`--${name}`);

/** So that what follows is seen as well. */
const QUIET_MS = 3_000;
const SECOND = 1000;
const CROWD = 100;
/** A connection that is lost with a server that was killed may have had so many requests on it. */
const MOST_CUT = 12;

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await work();
  console.log(`${what.padEnd(60)} ${((performance.now() - begun) / SECOND).toFixed(1).padStart(6)} s`);
  return result;
}

const listed = (found: ReadonlyMap<string, number>): string => [...found].map(([what, times]) => `${times} x ${what}`).join('; ') || 'none';
const sum = (found: ReadonlyMap<string, number>): number => [...found.values()].reduce((all, times) => all + times, 0);

/** What clients noticed that they must not. */
function faults({ mayFail }: Scenario, seen: Seen): readonly string[] {
  const failed = sum(seen.failedWrites) + sum(seen.failedReads);
  const found: string[] = [];
  if (mayFail === 'none' && failed > 0) found.push(`${failed} requests failed`);
  if (mayFail === 'cut' && failed > MOST_CUT) found.push(`${failed} requests failed`);
  if (seen.unclear > 0) found.push(`${seen.unclear} writes failed without a reason`);
  if (seen.writes === 0) found.push('nothing could be written any more');
  if (seen.missed > 0) found.push(`${seen.missed} changes were missed`);
  if (seen.repeated > 0) found.push(`${seen.repeated} changes were told again`);
  return found;
}

function print(seen: Seen): void {
  const { writes, failedWrites, reads, failedReads, kubectl, pauseMs, missed, repeated, lists } = seen;
  console.log(`    ${writes} writes, failed: ${listed(failedWrites)}; longest pause ${(pauseMs / SECOND).toFixed(1)} s`);
  console.log(`    ${reads} reads and ${kubectl} of kubectl, failed: ${listed(failedReads)}`);
  console.log(`    changes: ${missed} missed, ${repeated} told again, ${lists} lists`);
}

async function losses(load: Load): Promise<readonly string[]> {
  // What cannot be looked at is wrong as well, and no reason not to try the rest.
  const history = await load.history().catch((error: unknown) => errorMessage(error));
  if (typeof history === 'string') return [`nobody knows what is lost: ${history}`];
  const { made, lost, strange } = history;
  console.log(`    of ${made} objects that were made ${lost.length} are lost; ${strange.length} are there that nobody made`);
  return [
    ...(lost.length > 0 ? [`lost: ${lost.slice(0, 5).join(', ')}`] : []),
    ...(strange.length > 0 ? [`nobody made: ${strange.slice(0, 5).join(', ')}`] : []),
  ];
}

/** Returns whether clients saw no more than they may. */
async function tried(scenario: Scenario, load: Load): Promise<boolean> {
  const { name, what } = scenario;
  load.seen();
  const begun = performance.now();
  const figure = await scenario.run().catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  if (figure instanceof SkippedScenario) {
    console.log(`${`${name}: ${what}`.padEnd(60)} SKIPPED: ${figure.message}`);
    return true;
  }
  await wait(QUIET_MS);
  await load.settled();
  const took = ((performance.now() - begun) / SECOND).toFixed(1).padStart(6);
  console.log(`${`${name}: ${what}`.padEnd(60)} ${took} s  ${figure instanceof Error ? '' : figure}`);
  const seen = load.seen();
  print(seen);
  const wrong = [...faults(scenario, seen), ...(figure instanceof Error ? [figure.message] : []), ...(await losses(load))];
  for (const fault of wrong) console.log(`    WRONG: ${fault}`);
  return wrong.length === 0;
}

/** Leaves the image of the first programs under the name that the services have, and returns that of this tree's when it is another one. */
async function images(): Promise<string | undefined> {
  const commit = option('before');
  if (!has('no-build')) await timed('the image is built', () => compose('build', '--quiet', 'apiserver'));
  if (commit === undefined) return undefined;
  const [before, after] = [`${IMAGE}:before`, `${IMAGE}:after`];
  await docker('tag', IMAGE, after);
  if (!has('no-build')) await timed(`that of ${commit} is built`, () => buildCommit(commit, before));
  await docker('tag', before, IMAGE);
  return after;
}

async function main(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'compose-'));
  const kubeconfig = path.join(folder, 'admin.kubeconfig');
  const down = async (): Promise<void> => {
    await letSmallDiskGo();
    await compose('down', '--volumes', '--remove-orphans', '--timeout', '20');
  };
  await down();
  const after = await images();
  try {
    await timed('the cluster is up', () => compose('up', '--detach', '--wait'));
    // Without anybody else who holds it that disk is gone with its member, whichever scenario ends it.
    await holdSmallDisk();
    await compose('cp', 'pki:/pki/admin/admin.kubeconfig', kubeconfig);
    const config = readKubeconfig(kubeconfig);
    const { client, transport } = connected(config);
    const load = new Load(config, client, kubeconfig);
    const upgrade = after === undefined ? undefined : new Upgrade(config, client, after);
    await load.start();
    await wait(QUIET_MS);
    const chosen = option('scenarios')?.split(',');
    for (const scenario of scenarios(new Crowd(config, CROWD), upgrade)) {
      if (chosen !== undefined && !chosen.includes(scenario.name)) continue;
      if (!(await tried(scenario, load))) process.exitCode = 1;
    }
    await load.stop();
    transport.close();
    console.log(await docker('stats', '--no-stream', '--format', 'table {{.Name}}\t{{.MemUsage}}\t{{.CPUPerc}}'));
  } finally {
    if (!has('keep')) await down();
    if (after !== undefined) await docker('tag', after, IMAGE);
    rmSync(folder, { recursive: true });
  }
}

void main();
