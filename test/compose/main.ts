/**
 * `npm run test:compose`: tries the containers for real and prints what it saw: how long they take to start, whether requests fail or changes are lost while API
 * servers are added, restarted one by one and killed, and a member of etcd too. Needs a Docker engine; takes the project `platform` for itself, volumes and all.
 * `--keep` leaves everything running.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ApiObject } from '../../shared/client/api-object';
import type { ClientConfig } from '../../shared/client/client-config';
import { connectTo } from '../../shared/client/connect';
import { CredentialSource } from '../../shared/client/credential-source';
import { Informer } from '../../shared/client/informer';
import { readKubeconfig } from '../../shared/client/kubeconfig';
import { knownResource } from '../../shared/client/resource';
import { RestClient } from '../../shared/client/rest-client';
import { systemClock } from '../../shared/runtime/clock';
import { silentLogger } from '../../shared/runtime/logger';
import { systemRandom } from '../../shared/runtime/random';
import { objectAt, stringAt } from '../../shared/values/json';
import { repository } from '../support/repository';

const run = promisify(execFile);
const MAPS = knownResource('configmaps');
const NAMESPACE = 'default';
const NAME = 'counted';
const PAUSE_MS = 20;

async function docker(...args: readonly string[]): Promise<string> {
  const { stdout } = await run('docker', [...args], { cwd: repository, maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}
const compose = (...args: readonly string[]): Promise<string> => docker('compose', ...args);
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What is being done at the moment. */
let present = '';

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const begun = performance.now();
  present = what;
  await work();
  console.log(`${what.padEnd(60)} ${((performance.now() - begun) / 1000).toFixed(1).padStart(6)} s`);
}

/** Counts an object up, one write after the other, and follows it; and asks over a connection of its own each time, as a client that never tries again. */
class Load {
  acknowledged = 0;
  readonly failedWrites = new Map<string, number>();
  reads = 0;
  readonly failedReads = new Map<string, number>();
  private last = -1;
  missed = 0;
  repeated = 0;
  lists = 0;
  private readonly ending = new AbortController();
  private working: readonly Promise<void>[] = [];

  constructor(
    private readonly config: ClientConfig,
    private readonly client: RestClient,
  ) {}

  async start(): Promise<void> {
    const { client } = this;
    await client.create(MAPS, { metadata: { namespace: NAMESPACE, name: NAME }, data: { count: '0' } });
    const common = { clock: systemClock, random: systemRandom, logger: silentLogger };
    const informer = new Informer({ ...common, client, resource: MAPS, namespace: NAMESPACE, fieldSelector: `metadata.name=${NAME}` });
    informer.handle({ added: (object) => this.told(object), updated: (_, object) => this.told(object) });
    const following = informer.run(this.ending.signal);
    await informer.synced;
    this.working = [following.finally(() => (this.lists = informer.counts.lists)), this.write(), this.read()];
  }

  async stop(): Promise<void> {
    for (let left = 100; left > 0 && this.last < this.acknowledged; left -= 1) await wait(100);
    this.ending.abort();
    await Promise.all(this.working);
  }

  private told(object: ApiObject): void {
    const count = countOf(object);
    if (this.last >= 0 && count <= this.last) this.repeated += 1;
    if (this.last >= 0 && count > this.last + 1) this.missed += count - this.last - 1;
    this.last = count;
  }

  private async write(): Promise<void> {
    while (!this.ending.signal.aborted) {
      try {
        const found = await this.client.get(MAPS, { namespace: NAMESPACE, name: NAME });
        const count = countOf(found) + 1;
        await this.client.update(MAPS, { ...found.body, data: { count: String(count) } });
        this.acknowledged = count;
      } catch (error) {
        count(this.failedWrites, error instanceof Error ? error.message.slice(0, 80) : String(error));
      }
      await wait(PAUSE_MS);
    }
  }

  private async read(): Promise<void> {
    while (!this.ending.signal.aborted) {
      this.reads += 1;
      const outcome = await this.readOnce();
      if (outcome !== '200') count(this.failedReads, outcome);
      await wait(PAUSE_MS);
    }
  }

