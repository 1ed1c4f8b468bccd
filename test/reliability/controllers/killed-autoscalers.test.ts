/**
 * An autoscaler controller that is killed (SIGKILL) repeatedly. Its history of recommendations and scalings is held in
 * memory and lost each time, as upstream's is. Scenarios that do not depend on the history reach the recorded state after
 * every step; in the others a restarted controller may scale later, but never sooner, never twice and never beyond the
 * limits. `KILLED_SEEDS=1,2,3` chooses other times and scenarios, `KILLED_SEEDS=all` plays every scenario.
 */
import type { ApiObject } from '../../../shared/client/rest/api-object';
import { InformerPool } from '../../../shared/client/informer/informer-pool';
import { resourceOf, type Resource } from '../../../shared/client/rest/resource';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import type { JsonObject } from '../../../shared/values/json';
import { createSeededRandom, type SeededRandom } from '../../replay/seeded-random';
import { isBody, type Body, type Json } from '../../replay/json-response';
import { SCENARIOS } from '../../replay/scenarios';
import {
  averageTarget,
  patchAutoscaler,
  createDeployment,
  externalMetric,
  setQueueLengths,
  createAutoscaler,
} from '../../replay/scenarios/autoscaler-steps';
import type { ScenarioRequest, ObservedState } from '../../replay/scenarios/scenario';
import { ScenarioSession } from '../../replay/scenarios/scenario-session';
import { adminClient } from '../../support/control-plane';
import type { RandomKiller } from '../../support/random-killer';
import { serveMetrics } from '../../support/servers/metrics-server';
import { waitUntil, type ApiServer } from '../../support/programs';
import { recordedEvents, recordedSteps, withoutLostEvents } from '../../support/scenarios/replayed-scenario';
import { useKilledControllers } from './use-killed-controllers';

const SEED_CHOICE = process.env['KILLED_SEEDS'] ?? '1';
const SEEDS = SEED_CHOICE === 'all' ? [1] : SEED_CHOICE.split(',').map(Number);
/** The number of scenarios that one seed plays. */
const SCENARIOS_PER_SEED = SEED_CHOICE === 'all' ? Infinity : 6;
/** Scenarios with results that depend on earlier recommendations or scalings. */
const DEPENDS_ON_HISTORY = /^scaler-(window|policy|both-ways)/;
/**
 * `scaler-failing` retries for longer than a controller lives; in `scaler-object-without-pods` the message deliberately
 * differs from upstream's.
 */
const DEVIATING_SCENARIOS = new Set(['scaler-failing', 'scaler-object-without-pods']);
/** Lifetime of a controllers process from its start: often too short for one sync, rarely long enough for two. */
const LIFETIMES = { shortestMs: 0, longestMs: 1_800 };
/** Long enough for many lifetimes, so that a step completes in one of them also on a slow machine. */
const STEP_TIMEOUT_MS = 90_000;
const RECORDING = 'measured-autoscalers';

/** A random choice of at most `count` items, which keep their order. */
function sample<T>(items: readonly T[], random: SeededRandom, count: number): readonly T[] {
  const remaining = [...items];
  while (remaining.length > count) remaining.splice(random.integerBelow(remaining.length), 1);
  return remaining;
}

/** A controller that is killed between a scaling and the update of the status loses the scale time, as upstream's does. */
function withoutScaleTimes(state: ObservedState): ObservedState {
  const withoutScaleTime = (value: Json): Json => {
    if (!isBody(value) || !isBody(value['status'] ?? null)) return value;
    const { lastScaleTime: _, ...status }: Body = Object(value['status']);
    return { ...value, status };
  };
  return Object.fromEntries(Object.entries(state).map(([path, items]) => [path, items.map(withoutScaleTime)]));
}

/** The autoscalers' `minReplicas` and `maxReplicas`. */
const MIN_REPLICAS = 2;
const MAX_REPLICAS = 8;
/** A stabilization window that is longer than any lifetime of a controller. */
const LONG_WINDOW_S = 60;
/** Scaling rules that allow any number of replicas at once, without a window. */
const IMMEDIATE: Body = { stabilizationWindowSeconds: 0, policies: [{ type: 'Pods', value: 50, periodSeconds: 1800 }] };
/** The target of the metric: queued items for each replica. */
const ITEMS_PER_REPLICA = 10;

