/**
 * The clusters in which upstream's conformance tests run: this control plane alone, with simulated nodes, or with real
 * nodes of a tool outside this repository, a folder with these scripts:
 *
 * | script | does |
 * |---|---|
 * | `server.sh up ours FOLDER` | starts the built copy of this repository in the node's network; prints `export K=… CA=… CA_KEY=…` |
 * | `start.sh KUBECONFIG` | starts a node, and with `SECOND=1` a second one; reads the variables that the first script printed |
 * | `in.sh COMMAND…` | runs a command in the node's network |
 * | `stop.sh`, `server.sh down ours` | end the nodes and the server |
 * | `net.sh up` | creates the node's network (only for faults/) |
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ClusterNeeds } from '../../deploy/reference/conformance-ledger';
import { startControlPlane } from '../../deploy/embedded';
import { repository } from '../support/repository';
import type { CommandPrefix } from './conformance-binary';

export interface Cluster {
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** Runs a program where it reaches the cluster; empty where any program does. */
  readonly prefix: CommandPrefix;
  stop(): Promise<void>;
}

/** Large enough for the tests that fill a node or create a hundred pods. */
const SIMULATED_NODES = 10;
const SIMULATED_CAPACITY = { cpu: '32', memory: '256Gi', pods: '110' };
/** The time limit of each script. The programs of the tool have been built before. */
const START_MS = 600_000;
const SCRIPTS = ['server.sh', 'start.sh', 'in.sh', 'stop.sh'];

/** The reason why a cluster cannot be started here; `undefined` when it can. `tool` is empty for none. */
export function missingForCluster(needs: ClusterNeeds, tool: string): string | undefined {
  switch (needs) {
    case 'control plane':
    case 'simulated nodes':
      return undefined;
    case 'real node':
    case 'two real nodes': {
      if (tool === '') return 'no --tool=FOLDER that starts real nodes';
      const missing = SCRIPTS.filter((script) => !existsSync(path.join(tool, script)));
      return missing.length === 0 ? undefined : `${tool} has no ${missing.join(', ')}`;
    }
  }
}

/** `tool`: the folder of the scripts that start real nodes. The caller stops the result. */
export function startCluster(needs: ClusterNeeds, tool: string): Promise<Cluster> {
  switch (needs) {
    case 'control plane':
      return startPlane(0);
    case 'simulated nodes':
      return startPlane(SIMULATED_NODES);
    case 'real node':
      return startRealNodes(tool, 1);
    case 'two real nodes':
      return startRealNodes(tool, 2);
  }
}

/** This control plane with so many simulated nodes. */
async function startPlane(nodes: number): Promise<Cluster> {
  const plane = await startControlPlane({ naming: 'kubernetes', simulatedNodes: nodes, simulatedNodeCapacity: SIMULATED_CAPACITY });
  return { kubeconfig: plane.kubeconfigFile, prefix: [], stop: () => plane.stop() };
}

const runFile = promisify(execFile);

/** This control plane with one or two real nodes. */
async function startRealNodes(tool: string, count: number): Promise<Cluster> {
  const run = async (script: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<string> => {
    // npm sets NODE to the path of the runtime, but the scripts expect the name of a node in it.
    const env = { ...process.env, NODE: undefined, ...variables };
    return (await runFile(path.join(tool, script), args, { env, timeout: START_MS })).stdout;
  };
  const stop = async (): Promise<void> => {
    await run('stop.sh', ['--clean']).catch(reportError);
    await run('server.sh', ['down', 'ours']).catch(reportError);
  };
  try {
    const variables = exportedVariables(await run('server.sh', ['up', 'ours', repository]));
    const kubeconfig = variables['K'] ?? '';
    await run('start.sh', [kubeconfig], variables);
    if (count > 1) await run('start.sh', [kubeconfig], { ...variables, SECOND: '1' });
    return { kubeconfig, prefix: [path.join(tool, 'in.sh')], stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function reportError(error: unknown): void {
  process.stderr.write(`${String(error)}\n`);
}

/** The variables of a line `export A=x B=y`. */
function exportedVariables(output: string): Readonly<Record<string, string>> {
  const line = output.split('\n').find((text) => text.startsWith('export ')) ?? '';
  return Object.fromEntries([...line.matchAll(/ (\w+)=(\S*)/g)].map(([, name = '', value = '']) => [name, value]));
}
