/**
 * A program that is started again two seconds after it exits by itself, as systemd or a kubelet does, and that a
 * scenario can kill, stop and start.
 */
import { systemClock as clock } from '../../../shared/runtime/clock';
import type { ProgramProcess } from '../../support/programs';

const RESTART_MS = 2_000;

export class SupervisedProcess {
  private process: ProgramProcess | undefined;
  /** Whether the program is started again when it exits. */
  private shouldRun = false;
  private earlierOutput = '';

  /** `launch` starts the program; called for each run. */
  constructor(private readonly launch: () => ProgramProcess) {}

  /** The output of all runs, each followed by how it ended. */
  get output(): string {
    return this.earlierOutput + (this.process?.output ?? '');
  }

  /** The program must not run. */
  start(): void {
    this.shouldRun = true;
    const process = this.launch();
    this.process = process;
    void process.exited.then(({ code, signal }) => this.handleExit(process, `exited with ${code ?? signal ?? ''}`));
  }

  /** Sends SIGKILL; the program stays ended. */
  async kill(): Promise<void> {
    this.shouldRun = false;
    await this.process?.kill();
  }

  /** Sends SIGTERM; the program stays ended. */
  async stop(): Promise<void> {
    this.shouldRun = false;
    if (this.process?.isRunning === true) await this.process.stop();
  }

  private async handleExit(process: ProgramProcess, reason: string): Promise<void> {
    if (this.process !== process) return;
    this.earlierOutput += `${process.output}\n--- ${reason}\n`;
    this.process = undefined;
    if (!this.shouldRun) return;
    await clock.sleep(RESTART_MS);
    if (this.shouldRun && this.process === undefined) this.start();
  }
}
