/**
 * Clients of a cluster that go on whatever is done to it, and what they see. One counts an object up, one write after the other, while another follows it; one makes
 * objects; one asks over a connection of its own each time, one over a connection that it keeps, neither of which tries again; and kubectl where there is one. Never judges.
 */
import { execFile } from 'node:child_process';
import { Agent, request } from 'node:https';
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

const MAPS = resourceOf('core.v1.ConfigMap');
const NAMESPACE = 'default';
const NAME = 'counted';
const LABELS = { made: 'by-load' };
const PAUSE_MS = 20;
const LIST_PAGE = 500;
const ANSWER_MS = 70_000;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const run = promisify(execFile);

/** What was seen since somebody asked last. */
export interface Seen {
  readonly writes: number;
  readonly failedWrites: ReadonlyMap<string, number>;
  /** Failed writes of which nobody can say why: neither an answer nor a lost connection. */
  readonly unclear: number;
  readonly reads: number;
  readonly failedReads: ReadonlyMap<string, number>;
  readonly kubectl: number;
  /** The longest time between two acknowledged writes of one client. */
  readonly pauseMs: number;
  readonly missed: number;
  readonly repeated: number;
  /** How often the follower had to list. */
  readonly lists: number;
}

export class Load {
  private writes = 0;
  private failedWrites = new Map<string, number>();
  private unclear = 0;
  private reads = 0;
  private failedReads = new Map<string, number>();
  private kubectl = 0;
  private pauseMs = 0;
  private missed = 0;
  private repeated = 0;
  private listsBefore = 0;
  private acknowledged = 0;
  private last = -1;
  private readonly made = new Set<string>();
  private readonly doubtful = new Set<string>();
  private readonly ending = new AbortController();
  private readonly informer: Informer;
  private readonly kept = new Agent({ keepAlive: true, maxSockets: 2 });
  private working: readonly Promise<void>[] = [];

  constructor(
    private readonly config: ClientConfig,
    private readonly client: RestClient,
    private readonly kubeconfig: string,
  ) {
    const common = { clock: systemClock, random: systemRandom, logger: silentLogger };
    this.informer = new Informer({ ...common, client, resource: MAPS, namespace: NAMESPACE, fieldSelector: `metadata.name=${NAME}` });
  }

  async start(): Promise<void> {
    await this.client.create(MAPS, { metadata: { namespace: NAMESPACE, name: NAME }, data: { count: '0' } });
    this.informer.handle({ added: (object) => this.told(object), updated: (_, object) => this.told(object) });
    const following = this.informer.run(this.ending.signal);
    await this.informer.synced;
    const [server] = this.config.servers;
    const read = (agent: Agent | false): Promise<void> => this.forever(async () => this.readOnce(new URL(PATH, server), agent));
    this.working = [
      following,
      this.writing(() => this.count()),
      this.writing((index) => this.make(index)),
      read(false),
      read(this.kept),
      this.forever(() => this.ask()),
    ];
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await Promise.all(this.working);
    this.kept.destroy();
  }

  /** Resolves when writes are acknowledged again and the follower has seen all of them. */
  async settled(): Promise<void> {
    const since = this.acknowledged;
    for (let left = 600; left > 0 && (this.acknowledged === since || this.last < this.acknowledged - 1); left -= 1) await wait(100);
  }

  /** And begins anew. */
  seen(): Seen {
    const { writes, failedWrites, unclear, reads, failedReads, kubectl, pauseMs, missed, repeated } = this;
    const lists = this.informer.counts.lists - this.listsBefore;
    this.listsBefore += lists;
    [this.writes, this.unclear, this.reads, this.kubectl, this.pauseMs, this.missed, this.repeated] = [0, 0, 0, 0, 0, 0, 0];
    [this.failedWrites, this.failedReads] = [new Map(), new Map()];
    return { writes, failedWrites, unclear, reads, failedReads, kubectl, pauseMs, missed, repeated, lists };
  }

