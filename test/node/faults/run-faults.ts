/**
 * `npm run test:node -- --faults --tool=FOLDER [--server=upstream --reference=FILE] [--scenarios=kubelet-paused]
 * [--record] [--logs=FOLDER]`: plays the scenarios of faults with real nodes and compares what happens with the recorded
 * timelines of the reference. With --server=upstream the control plane is the reference itself; --record stores its
 * timelines. Resolves to whether every scenario completes without an unexplained difference, or the faults are skipped.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readKubeconfig } from '../../../shared/client/kubeconfig/kubeconfig';
import { errorMessage } from '../../../shared/runtime/error-message';
import { connectClient } from '../../support/connect-client';
import { removeFolder, temporaryFolder } from '../../support/programs';
import { compareTimelines } from './compare-timelines';
import { ControlPlane } from './control-plane';
import { NodeTool } from './node-tool';
import { ourPrograms, referencePrograms } from './programs';
import { readTimeline, writeTimeline } from './recorded-timeline';
import { runScenario, type RunningCluster } from './run-scenario';
import { SCENARIOS, type Scenario } from './scenarios';
import type { Timeline } from './timeline';

export interface FaultOptions {
  /** The folder of the tool that starts real nodes. */
  readonly tool: string;
  /** `ours` or `upstream`. */
  readonly server: string;
  /** The reference's program; needed with the server `upstream`. */
  readonly reference: string;
  /** Names of scenarios; empty for all. */
  readonly scenarios: readonly string[];
  /** Whether the timelines are stored as those of the reference. */
  readonly records: boolean;
  /** Where the outputs of the programs are written; empty for nowhere. */
  readonly logs: string;
}

const SCRIPTS = ['net.sh', 'in.sh', 'start.sh', 'stop.sh'];
/** The variable with the folder of the run; set only in the process that runs in the network of the nodes. */
const FOLDER_VARIABLE = 'FAULTS_FOLDER';
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export async function runFaults(options: FaultOptions): Promise<boolean> {
  const missing = missingForFaults(options);
  if (missing !== undefined) {
    process.stdout.write(`SKIPPED: faults of nodes: ${missing}\n`);
    return true;
  }
  const folderInNetwork = process.env[FOLDER_VARIABLE];
  return folderInNetwork === undefined ? runInNetwork(options) : runScenarios(options, folderInNetwork);
}

/** Why the faults cannot be played here; `undefined` when they can. */
function missingForFaults({ tool, server, reference }: FaultOptions): string | undefined {
  if (tool === '') return 'no --tool=FOLDER that starts real nodes';
  const missing = SCRIPTS.filter((script) => !existsSync(path.join(tool, script)));
  if (missing.length > 0) return `${tool} has no ${missing.join(', ')}`;
  return server === 'upstream' && !existsSync(reference) ? '--reference=FILE must name the program of the reference' : undefined;
}

/** Runs this program again in the network of the nodes; removes nodes and network afterwards. */
async function runInNetwork({ tool }: FaultOptions): Promise<boolean> {
  const folder = temporaryFolder('faults');
  const nodes = new NodeTool(path.resolve(tool), folder);
  try {
    const { command, variables } = await nodes.createNetwork();
    const env = { ...process.env, ...variables, [FOLDER_VARIABLE]: folder };
    const child = spawn(command, [process.execPath, ...process.argv.slice(1)], { stdio: 'inherit', env });
    for (const signal of ENDING_SIGNALS) process.once(signal, () => child.kill(signal));
    return await new Promise((resolve) => child.once('close', (code) => resolve(code === 0)));
  } finally {
    await nodes.stop();
    removeFolder(folder);
  }
}

/** Plays the chosen scenarios in the network of the nodes. Resolves to whether all passed. */
async function runScenarios(options: FaultOptions, folder: string): Promise<boolean> {
  // The listeners of the event `exit` end etcd and the reference.
  for (const signal of ENDING_SIGNALS) process.once(signal, () => process.exit(1));
  const programs = options.server === 'upstream' ? referencePrograms(path.resolve(options.reference)) : ourPrograms;
  const selected = SCENARIOS.filter(({ name }) => options.scenarios.length === 0 || options.scenarios.includes(name));
  const nodes = new NodeTool(path.resolve(options.tool), folder);
  const plane = await ControlPlane.start(programs, folder);
  let haveAllPassed = true;
  try {
    await nodes.startNodes(plane.credentials);
    const cluster = {
      plane,
      nodes,
      client: connectClient(readKubeconfig(plane.credentials.kubeconfig), { dialect: 'kubernetes', userAgent: 'faults-test' }),
    };
    for (const scenario of selected) if (!(await judgeScenario(scenario, cluster, options))) haveAllPassed = false;
  } finally {
    if (options.logs !== '') writeOutputs(options.logs, plane);
    await plane.stop();
  }
  return haveAllPassed;
}

/**
 * Prints the timeline and its differences from the recorded one. Resolves to whether all of them are deviations. A
 * scenario that the reference cannot play must change nothing.
 */
async function judgeScenario(scenario: Scenario, cluster: RunningCluster, options: FaultOptions): Promise<boolean> {
  const { name, description, isOursOnly } = scenario;
  process.stdout.write(`\n> ${name}: ${description}\n`);
  if (options.server === 'upstream' && isOursOnly !== undefined) {
    process.stdout.write(`SKIPPED: ${isOursOnly}\n`);
    return true;
  }
  try {
    const timeline = await runScenario(scenario, cluster);
    process.stdout.write(formatTimeline(timeline));
    if (options.records) writeTimeline(name, timeline);
    const reference = isOursOnly === undefined ? readTimeline(name) : { ...timeline, events: [] };
    const differences = reference === undefined ? ['there is no recorded timeline'] : compareTimelines(timeline, reference);
    return reportDifferences(scenario, differences);
  } catch (error) {
    process.stdout.write(`FAILED  ${name}: ${errorMessage(error)}\n`);
    return false;
  }
}

/** Returns whether all differences are deviations. */
function reportDifferences({ name, deviations = {} }: Scenario, differences: readonly string[]): boolean {
  let unexplained = 0;
  for (const difference of differences) {
    const [, reason] = Object.entries(deviations).find(([change]) => difference.startsWith(`${change}: `)) ?? [];
    if (reason === undefined) unexplained += 1;
    process.stdout.write(reason === undefined ? `DIFFERS  ${difference}\n` : `deviates  ${difference}: ${reason}\n`);
  }
  if (unexplained === 0) process.stdout.write(`passed  ${name}\n`);
  return unexplained === 0;
}

function formatTimeline({ steps, events, requests, service }: Timeline): string {
  const lines = [
    ...steps.map(({ at, name }) => ({ at, text: `--- ${name}` })),
    ...events.map(({ at, subject, change }) => ({ at, text: `${subject}: ${change}` })),
  ].sort((a, b) => a.at - b.at);
  const outages = [
    `requests: ${requests.failed} of ${requests.sent} failed, longest outage ${requests.longestOutage} s`,
    `Service: ${service.failed} of ${service.sent} connections failed, longest outage ${service.longestOutage} s`,
  ];
  return [...lines.map(({ at, text }) => `${at.toFixed(1).padStart(7)} s  ${text}`), ...outages, ''].join('\n');
}

function writeOutputs(folder: string, plane: ControlPlane): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, output] of plane.outputs) writeFileSync(path.join(folder, `${name}.log`), output);
}
