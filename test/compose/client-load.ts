/**
 * Clients that keep sending requests to a cluster during faults, and record what they observe. One increments a counter
 * in an object with every write while an informer follows it; one creates objects; one reads over a new connection each
 * time, one over a kept connection, neither of which retries; and kubectl reads where it is installed. main.ts decides
 * which failures are faults.
 */
import { execFile } from 'node:child_process';
import { Agent } from 'node:https';
import { promisify } from 'node:util';
import { ApiError } from '../../shared/client/rest/api-error';
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { ClientConfig } from '../../shared/client/kubeconfig/client-config';
import { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { ConnectionError } from '../../shared/client/transport/transport';
import { systemClock } from '../../shared/runtime/clock';
import { silentLogger } from '../../shared/runtime/logger';
import { systemRandom } from '../../shared/runtime/random';
import { errorMessage } from '../../shared/runtime/error-message';
import { objectAt, stringAt } from '../../shared/values/json';
import { sleep } from './container-engine';
import { requestOutcome, RESPONSE_TIMEOUT_MS } from './request-outcome';

const MAPS = resourceOf('core.v1.ConfigMap');
const NAMESPACE = 'default';
const NAME = 'counted';
const PATH = `/api/v1/namespaces/${NAMESPACE}/configmaps/${NAME}`;
const LABELS = { made: 'by-load' };
/** Characters of data in each object that is created. */
const FILLER = 2_000;
/** The pause between two requests of a loop: the load shows faults, and must not itself overload the cluster. */
const PAUSE_MS = 20;
/** The pause between two runs of kubectl, each of which starts a process. */
const KUBECTL_PAUSE_MS = 1_000;
/** Failures are counted by the beginning of their message; what follows names objects. */
const MAX_MESSAGE_LENGTH = 90;
/** The page size of client-go's pager. */
const LIST_PAGE = 500;

const run = promisify(execFile);

/** Observations since the previous report. */
export interface LoadReport {
  /** Acknowledged increments and creations. */
  readonly writes: number;
  /** Increments and creations that failed after the client's retries, by the beginning of the message. */
  readonly failedWrites: ReadonlyMap<string, number>;
  /** Failed writes without an explanation: neither an error response nor a lost connection. */
  readonly unexplained: number;
  /** Reads that were sent, whether or not they failed; kubectl's are not included. */
  readonly reads: number;
  /** Failed reads, kubectl's included, by the beginning of the message. */
  readonly failedReads: ReadonlyMap<string, number>;
  /** Runs of kubectl that succeeded. */
  readonly kubectl: number;
  /** The longest time between two consecutive acknowledged writes of one loop, pause included; it counts when it ends. */
  readonly longestWriteGapMs: number;
  /** Values of the counter that the informer skipped. */
  readonly missed: number;
  /** Changes after which the counter was not higher than before, as the informer saw it. */
  readonly repeated: number;
  /** The number of lists that the informer needed. */
  readonly lists: number;
}

/** The members of {@link LoadReport} that loops count. */
class Observations {
  writes = 0;
  readonly failedWrites = new Map<string, number>();
  unexplained = 0;
  reads = 0;
  readonly failedReads = new Map<string, number>();
  kubectl = 0;
  longestWriteGapMs = 0;
  missed = 0;
  repeated = 0;
}

export class ClientLoad {
  private observations = new Observations();
  /** The lists of the informer until the previous report. */
  private listsBefore = 0;
  /** The counter after the last acknowledged increment. */
  private acknowledged = 0;
  /** The counter in the last change that the informer saw; -1 before the first. */
  private lastCount = -1;
  /** Names of objects with an acknowledged creation. */
  private readonly created = new Set<string>();
  /** Names of objects that were sent and not acknowledged: they may exist. */
  private readonly uncertain = new Set<string>();
  private readonly ending = new AbortController();
  private readonly informer: Informer;
  private readonly keepAliveAgent = new Agent({ keepAlive: true });
  private loops: readonly Promise<void>[] = [];

  constructor(
    private readonly config: ClientConfig,
    private readonly client: RestClient,
    private readonly kubeconfig: string,
  ) {
    const common = { clock: systemClock, random: systemRandom, logger: silentLogger };
    this.informer = new Informer({ ...common, client, resource: MAPS, namespace: NAMESPACE, fieldSelector: `metadata.name=${NAME}` });
  }

  async start(): Promise<void> {
    await this.maps().create({ metadata: { name: NAME }, data: { count: '0' } });
    this.informer.handle({ added: (object) => this.observeChange(object), updated: (_, object) => this.observeChange(object) });
    const following = this.informer.run(this.ending.signal);
    await this.informer.synced;
    const read = (agent: Agent | false): Promise<void> => this.repeat(() => this.readOnce(agent));
    this.loops = [
      following,
      this.repeatWrites(() => this.increment()),
      this.repeatWrites((index) => this.createNext(index)),
      read(false),
      read(this.keepAliveAgent),
      this.repeat(() => this.runKubectl()),
    ];
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await Promise.all(this.loops);
    this.keepAliveAgent.destroy();
  }

  /**
   * Resolves when increments are acknowledged again and the informer has seen all of them except the last: its event may
   * still be on its way. Otherwise after a minute.
   */
  async waitUntilCaughtUp(): Promise<void> {
    const since = this.acknowledged;
    for (let left = 600; left > 0 && (this.acknowledged === since || this.lastCount < this.acknowledged - 1); left -= 1) await sleep(100);
  }

  /** Returns the observations and resets them. */
  takeReport(): LoadReport {
    const { observations } = this;
    this.observations = new Observations();
    const lists = this.informer.counts.lists - this.listsBefore;
    this.listsBefore += lists;
    return { ...observations, lists };
  }

  /**
   * Compares the store with the creations. `created`: the number of those that were acknowledged before the comparison;
   * `lost`: those of them that are missing; `unexpected`: objects that were never sent.
   */
  async compareWithStore(): Promise<{
    readonly created: number;
    readonly lost: readonly string[];
    readonly unexpected: readonly string[];
  }> {
    const created = new Set(this.created);
    const present = new Set<string>();
    let token: string | undefined;
    do {
      const selectors = { labelSelector: `made=${LABELS.made}`, metadataOnly: true, limit: LIST_PAGE };
      const page = await this.maps().list({ ...selectors, ...(token !== undefined && { continue: token }) });
      for (const { name } of page.items) present.add(name);
      token = page.continue;
    } while (token !== undefined);
    const isKnown = (name: string): boolean => this.created.has(name) || this.uncertain.has(name);
    return {
      created: created.size,
      lost: [...created].filter((name) => !present.has(name)),
      unexpected: [...present].filter((name) => !isKnown(name)),
    };
  }

  private maps() {
    return this.client.of(MAPS).namespace(NAMESPACE);
  }

  private observeChange(object: ApiObject): void {
    const count = countOf(object);
    if (this.lastCount >= 0 && count <= this.lastCount) this.observations.repeated += 1;
    if (this.lastCount >= 0 && count > this.lastCount + 1) this.observations.missed += count - this.lastCount - 1;
    this.lastCount = count;
  }

  private async repeat(work: (index: number) => Promise<void>): Promise<void> {
    for (let index = 0; !this.ending.signal.aborted; index += 1) {
      await work(index);
      await sleep(PAUSE_MS);
    }
  }

  private async repeatWrites(write: (index: number) => Promise<void>): Promise<void> {
    let previous = performance.now();
    await this.repeat(async (index) => {
      try {
        await write(index);
        const now = performance.now();
        this.observations.longestWriteGapMs = Math.max(this.observations.longestWriteGapMs, now - previous);
        previous = now;
        this.observations.writes += 1;
      } catch (error) {
        if (!(error instanceof ApiError || error instanceof ConnectionError)) this.observations.unexplained += 1;
        countMessage(this.observations.failedWrites, errorMessage(error));
      }
    });
  }

  private async increment(): Promise<void> {
    const stored = await this.maps().get(NAME);
    const next = countOf(stored) + 1;
    await this.maps().update({ ...stored.body, data: { count: String(next) } });
    this.acknowledged = next;
  }

  private async createNext(index: number): Promise<void> {
    const name = `made-${index}`;
    this.uncertain.add(name);
    await this.maps().create({ metadata: { name, labels: LABELS }, data: { filler: 'x'.repeat(FILLER) } });
    this.uncertain.delete(name);
    this.created.add(name);
  }

  private async readOnce(agent: Agent | false): Promise<void> {
    this.observations.reads += 1;
    const outcome = await requestOutcome(this.config, { path: PATH, agent });
    if (outcome !== '200') countMessage(this.observations.failedReads, `${outcome}${agent === false ? '' : ' on a kept connection'}`);
  }

  private async runKubectl(): Promise<void> {
    const args = ['--kubeconfig', this.kubeconfig, 'get', 'configmap', NAME, '--output', 'name'];
    await run('kubectl', args, { timeout: RESPONSE_TIMEOUT_MS })
      .then(() => (this.observations.kubectl += 1))
      .catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
        const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
        countMessage(this.observations.failedReads, `kubectl: ${stderr}`);
      });
    await sleep(KUBECTL_PAUSE_MS);
  }
}

function countMessage(counts: Map<string, number>, message: string): void {
  const key = message.trim().replaceAll(/\s+/g, ' ').slice(0, MAX_MESSAGE_LENGTH);
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

const countOf = ({ body }: ApiObject): number => Number(stringAt(objectAt(body, 'data'), 'count') ?? '0');
