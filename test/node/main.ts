/**
 * `npm run test:node -- --conformance=FILE [--tool=FOLDER] [--needs=simulated-nodes] [--only=TEXT] [--parallel=3]
 * [--timeout=420] [--record-names]`: runs the tests of upstream's conformance binary against this control plane, each in
 * the cluster that the ledger states, and compares the names of the tests with the ledger. Prints one line a test, and
 * fails when a test fails. What cannot run on this machine is reported as SKIPPED.
 *
 * With --record-names it only writes the names of the tests to test/integration/conformance/names.txt. With --faults it
 * plays the faults of nodes instead (faults/run-faults.ts).
 */
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { CLUSTER_NEEDS, LEDGER_FILE, readLedger, type ClusterNeeds } from '../../deploy/reference/conformance-ledger';
import { errorMessage } from '../../shared/runtime/error-message';
import { findProgram } from '../support/external/find-program';
import { removeFolder, temporaryFolder } from '../support/programs';
import { repository } from '../support/repository';
import { runFaults } from './faults/run-faults';
import { missingForCluster, startCluster } from './clusters';
import { ConformanceBinary, type TestTarget } from './conformance-binary';

const NAMES_FILE = 'test/integration/conformance/names.txt';

const { values: options } = parseArgs({
  options: {
    conformance: { type: 'string', default: '' },
    tool: { type: 'string', default: '' },
    /** Kinds of clusters; `real-node` and the like. */
    needs: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
    /** Tests at the same time. A test with the tag [Serial] runs alone. */
    parallel: { type: 'string', default: '3' },
    /** Seconds for one test. */
    timeout: { type: 'string', default: '420' },
    'record-names': { type: 'boolean', default: false },
    /** Plays faults instead of the conformance tests; the options below belong to it. */
    faults: { type: 'boolean', default: false },
    server: { type: 'string', default: 'ours' },
    reference: { type: 'string', default: '' },
    scenarios: { type: 'string', default: '' },
    record: { type: 'boolean', default: false },
    logs: { type: 'string', default: '' },
  },
});

/** The numbers of tests so far. */
const totals = { passed: 0, failed: 0, skipped: 0 };
type State = 'passed' | 'failed';

void (options.faults ? playFaults() : main()).catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exitCode = 1;
});

async function playFaults(): Promise<void> {
  const { tool, server, reference, record: records, logs } = options;
  const scenarios = options.scenarios.split(',').filter((name) => name !== '');
  if (!(await runFaults({ tool, server, reference, scenarios, records, logs }))) process.exitCode = 1;
}

async function main(): Promise<void> {
  const { conformance, only } = options;
  if (!existsSync(conformance)) {
    process.stdout.write(`SKIPPED: all tests: --conformance=FILE must name upstream's compiled conformance test\n`);
    return;
  }
  const folder = temporaryFolder('conformance');
  try {
    const binary = new ConformanceBinary(path.resolve(conformance), folder);
    const names = await binary.listTests();
    if (options['record-names']) writeFileSync(path.join(repository, NAMES_FILE), `${names.join('\n')}\n`);
    else {
      const rows = readLedger(path.join(repository, LEDGER_FILE));
      reportUnlisted(names, new Set(rows.map(({ name }) => name)));
      const selected = rows.filter(({ name }) => name.includes(only));
      for (const needs of selectedClusters()) {
        const group = selected.filter((row) => row.needs === needs);
        await runGroup(
          binary,
          needs,
          group.map(({ name }) => name),
        );
      }
    }
  } finally {
    removeFolder(folder);
  }
  process.stdout.write(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`);
  if (totals.failed > 0) process.exitCode = 1;
}

/** Reports each test of the binary that is not in the ledger as failed. */
function reportUnlisted(names: readonly string[], listed: ReadonlySet<string>): void {
  for (const name of names) if (!listed.has(name)) report('failed', name, 'not in the ledger');
}

/** The kinds of clusters that --needs names; all without it. */
function selectedClusters(): readonly ClusterNeeds[] {
  const words = options.needs.split(',').filter((word) => word !== '');
  const unknown = words.find((word) => !CLUSTER_NEEDS.some((needs) => optionWord(needs) === word));
  if (unknown !== undefined) throw new Error(`--needs: ${unknown} is none of ${CLUSTER_NEEDS.map(optionWord).join(', ')}`);
  return CLUSTER_NEEDS.filter((needs) => words.length === 0 || words.includes(optionWord(needs)));
}

/** How --needs spells a kind of cluster. */
const optionWord = (needs: ClusterNeeds): string => needs.replaceAll(' ', '-');

/** Runs tests in a cluster that has what they need. */
async function runGroup(binary: ConformanceBinary, needs: ClusterNeeds, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const kubectl = findProgram('kubectl');
  const missing = kubectl === undefined ? 'no kubectl on PATH' : missingForCluster(needs, options.tool);
  if (missing !== undefined || kubectl === undefined) {
    totals.skipped += names.length;
    process.stdout.write(`SKIPPED: ${names.length} tests (${needs}): ${missing ?? ''}\n`);
    return;
  }
  process.stdout.write(`\n> ${names.length} tests: ${needs}\n`);
  const cluster = await startCluster(needs, path.resolve(options.tool));
  try {
    await runTests(binary, { kubeconfig: cluster.kubeconfig, prefix: cluster.prefix, kubectl }, names);
  } finally {
    await cluster.stop();
  }
}

/** Runs the tests in parallel, and then those that must run alone. */
async function runTests(binary: ConformanceBinary, target: TestTarget, names: readonly string[]): Promise<void> {
  const runOne = async (name: string): Promise<void> => {
    const { state, seconds, failure } = await binary.runTest(name, target, Number(options.timeout) * 1000);
    report(state, name, `${seconds} s${failure === '' ? '' : `: ${failure}`}`);
  };
  const isSerial = (name: string): boolean => name.includes('[Serial]');
  const waiting = names.filter((name) => !isSerial(name));
  const runNextTests = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await runOne(name);
  };
  await Promise.all(Array.from({ length: Number(options.parallel) }, runNextTests));
  for (const name of names.filter(isSerial)) await runOne(name);
}

function report(state: State, name: string, detail: string): void {
  totals[state] += 1;
  process.stdout.write(`${state === 'passed' ? 'passed' : state.toUpperCase()}  ${name}  ${detail}\n`);
}
