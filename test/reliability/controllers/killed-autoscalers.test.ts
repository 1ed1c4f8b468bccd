/**
 * Autoscalers whose controller is killed (SIGKILL) again and again. What it remembers of its past dies with it, here as with the reference: where nothing hangs on that, every
 * step comes to what is recorded; where something does, a controller that begins anew may scale later than one that went on, but never sooner, never twice and never
 * beyond the limits. `KILLED_SEEDS=1,2,3` chooses other moments and
 * scenarios, `KILLED_SEEDS=all` plays every scenario.
 */
import type { ApiObject } from '../../../shared/client/rest/api-object';
import { InformerPool } from '../../../shared/client/informer/informer-pool';
import { resourceOf, type Resource } from '../../../shared/client/rest/resource';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom as random } from '../../../shared/runtime/random';
import type { JsonObject } from '../../../shared/values/json';
import { createChance, type Chance } from '../../replay/chance';
import { isBody, type Body, type Json } from '../../replay/reference';
import { SCENARIOS } from '../../replay/scenarios';
import { average, changed, deployment, external, queueHas, scaler } from '../../replay/scenarios/autoscaler-steps';
import type { Act, Observed } from '../../replay/scenarios/scenario';
import { Stage } from '../../replay/scenarios/stage';
import { ApiClient } from '../../support/api-client';
import { adminClient, startControllers } from '../../support/control-plane';
import { KilledAtRandom } from '../../support/killed-at-random';
import { serveMetrics } from '../../support/metrics-server';
import { freePort } from '../../support/ports';
import { removeFolder, startApiServer, temporaryFolder, waitUntil, type ApiServer, type ProgramProcess } from '../../support/programs';
import { eventsOf, played, recordedSteps, sendOver, withoutLostEvents } from '../../support/replayed-scenario';

const CHOICE = process.env['KILLED_SEEDS'] ?? '1';
const SEEDS = CHOICE === 'all' ? [1] : CHOICE.split(',').map(Number);
/** Scenarios that a seed plays. */
const SCENARIOS_PER_SEED = CHOICE === 'all' ? Infinity : 6;
/** What comes of these hangs on earlier wishes or changes. */
const REMEMBERS = /^scaler-(window|policy|both-ways)/;
/** A server that has too much to do is asked again for longer than a life; where there are no pods, ours says another share on purpose. */
const OTHERWISE = new Set(['scaler-failing', 'scaler-object-without-pods']);
/** Of a life, from when its controllers begin: often too short for a look, seldom long enough for two. */
const MOMENTS = { shortestMs: 0, longestMs: 1_800 };
const BEGUN = 'controllers are running';
/** So many lives that one of them is long enough, also where all that is done in it takes several times as long. */
const LONGER_MS = 90_000;
const MEASURED = 'measured-autoscalers';

/** At most `count` of them, in their order. */
function sample<T>(items: readonly T[], chance: Chance, count: number): readonly T[] {
  const left = [...items];
  while (left.length > count) left.splice(chance.below(left.length), 1);
  return left;
}

/** Whoever is killed between a scaling and its report does not know any more when he scaled, on the reference as here. */
function withoutScaleTimes(state: Observed): Observed {
  const timeless = (value: Json): Json => {
    if (!isBody(value) || !isBody(value['status'] ?? null)) return value;
    const { lastScaleTime: _, ...status }: Body = Object(value['status']);
    return { ...value, status };
  };
  return Object.fromEntries(Object.entries(state).map(([path, items]) => [path, items.map(timeless)]));
}

