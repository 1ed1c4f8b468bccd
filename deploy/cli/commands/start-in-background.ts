/**
 * Starts the control plane in a process of its own that outlives this one, and waits until it is ready. The output of that
 * process and the logs of its programs are files in the folder of logs.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { shellQuote } from '../../../shared/cli/shell-quote';
import type { Clock } from '../../../shared/runtime/clock';
import { PERMANENT_EXIT_CODE } from '../../../shared/runtime/process/permanent-error';
import { previousLogFile } from '../../local/log-file';
import { DEFAULT_DATA_DIR } from '../../cluster/data-folder';
import type { RunnerOptions } from '../../local/options';
import { layoutOf, type Layout } from '../../local/plan';
import { findControlPlane, readRunState, type ForeignRun, type RunningState, type RunState } from '../../local/run-state';
import { backgroundSummary, containerName } from '../../local/start-summary';
import { CommandError, type CommandHost } from '../terminal/host';
import { Progress } from '../terminal/progress';

/** The control plane to start. */
export interface BackgroundRequest {
  readonly options: RunnerOptions;
  /** The arguments of this command. */
  readonly argv: readonly string[];
  /** Absolute folder. */
  readonly logs: string;
}

const POLL_MS = 50;
/** The output of the previous run above this size is moved aside. */
const MAX_OUTPUT_BYTES = 1 << 20;
/** The exit code that shells have for a command that SIGINT ended. */
const INTERRUPTED_EXIT_CODE = 130;
/** The file of the output of the background process itself, in the folder of logs. */
export const SUPERVISOR_LOG = 'supervisor.log';

/**
 * Resolves to the exit code. The output of a process that ends before it is ready is printed. Throws {@link CommandError}
 * when a control plane uses the folder.
 */
export async function startInBackground({ options, argv, logs }: BackgroundRequest, host: CommandHost): Promise<number> {
  const layout = layoutOf(options.dataDir);
  assertStopped(layout, options.dataDir);
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  const output = path.join(logs, SUPERVISOR_LOG);
  const offset = prepareOutput(output);
  const child = spawnDetached([...argv, '--detach=false', `--log-dir=${logs}`], output, host);
  const progress = new Progress('starting', host);
  const interrupted = new Promise<'interrupted'>((resolve) => host.process.on('SIGINT', () => resolve('interrupted')));
  const exited = new Promise<'exited'>((resolve) => {
    child.once('exit', () => resolve('exited'));
    child.once('error', () => resolve('exited'));
  });
  const waiting = new AbortController();
  const outcome = await Promise.race([exited, interrupted, waitForState(layout, child, host.clock, waiting.signal)]);
  waiting.abort();
  progress.end();
  if (outcome === 'interrupted') {
    child.kill('SIGTERM');
    await exited;
    return INTERRUPTED_EXIT_CODE;
  }
  if (outcome === 'exited') {
    // The output of the process ends with the reason.
    host.writeError(tailOf(output, offset) || 'platform start: the control plane ended before it was ready\n');
    return child.exitCode || 1;
  }
  child.unref();
  printSummary(outcome, options.dataDir, host);
  return 0;
}

/** Throws {@link CommandError} when a control plane uses the folder. */
function assertStopped(layout: Layout, dataDir: string): void {
  const running = findControlPlane(layout);
  if (running.kind === 'stopped') return;
  throw new CommandError(
    `${dataDir} is in use by ${holderOf(running)}; stop it, or choose another folder with --data-dir`,
    PERMANENT_EXIT_CODE,
  );
}

function holderOf(running: Exclude<RunningState | ForeignRun, { readonly kind: 'stopped' }>): string {
  if (running.kind === 'elsewhere') return running.holder;
  return `the running process ${running.kind === 'ready' ? running.state.pid : running.pid}`;
}

/** Returns where the output of the new process begins. */
function prepareOutput(file: string): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= MAX_OUTPUT_BYTES) return size;
  renameSync(file, previousLogFile(file));
  return 0;
}

function spawnDetached(argv: readonly string[], output: string, { programs, directory }: CommandHost): ChildProcess {
  const handle = openSync(output, 'a', 0o600);
  try {
    const program = path.join(programs, 'deploy/cli/main.js');
    return spawn(process.execPath, [program, 'start', ...argv], { cwd: directory, detached: true, stdio: ['ignore', handle, handle] });
  } finally {
    closeSync(handle);
  }
}

/** Resolves when the child is ready. Stays pending after an abort, when the caller has another outcome. */
async function waitForState(layout: Layout, child: ChildProcess, clock: Clock, signal: AbortSignal): Promise<RunState> {
  for (;;) {
    const running = readRunState(layout);
    if (running.kind === 'ready' && running.state.pid === child.pid) return running.state;
    await clock.sleep(POLL_MS, signal);
    if (signal.aborted) return new Promise(() => undefined);
  }
}

/** Characters of the log that a failure prints. */
const MAX_TAIL = 4_000;

const tailOf = (file: string, offset: number): string => readFileSync(file).subarray(offset).toString().slice(-MAX_TAIL);

function printSummary(state: RunState, dataDir: string, { write, directory, environment }: CommandHost): void {
  const { kubeconfig } = layoutOf(dataDir);
  const flag = dataDir === path.resolve(directory, DEFAULT_DATA_DIR) ? '' : ` --data-dir=${shellQuote(dataDir)}`;
  write(`${backgroundSummary({ state, kubeconfig, flag, container: containerName(environment) })}\n`);
}
