/** Many clients that start at once, each with a connection that it keeps and sends requests on repeatedly. */
import { Agent } from 'node:https';
import type { ClientConfig } from '../../shared/client/kubeconfig/client-config';
import { requestOutcome } from './request-outcome';
import { sleep } from './container-engine';

const PATH = '/api/v1/namespaces/default/configmaps?limit=5';
/** The time between two reads of each client. */
const PAUSE_MS = 200;

export class ClientCrowd {
  /** `undefined` before the start and after the stop, which ends the loops. */
  private agent: Agent | undefined;
  private requests = 0;
  private readonly failures: string[] = [];
  private loops: readonly Promise<void>[] = [];

  constructor(
    private readonly config: ClientConfig,
    readonly size: number,
  ) {}

  /** Resolves when the first request of each client has a response or has failed. */
  async start(): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: this.size });
    this.agent = agent;
    const firstRequests = Array.from({ length: this.size }, () => this.sendRequest(agent));
    await Promise.all(firstRequests);
    this.loops = firstRequests.map((_, index) => this.repeatRequests(agent, index));
  }

  /** Resolves when the last requests have responses. Rejects when any request failed. */
  async stop(): Promise<{ readonly requests: number }> {
    const { agent } = this;
    this.agent = undefined;
    await Promise.all(this.loops);
    agent?.destroy();
    if (this.failures.length > 0) throw new Error(`${this.failures.length} of ${this.requests} requests failed: ${this.failures[0]}`);
    return { requests: this.requests };
  }

  private async repeatRequests(agent: Agent, index: number): Promise<void> {
    // The requests of the crowd are spread over the pause.
    await sleep((index * PAUSE_MS) / this.size);
    while (this.agent === agent) {
      await this.sendRequest(agent);
      await sleep(PAUSE_MS);
    }
  }

  private async sendRequest(agent: Agent): Promise<void> {
    this.requests += 1;
    const outcome = await requestOutcome(this.config, { path: PATH, agent });
    if (outcome !== '200') this.failures.push(outcome);
  }
}
