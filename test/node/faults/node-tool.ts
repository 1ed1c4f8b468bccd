/**
 * Two real nodes of a tool outside this repository (`../clusters.ts` lists its scripts), and the faults of their
 * kubelets. The tool's nodes and the control plane share one network namespace, which this process must be in.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const runFile = promisify(execFile);
/** Starting a node may pull images. */
const START_MS = 600_000;

/** The address of the first node and of the API servers in the tool's network. */
export const NODE_ADDRESS = '198.18.200.1';
export const SERVICE_RANGE = '10.96.0.0/16';
/** The address of the Service of the API servers. */
export const API_SERVICE_ADDRESS = '10.96.0.1';
/** Runs kube-proxy and the scheduler. */
export const FIRST_NODE = 'node-a';
/** The node that faults of single nodes hit. */
export const FAULTY_NODE = 'node-b';
export const NODES: readonly string[] = [FIRST_NODE, FAULTY_NODE];

export interface NodeCredentials {
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** Files of the authority that signs the certificates of nodes. */
  readonly authority: string;
  readonly authorityKey: string;
}

export class NodeTool {
  /** The name of the network and of the control groups of the nodes. */
  private readonly network: string;

  /** `folder`: where the tool keeps the state of its nodes; its name must be unique. */
  constructor(
    private readonly tool: string,
    private readonly folder: string,
  ) {
    this.network = path.basename(folder);
  }

  /** Creates the network. Returns the command that runs a program in it, and the variables that it needs. */
  async createNetwork(): Promise<{ readonly command: string; readonly variables: NodeJS.ProcessEnv }> {
    await this.run('net.sh', ['up']);
    return { command: path.join(this.tool, 'in.sh'), variables: { NS: this.network } };
  }

  /** Starts both nodes. Resolves when they are ready. */
  async startNodes(credentials: NodeCredentials): Promise<void> {
    await this.startNode(FIRST_NODE, credentials, { DNS: '0' });
    await this.startNode(FAULTY_NODE, credentials);
  }

  /** Starts a node, also one that was killed. Resolves when it is ready. */
  async startNode(
    name: string,
    { kubeconfig, authority, authorityKey }: NodeCredentials,
    variables: NodeJS.ProcessEnv = {},
  ): Promise<void> {
    const second = name === FIRST_NODE ? {} : { SECOND: '1' };
    await this.run('start.sh', [kubeconfig], { CA: authority, CA_KEY: authorityKey, ...second, ...variables });
  }

  /** Ends the nodes and removes the network. */
  async stop(): Promise<void> {
    await this.run('stop.sh', ['--clean']);
  }

  /** Kills all processes of a node, containers included. */
  killNode(name: string): void {
    const file = path.join(this.stateOf(name), 'inner.pid');
    if (existsSync(file)) process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
  }

  /** Stops the kubelet with SIGSTOP; containers keep running. */
  pauseKubelet(name: string): Promise<void> {
    return this.signalKubelet(name, 'STOP');
  }

  resumeKubelet(name: string): Promise<void> {
    return this.signalKubelet(name, 'CONT');
  }

  private async signalKubelet(name: string, signal: string): Promise<void> {
    const variables = { W: this.stateOf(name) };
    const pids = (await this.run('in.sh', ['--node', 'pgrep', '-f', 'kubelet --config='], variables)).trim().split('\n');
    await this.run('in.sh', ['--node', 'kill', `-${signal}`, ...pids], variables);
  }

  /** The folder with the tool's state of a node. */
  private stateOf(name: string): string {
    const state = path.join(this.folder, 'nodes');
    return name === FIRST_NODE ? state : `${state}-b`;
  }

  /** Runs a script of the tool and returns its standard output. */
  private async run(script: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<string> {
    // npm sets NODE to the path of the runtime, but the scripts expect the name of a node in it.
    const env = { ...process.env, NODE: undefined, NS: this.network, W: this.stateOf(FIRST_NODE), ...variables };
    return (await runFile(path.join(this.tool, script), args, { env, timeout: START_MS })).stdout;
  }
}