describe.each(SEEDS)('autoscalers killed at random with seed %i', (seed) => {
  const recorded = recordedSteps(RECORDING).map((step) => ({ ...step, state: withoutScaleTimes(step.state) }));
  const suitable = (SCENARIOS.get(RECORDING) ?? []).filter(({ name }) => !DEPENDS_ON_HISTORY.test(name) && !DEVIATING_SCENARIOS.has(name));
  const scenarios = sample(suitable, createSeededRandom(seed), SCENARIOS_PER_SEED);
  const args = ['--horizontal-pod-autoscaler-sync-period=1s', '--controllers=-*,horizontal-pod-autoscaler,serviceaccount,namespace'];
  const { server, send, killer, play } = useKilledControllers(
    { seed, args, lifetimes: LIFETIMES, stepTimeoutMs: STEP_TIMEOUT_MS },
    serveMetrics,
  );

  it.concurrent.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    'match the recording of %s after every step',
    async (name, scenario) => {
      const removeLostEvents = withoutLostEvents(recordedEvents(recorded, name));
      const compared = (state: ObservedState, expected: ObservedState): ObservedState =>
        withoutScaleTimes(removeLostEvents(state, expected));
      await play(scenario, { recorded, compared });
    },
    240_000,
  );

  it.concurrent('scale exactly once for each change of the metric', async () => {
    const target = await ScaledTarget.start(server(), new ScenarioSession(send, 'sc-at-once'), {
      scaleDown: IMMEDIATE,
      scaleUp: IMMEDIATE,
    });
    const random = createSeededRandom(seed);
    const expected = [MIN_REPLICAS];
    while (expected.length < 5) {
      const replicas = differentReplicas(random, expected.at(-1) ?? 0);
      expected.push(replicas);
      await target.setMetricFor(replicas);
      await target.waitForReplicas(replicas);
    }
    expect(target.replicaHistory()).toEqual(expected);
    await target.close();
  }, 240_000);

  it.concurrent('scale down only when the stabilization window no longer forbids it', async () => {
    const scaleDown = { ...IMMEDIATE, stabilizationWindowSeconds: LONG_WINDOW_S };
    const target = await ScaledTarget.start(server(), new ScenarioSession(send, 'sc-in-time'), { scaleDown, scaleUp: IMMEDIATE });
    const random = createSeededRandom(seed + 1);
    const expected = [MIN_REPLICAS];
    const killsAtEnd = killer().kills + 4;
    while (killer().kills < killsAtEnd) {
      // From below to above the limits.
      const recommended = 1 + random.integerBelow(MAX_REPLICAS + 4);
      const current = expected.at(-1) ?? 0;
      const replicas = Math.max(current, Math.min(recommended, MAX_REPLICAS));
      await target.setMetricFor(recommended);
      if (replicas > current) {
        expected.push(replicas);
        await target.waitForReplicas(replicas);
      } else await waitUntil('a kill', wasKilledAgain(killer()), STEP_TIMEOUT_MS);
    }
    expect(target.replicaHistory()).toEqual(expected);
    await target.setMetricFor(1);
    await target.patch({ behavior: { scaleDown: IMMEDIATE } });
    await target.waitForReplicas(MIN_REPLICAS);
    expect(target.replicaHistory()).toEqual([...expected, MIN_REPLICAS]);
    await target.close();
  }, 240_000);

  it('have been killed more than 5 times', () => expect(killer().kills).toBeGreaterThan(5));
});

/** A random number of replicas between the limits, other than `current`. */
function differentReplicas(random: SeededRandom, current: number): number {
  const replicas = MIN_REPLICAS + random.integerBelow(MAX_REPLICAS - MIN_REPLICAS + 1);
  return replicas === current ? differentReplicas(random, current) : replicas;
}

/** Returns a condition that is met after the next kill. */
function wasKilledAgain(killer: RandomKiller): () => boolean {
  const before = killer.kills;
  return () => killer.kills > before;
}

/** A Deployment with an autoscaler, and the history of its replicas and of the autoscaler's scale times. */
class ScaledTarget {
  private readonly replicas: number[] = [];
  private readonly scaleTimes: string[] = [];
  private readonly stopped = new AbortController();

  private constructor(private readonly session: ScenarioSession) {}

  static async start(server: ApiServer, session: ScenarioSession, behavior: Body): Promise<ScaledTarget> {
    await session.open();
    const target = new ScaledTarget(session);
    const client = adminClient([server.address], server.certificates, { dialect: 'kubernetes' });
    const informers = new InformerPool({ client, clock, random: systemRandom, logger: silentLogger }, target.stopped.signal);
    const followResource = <Body extends JsonObject>(
      resource: Resource<Body>,
      onObject: (object: ApiObject<Body>) => void,
    ): Promise<unknown> => {
      const informer = informers.of(resource, { namespace: session.namespace });
      informer.handle({ added: onObject, updated: (_, object) => onObject(object), deleted: () => undefined });
      return informer.synced;
    };
    await followResource(resourceOf('apps.v1.Deployment'), ({ body }) => target.replicas.push(Number(body.spec?.replicas)));
    await followResource(resourceOf('autoscaling.v2.HorizontalPodAutoscaler'), ({ body }) =>
      target.scaleTimes.push(body.status?.lastScaleTime ?? ''),
    );
    const metrics = [externalMetric(averageTarget(String(ITEMS_PER_REPLICA)))];
    await target.setMetricFor(MIN_REPLICAS);
    for (const action of createDeployment(MIN_REPLICAS)) await target.perform(action);
    await target.perform(createAutoscaler({ minReplicas: MIN_REPLICAS, maxReplicas: MAX_REPLICAS, metrics, behavior }));
    return target;
  }

  /** Sets the metric to the value at which the autoscaler desires `replicas`. */
  setMetricFor(replicas: number): Promise<void> {
    return this.perform(setQueueLengths(String(replicas * ITEMS_PER_REPLICA)));
  }

  patch(spec: Body): Promise<void> {
    return this.perform(patchAutoscaler(spec));
  }

  waitForReplicas(replicas: number): Promise<unknown> {
    return waitUntil(`${replicas} replicas`, () => this.replicas.at(-1) === replicas, STEP_TIMEOUT_MS);
  }

  /** The history of replicas without repetitions. */
  replicaHistory(): readonly number[] {
    return this.replicas.filter((number, index) => number !== this.replicas[index - 1]);
  }

  /** Also checks that the scale time never went back. */
  async close(): Promise<void> {
    this.stopped.abort();
    expect(this.scaleTimes).toEqual([...this.scaleTimes].sort());
    await this.session.close({});
  }

  private async perform(action: ScenarioRequest): Promise<void> {
    const code = await this.session.perform(action);
    if (code >= 300) throw new Error(`${action.path} returned ${code}`);
  }
}
