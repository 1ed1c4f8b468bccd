/**
 * A program that is started again two seconds after it exits by itself, as systemd or a kubelet does, and that a
 * scenario can kill, stop and start.
 */
import { systemClock as clock } from '../../../shared/runtime/clock';
import type { ProgramProcess } from '../../support/programs';

const RESTART_MS = 2_000;

export class SupervisedProcess {
  private process: ProgramProcess | undefined;
  private isWanted = false;
  private earlierOutput = '';

  constructor(private readonly launch: () => ProgramProcess) {}

  /** The output of all runs, each followed by how it ended. */
  get output(): string {
    return this.earlierOutput + (this.process?.output ?? '');
  }

  start(): void {
    this.isWanted = true;
    const process = this.launch();
    this.process = process;
    void process.exited.then(({ code, signal }) => this.handleExit(process, `exited with ${code ?? signal ?? ''}`));
  }

  /** Sends SIGKILL; the program stays ended. */
  async kill(): Promise<void> {
    this.isWanted = false;
    await this.process?.kill();
  }

  /** Sends SIGTERM; the program stays ended. */
  async stop(): Promise<void> {
    this.isWanted = false;
    if (this.process?.isRunning === true) await this.process.stop();
  }

  private async handleExit(process: ProgramProcess, reason: string): Promise<void> {
    if (this.process !== process) return;
    this.earlierOutput += `${process.output}\n--- ${reason}\n`;
    this.process = undefined;
    if (!this.isWanted) return;
    await clock.sleep(RESTART_MS);
    if (this.isWanted && this.process === undefined) this.start();
  }
}