describe.each(SEEDS)('autoscalers killed at random with seed %i', (seed) => {
  const folder = temporaryFolder(`killed-autoscalers-${seed}`);
  const recorded = recordedSteps(MEASURED).map((step) => ({ ...step, state: withoutScaleTimes(step.state) }));
  const suited = (SCENARIOS.get(MEASURED) ?? []).filter(({ name }) => !REMEMBERS.test(name) && !OTHERWISE.has(name));
  const scenarios = sample(suited, createChance(seed), SCENARIOS_PER_SEED);
  let server: ApiServer;
  let controllers: ProgramProcess;
  let killed: KilledAtRandom;
  let api: ApiClient;
  let endMetrics: () => Promise<void>;

  beforeAll(async () => {
    server = await startApiServer({ folder, securePort: await freePort(), args: ['--naming=kubernetes'] });
    api = new ApiClient(server.address, server.certificates);
    endMetrics = await serveMetrics(send);
    const run = '--controllers=-*,horizontal-pod-autoscaler,serviceaccount,namespace';
    const args = ['--naming=kubernetes', '--leader-elect=false', '--horizontal-pod-autoscaler-sync-period=1s', run];
    const mortal = {
      start: async () => {
        controllers = startControllers(server, ...args);
        await waitUntil('controllers that run', () => Promise.resolve(controllers.output.includes(BEGUN)), LONGER_MS);
      },
      kill: () => controllers.kill(),
    };
    killed = new KilledAtRandom(mortal, createChance(seed), MOMENTS);
  }, 60_000);

  afterAll(async () => {
    await killed.leave();
    await controllers.stop();
    await endMetrics();
    api.close();
    await server.process.stop();
    removeFolder(folder);
  }, 60_000);

  const send = sendOver(() => api);

  it.concurrent.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    'match the recording of %s after every step',
    async (name, scenario) => {
      const events = withoutLostEvents(eventsOf(recorded, name));
      const compared = (state: Observed, wanted: Observed): Observed => withoutScaleTimes(events(state, wanted));
      const options = { recorded, compared, restMs: LONGER_MS };
      for await (const { found, wanted } of played(new Stage(send, `sc-${name}`), scenario, options)) expect(found).toEqual(wanted);
    },
    240_000,
  );

  it.concurrent('scale exactly once for each change of the metric', async () => {
    const world = await Scaled.begin(server, new Stage(send, 'sc-at-once'), { scaleDown: AT_ONCE, scaleUp: AT_ONCE });
    const chance = createChance(seed);
    const due = [MIN];
    while (due.length < 5) {
      const wish = another(chance, due.at(-1) ?? 0);
      due.push(wish);
      await world.wish(wish);
      await world.until(wish);
    }
    expect(world.numbers()).toEqual(due);
    await world.end();
  }, 240_000);

  it.concurrent('scale down only when the stabilization window no longer forbids it', async () => {
    const scaleDown = { ...AT_ONCE, stabilizationWindowSeconds: LONG_S };
    const world = await Scaled.begin(server, new Stage(send, 'sc-in-time'), { scaleDown, scaleUp: AT_ONCE });
    const chance = createChance(seed + 1);
    const due = [MIN];
    for (const kills = killed.kills; killed.kills < kills + 4;) {
      const [wish, highest] = [1 + chance.below(12), due.at(-1) ?? 0];
      await world.wish(wish);
      if (wish > highest && highest < MAX) {
        due.push(Math.min(wish, MAX));
        await world.until(Math.min(wish, MAX));
      } else await waitUntil('a kill', nextKill(killed), LONGER_MS);
    }
    expect(world.numbers()).toEqual(due);
    await world.wish(1);
    await world.patch({ behavior: { scaleDown: AT_ONCE } });
    await world.until(MIN);
    expect(world.numbers()).toEqual([...due, MIN]);
    await world.end();
  }, 240_000);

  it('have been killed more than 5 times', () => expect(killed.kills).toBeGreaterThan(5));
});

const [MIN, MAX] = [2, 8];
/** Longer than any life. */
const LONG_S = 60;
const AT_ONCE: Body = { stabilizationWindowSeconds: 0, policies: [{ type: 'Pods', value: 50, periodSeconds: 1800 }] };
const EACH = 10;

/** Between the limits. */
function another(chance: Chance, than: number): number {
  const wish = MIN + chance.below(MAX - MIN + 1);
  return wish === than ? another(chance, than) : wish;
}

function nextKill(killed: KilledAtRandom): () => boolean {
  const before = killed.kills;
  return () => killed.kills > before;
}

/** A target, and every state of it and of its autoscaler that there has been. */
class Scaled {
  private readonly replicas: number[] = [];
  private readonly times: string[] = [];
  private readonly gone = new AbortController();

  private constructor(private readonly stage: Stage) {}

  static async begin(server: ApiServer, stage: Stage, behavior: Body): Promise<Scaled> {
    await stage.open();
    const scaled = new Scaled(stage);
    const client = adminClient([server.address], server.certificates, { dialect: 'kubernetes' });
    const informers = new InformerPool({ client, clock, random, logger: silentLogger }, scaled.gone.signal);
    const follow = <Body extends JsonObject>(resource: Resource<Body>, seen: (object: ApiObject<Body>) => void): Promise<unknown> => {
      const informer = informers.of(resource, { namespace: stage.namespace });
      informer.handle({ added: seen, updated: (_, object) => seen(object), deleted: () => undefined });
      return informer.synced;
    };
    await follow(resourceOf('apps.v1.Deployment'), ({ body }) => scaled.replicas.push(Number(body.spec?.replicas)));
    await follow(resourceOf('autoscaling.v2.HorizontalPodAutoscaler'), ({ body }) => scaled.times.push(body.status?.lastScaleTime ?? ''));
    const metrics = [external(average(String(EACH)))];
    const wanted = scaler({ minReplicas: MIN, maxReplicas: MAX, metrics, behavior });
    for (const act of [queueHas(String(MIN * EACH)), ...deployment(MIN), wanted]) await scaled.act(act);
    return scaled;
  }

  wish(replicas: number): Promise<void> {
    return this.act(queueHas(String(replicas * EACH)));
  }

  patch(spec: Body): Promise<void> {
    return this.act(changed(spec));
  }

  until(replicas: number): Promise<unknown> {
    return waitUntil(`${replicas} replicas`, () => this.replicas.at(-1) === replicas, 90_000);
  }

  /** Each number of replicas that there was, once for as long as it stayed. */
  numbers(): readonly number[] {
    return this.replicas.filter((number, at) => number !== this.replicas[at - 1]);
  }

  async end(): Promise<void> {
    this.gone.abort();
    expect(this.times).toEqual([...this.times].sort());
    await this.stage.close({});
  }

  private async act(act: Act): Promise<void> {
    const code = await this.stage.act(act);
    if (code >= 300) throw new Error(`${act.path} was answered with ${code}`);
  }
}