  /** Objects whose making was acknowledged and that are not there; and such as nobody has made. */
  async history(): Promise<{ readonly made: number; readonly lost: readonly string[]; readonly strange: readonly string[] }> {
    const made = new Set(this.made);
    const found = new Set<string>();
    let token: string | undefined;
    do {
      const selectors = { namespace: NAMESPACE, labelSelector: 'made=by-load', metadataOnly: true, limit: LIST_PAGE };
      const page = await this.client.list(MAPS, { ...selectors, ...(token !== undefined && { continue: token }) });
      for (const { name } of page.items) found.add(name);
      token = page.continue;
    } while (token !== undefined);
    const known = (name: string): boolean => this.made.has(name) || this.doubtful.has(name);
    return { made: made.size, lost: [...made].filter((name) => !found.has(name)), strange: [...found].filter((name) => !known(name)) };
  }

  private told(object: ApiObject): void {
    const count = countOf(object);
    if (this.last >= 0 && count <= this.last) this.repeated += 1;
    if (this.last >= 0 && count > this.last + 1) this.missed += count - this.last - 1;
    this.last = count;
  }

  private async forever(work: (index: number) => Promise<void>): Promise<void> {
    for (let index = 0; !this.ending.signal.aborted; index += 1) {
      await work(index);
      await wait(PAUSE_MS);
    }
  }

  private async writing(write: (index: number) => Promise<void>): Promise<void> {
    let before = performance.now();
    await this.forever(async (index) => {
      try {
        await write(index);
        const now = performance.now();
        this.pauseMs = Math.max(this.pauseMs, now - before);
        before = now;
        this.writes += 1;
      } catch (error) {
        if (!(error instanceof ApiError || error instanceof ConnectionError)) this.unclear += 1;
        count(this.failedWrites, errorMessage(error));
      }
    });
  }

  private async count(): Promise<void> {
    const found = await this.client.get(MAPS, { namespace: NAMESPACE, name: NAME });
    const next = countOf(found) + 1;
    await this.client.update(MAPS, { ...found.body, data: { count: String(next) } });
    this.acknowledged = next;
  }

  private async make(index: number): Promise<void> {
    const name = `made-${index}`;
    this.doubtful.add(name);
    await this.client.create(MAPS, { metadata: { namespace: NAMESPACE, name, labels: LABELS }, data: { filler: 'x'.repeat(FILLER) } });
    this.doubtful.delete(name);
    this.made.add(name);
  }

  private async readOnce(target: URL, agent: Agent | false): Promise<void> {
    this.reads += 1;
    const outcome = await new Promise<string>((resolve) => {
      const sent = request(target, { ...this.config.tls, agent, timeout: ANSWER_MS }, (response) => {
        response.resume();
        response.once('end', () => resolve(String(response.statusCode)));
        response.once('error', (error) => resolve(error.message));
      });
      sent.once('timeout', () => sent.destroy(new Error('timeout')));
      sent.once('error', (error) => resolve(error.message));
      sent.end();
    });
    if (outcome !== '200') count(this.failedReads, `${outcome}${agent === false ? '' : ' on a kept connection'}`);
  }

  private async ask(): Promise<void> {
    const args = ['--kubeconfig', this.kubeconfig, 'get', 'configmap', NAME, '--output', 'name'];
    await run('kubectl', args, { timeout: ANSWER_MS })
      .then(() => (this.kubectl += 1))
      .catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
        const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
        count(this.failedReads, `kubectl: ${said}`);
      });
    await wait(KUBECTL_PAUSE_MS);
  }
}

const PATH = `/api/v1/namespaces/${NAMESPACE}/configmaps/${NAME}`;
const FILLER = 2_000;
const KUBECTL_PAUSE_MS = 1_000;
const SHOWN = 90;

function count(found: Map<string, number>, what: string): void {
  const key = what.trim().replaceAll(/\s+/g, ' ').slice(0, SHOWN);
  found.set(key, (found.get(key) ?? 0) + 1);
}

const countOf = ({ body }: ApiObject): number => Number(stringAt(objectAt(body, 'data'), 'count') ?? '0');