  private readOnce(): Promise<string> {
    const [server] = this.config.servers;
    const target = new URL(`/api/v1/namespaces/${NAMESPACE}/configmaps/${NAME}`, server);
    return new Promise((resolve) => {
      const sent = request(target, { ...this.config.tls, agent: false, timeout: 10_000 }, (response) => {
        response.resume();
        response.once('end', () => resolve(String(response.statusCode)));
      });
      sent.once('timeout', () => sent.destroy(new Error('timeout')));
      sent.once('error', (error) => resolve(error.message.slice(0, 80)));
      sent.end();
    });
  }
}

function count(found: Map<string, number>, what: string): void {
  const key = `${what} (${present})`;
  found.set(key, (found.get(key) ?? 0) + 1);
}

const countOf = ({ body }: ApiObject): number => Number(stringAt(objectAt(body, 'data'), 'count') ?? '0');
const told = (found: ReadonlyMap<string, number>): string => [...found].map(([what, times]) => `${times} x ${what}`).join(', ') || 'none';

async function main(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'compose-'));
  const kubeconfig = path.join(folder, 'admin.kubeconfig');
  await compose('down', '--volumes', '--remove-orphans', '--timeout', '20');
  try {
    await timed('the image is built', () => compose('build', '--quiet'));
    await timed('the cluster is up', () => compose('up', '--detach', '--wait'));
    await compose('cp', 'pki:/pki/admin/admin.kubeconfig', kubeconfig);
    const config = readKubeconfig(kubeconfig);
    const transport = connectTo(config, systemClock);
    const credentials = new CredentialSource({ type: 'none' }, systemClock);
    const base = { transport, credentials, clock: systemClock, random: systemRandom };
    const client = new RestClient({ ...base, dialect: 'platform', userAgent: 'compose-test' });
    const load = new Load(config, client);
    await load.start();
    await disturb();
    await load.stop();
    transport.close();
    console.log(`${load.acknowledged} writes acknowledged, failed: ${told(load.failedWrites)}`);
    console.log(`${load.reads} reads over connections of their own, failed: ${told(load.failedReads)}`);
    if (load.failedWrites.size + load.failedReads.size + load.missed + load.repeated > 0) process.exitCode = 1;
    console.log(`changes told: ${load.missed} missed, ${load.repeated} repeated, ${load.lists} lists`);
    console.log(await docker('stats', '--no-stream', '--format', 'table {{.Name}}\t{{.MemUsage}}\t{{.CPUPerc}}'));
  } finally {
    if (!process.argv.includes('--keep')) await compose('down', '--volumes', '--timeout', '20');
    rmSync(folder, { recursive: true });
  }
}

async function disturb(): Promise<void> {
  const containers = async (service: string): Promise<readonly string[]> => (await compose('ps', '--quiet', service)).split('\n');
  await wait(3_000);
  await timed('three API servers instead of two', () =>
    compose('up', '--detach', '--wait', '--no-recreate', '--scale', 'apiserver=3', 'apiserver'),
  );
  for (const container of await containers('apiserver')) {
    await timed('an API server is restarted', () => docker('restart', '--time', '45', container));
    await healthy(container);
  }
  const [killed = ''] = await containers('apiserver');
  await timed('an API server is killed, and comes back', async () => {
    await docker('kill', killed);
    await wait(3_000);
    await docker('start', killed);
    await healthy(killed);
  });
  const [member = ''] = await containers('etcd1');
  await timed('a member of etcd is killed, and comes back', async () => {
    await docker('kill', member);
    await wait(5_000);
    await docker('start', member);
    await healthy(member);
  });
  await wait(3_000);
}

async function healthy(container: string): Promise<void> {
  for (let left = 120; left > 0; left -= 1) {
    if ((await docker('inspect', '--format', '{{.State.Health.Status}}', container)) === 'healthy') return;
    await wait(500);
  }
  throw new Error(`${container} does not get healthy`);
}

void main();
