/**
 * Runs the blocks of pages (page-blocks.ts) from top to bottom and checks exit codes and the output that the page shows.
 * Pages that start the control plane with the same commands share it; a page that starts none uses that of
 * `npm start`.
 */
import { systemClock } from '../../../shared/runtime/clock';
import { READY_OUTPUT, removeFolder, temporaryFolder, waitUntil, type ProgramProcess } from '../programs';
import type { ConsoleCommand, PageBlock } from './page-blocks';
import { PageFolder, prepareRoot, type ControlPlaneLocation } from './page-folder';
import { matchesShown } from './shown-output';

const START = 'npm start\n';
const STARTS_CONTROL_PLANE = /^npm start\b/m;
/** The time limit for a control plane to be ready, and for other commands that run until they are stopped to print something. */
const START_MS = 90_000;
/** The time limit of one block of commands. */
const BLOCK_MS = 60_000;
/** How long a command that only reads is repeated, until controllers have done what its output shows. */
const CATCH_UP_MS = 20_000;
/** May be repeated until its output is the shown one. */
const READS_ONLY = /^kubectl (?:-n \S+ )?get /;

interface ControlPlane {
  readonly location: ControlPlaneLocation;
  readonly process: ProgramProcess;
}

export interface Page {
  readonly file: string;
  readonly blocks: readonly PageBlock[];
}

const startsControlPlane = ({ type, text }: PageBlock): boolean => type === 'untilStopped' && STARTS_CONTROL_PLANE.test(text);

export class PageRunner {
  private readonly root = temporaryFolder('documents');
  /** By the commands that start them. */
  private readonly controlPlanes = new Map<string, Promise<ControlPlane>>();
  private controlPlaneCount = 0;

  /** The page after which each control plane is stopped, by the commands that start it; that of `npm start` serves until the end. */
  private readonly lastPages: ReadonlyMap<string, string>;

  constructor(pages: readonly Page[]) {
    const lastPages = new Map<string, string>();
    for (const { file, blocks } of pages) {
      for (const { text: commands } of blocks.filter(startsControlPlane)) if (commands !== START) lastPages.set(commands, file);
    }
    this.lastPages = lastPages;
    prepareRoot(this.root);
  }

  /** Throws at the first block that fails or has other output than its page shows. */
  async run({ file, blocks }: Page): Promise<void> {
    const run = new PageRun(new PageFolder(this.root, file.replaceAll('/', '-')), (commands) => this.controlPlane(commands));
    try {
      for (const block of blocks) await run.runBlock(block);
    } finally {
      await run.stop();
      await this.stopControlPlanes((commands) => this.lastPages.get(commands) === file);
    }
  }

  async stop(): Promise<void> {
    await this.stopControlPlanes(() => true);
    removeFolder(this.root);
  }

  private async stopControlPlanes(isLast: (commands: string) => boolean): Promise<void> {
    const ended = [...this.controlPlanes].filter(([commands]) => isLast(commands));
    for (const [commands] of ended) this.controlPlanes.delete(commands);
    const started = await Promise.allSettled(ended.map(([, controlPlane]) => controlPlane));
    await Promise.all(started.flatMap((result) => (result.status === 'fulfilled' ? [terminate(result.value.process)] : [])));
  }

  /** The control plane that these commands start; started at the first call. */
  private controlPlane(commands: string): Promise<ControlPlane> {
    const running = this.controlPlanes.get(commands) ?? this.startControlPlane(commands);
    this.controlPlanes.set(commands, running);
    return running;
  }

  private async startControlPlane(commands: string): Promise<ControlPlane> {
    const folder = new PageFolder(this.root, `control-plane-${this.controlPlaneCount++}`);
    const location = await folder.createLocation();
    const process = folder.startUntilStopped(commands, location);
    await waitFor(process, 'the control plane to be ready', () => process.output.includes(READY_OUTPUT));
    return { location, process };
  }
}

/** One pass over a page. */
class PageRun {
  private location: ControlPlaneLocation | undefined;
  private readonly background: ProgramProcess[] = [];

  constructor(
    private readonly folder: PageFolder,
    private readonly controlPlane: (commands: string) => Promise<ControlPlane>,
  ) {}

  /** Rejects with the location of the block when it fails. */
  async runBlock(block: PageBlock): Promise<void> {
    try {
      await this.runByType(block);
    } catch (error) {
      throw new Error(`${block.location}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.background.map(terminate));
  }

  private async runByType(block: PageBlock): Promise<void> {
    switch (block.type) {
      case 'succeeds':
        return this.runToEnd(block.text, (code) => code === 0, block.output);
      case 'fails':
        return this.runToEnd(block.text, (code) => code !== 0, block.output);
      case 'console':
        for (const command of block.commands) await this.runShown(command);
        return;
      case 'untilStopped':
        if (startsControlPlane(block)) return void (await this.useControlPlane(block.text));
        return this.startInBackground(block.text);
      case 'notRun':
        return;
    }
  }

  /** Uses the control plane that these commands start for the blocks below. */
  private async useControlPlane(commands: string): Promise<ControlPlaneLocation> {
    const { location } = await this.controlPlane(commands);
    this.folder.link(location);
    this.location = location;
    return location;
  }

  /** Rejects when the exit code is not expected or the output differs from the shown one; `shown` is `undefined` when the page shows none. */
  private async runToEnd(commands: string, isExpected: (code: number | null) => boolean, shown: string | undefined): Promise<void> {
    const process = this.folder.start(commands, this.location ?? (await this.useControlPlane(START)));
    const timer = setTimeout(() => killGroup(process), BLOCK_MS);
    const { code } = await process.exited;
    clearTimeout(timer);
    if (!isExpected(code)) throw new Error(`the commands ended with ${code}:\n${process.output}`);
    if (shown !== undefined && !matchesShown(shown, process.output)) {
      throw new Error(`the page shows\n${shown}\nbut the output is\n${process.output}`);
    }
  }

  /** A command that only reads is repeated, because controllers may not have reacted to the commands before it. */
  private async runShown({ command, output }: ConsoleCommand): Promise<void> {
    const deadline = systemClock.monotonic() + (READS_ONLY.test(command) ? CATCH_UP_MS : 0);
    for (;;) {
      try {
        return await this.runToEnd(`${command}\n`, (code) => code === 0, output);
      } catch (error) {
        if (systemClock.monotonic() >= deadline) throw error;
      }
    }
  }

  private async startInBackground(commands: string): Promise<void> {
    const process = this.folder.startUntilStopped(commands, this.location ?? (await this.useControlPlane(START)));
    this.background.push(process);
    await waitFor(process, 'the first output', () => process.output !== '');
  }
}

/** Ends the commands and fails when the condition is not met in time, or when they end before. */
async function waitFor(process: ProgramProcess, description: string, condition: () => boolean): Promise<void> {
  const isMet = (): boolean => {
    if (!process.isRunning) throw new Error('the commands ended');
    return condition();
  };
  try {
    await waitUntil(description, isMet, START_MS);
  } catch (error) {
    process.child.stdin?.end();
    throw new Error(`${error instanceof Error ? error.message : String(error)}:\n${process.output}`, { cause: error });
  }
}

/** Closes the standard input, on which the commands are terminated. */
async function terminate(process: ProgramProcess): Promise<void> {
  process.child.stdin?.end();
  await process.exited;
}

/** Ends commands that take too long, with what they started. */
function killGroup({ pid, isRunning }: ProgramProcess): void {
  if (isRunning) process.kill(-pid, 'SIGKILL');
}
