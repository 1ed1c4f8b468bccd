import { jsonResponse, statusResponse, type Interception } from '../../test/support/controllers/fake-api';
import {
  startAutoscalerFixture,
  PERIOD_MS,
  type AutoscalerFixture,
  type AutoscalerFixtureOptions,
} from '../../test/support/controllers/autoscaler-fixture';

const SCALE_OF = '/apis/apps/v1/namespaces/n/deployments';
const NEW_MS = 100;

const target = (replicas = 1, selector = 'app=a') => ({ replicas, selector });
/** The times, in milliseconds from now, at which the scale of the Deployment is requested. */
async function evaluationTimes(
  { clock, takeRequests }: AutoscalerFixture,
  name: string,
  forMs: number,
  stepMs = 100,
): Promise<readonly number[]> {
  const started = clock.monotonic();
  const times: number[] = [];
  for (let at = 0; at < forMs; at += stepMs) {
    await clock.advanceAsync(stepMs);
    const requests = takeRequests().filter((request) => request === `GET ${SCALE_OF}/${name}/scale`);
    times.push(...requests.map(() => clock.monotonic() - started));
  }
  return times;
}

/** One autoscaler with its Deployment, after its first evaluation. */
async function evaluatedWorld(options: Omit<AutoscalerFixtureOptions, 'prepare'> = {}): Promise<AutoscalerFixture> {
  const world = await startAutoscalerFixture(options);
  world.queueLength = 10;
  world.targets.set('web', target());
  world.put('web');
  await world.clock.advanceAsync(NEW_MS);
  world.takeRequests();
  return world;
}

describe('the schedule of the autoscaler controller', () => {
  test('evaluates an autoscaler that exists at the start after a random delay, then once per sync period', async () => {
    const world = await startAutoscalerFixture({
      randomValue: 0.4,
      prepare: ({ put, targets }) => {
        targets.set('web', target());
        put('web');
      },
    });
    expect(await evaluationTimes(world, 'web', 50_000)).toEqual([6_000, 21_000, 36_000]);
    await world.stop();
  });

  test('evaluates a new or changed autoscaler after a short delay, and ignores changes of its status', async () => {
    const world = await evaluatedWorld();
    world.put('web', { maxReplicas: 50 });
    expect(await evaluationTimes(world, 'web', 20_000)).toEqual([NEW_MS, NEW_MS + PERIOD_MS]);
    world.queueLength = 500;
    // Scales the target and changes the status.
    expect(await evaluationTimes(world, 'web', 30_000)).toEqual([10_100, 25_100]);
    expect(world.statusOf('web')).toMatchObject({ desiredReplicas: 8 });
    await world.stop();
  });

  test('evaluates an autoscaler once more when it changes during an evaluation, and never concurrently', async () => {
    const world = await evaluatedWorld();
    let answer: (value: undefined) => void = () => undefined;
    world.intercept = ({ path }) => (path.endsWith('/web/scale') ? new Promise<undefined>((resolve) => (answer = resolve)) : undefined);
    world.put('web', { maxReplicas: 50 });
    expect(await evaluationTimes(world, 'web', 1_000)).toEqual([NEW_MS]);
    world.put('web', { maxReplicas: 40 });
    world.put('web', { maxReplicas: 30 });
    expect(await evaluationTimes(world, 'web', 1_000)).toEqual([]);
    world.intercept = () => undefined;
    answer(undefined);
    expect(await evaluationTimes(world, 'web', 1_000)).toHaveLength(1);
    await world.stop();
  });

  test('evaluates other autoscalers while the request for one scale is not answered', async () => {
    const world = await evaluatedWorld({ settings: { concurrentSyncs: 2 } });
    let giveUp: (reason: Error) => void = () => undefined;
    const never = new Promise<undefined>((_, refuse) => (giveUp = refuse));
    world.intercept = ({ path }) => (path.endsWith('/stuck/scale') ? never : undefined);
    world.put('stuck');
    await world.clock.advanceAsync(NEW_MS);
    world.queueLength = 70;
    await world.clock.advanceAsync(PERIOD_MS);
    expect(world.targets.get('web')).toMatchObject({ replicas: 4 });
    await world.clock.advanceAsync(PERIOD_MS);
    expect(world.targets.get('web')).toMatchObject({ replicas: 7 });
    giveUp(new Error('cut'));
    await world.stop();
  });
});

describe('the scale target of an autoscaler', () => {
  test('is requested in each period while it is missing, and is scaled when it exists', async () => {
    const world = await startAutoscalerFixture();
    world.queueLength = 30;
    world.put('web');
    expect(await evaluationTimes(world, 'web', 2 * PERIOD_MS)).toEqual([NEW_MS, NEW_MS + PERIOD_MS]);
    expect(world.conditions('web')).toEqual({ AbleToScale: 'False FailedGetScale' });
    expect(world.events.map(({ reason }) => reason)).toEqual(['FailedGetScale', 'FailedGetScale']);
    world.targets.set('web', target());
    await world.clock.advanceAsync(PERIOD_MS);
    expect(world.targets.get('web')).toMatchObject({ replicas: 3 });
    expect(world.conditions('web')).toMatchObject({ AbleToScale: 'True SucceededRescale', ScalingActive: 'True ValidMetricFound' });
    await world.stop();
  });

  test.each([
    ['without a selector', '', { AbleToScale: 'True SucceededGetScale', ScalingActive: 'False InvalidSelector' }],
    ['with an invalid selector', 'a=b=c', { AbleToScale: 'False FailedGetScale' }],
  ])('%s is neither measured nor scaled', async (_title, selector, conditions) => {
    const world = await startAutoscalerFixture();
    world.queueLength = 40;
    world.targets.set('web', target(2, selector));
    world.put('web');
    await world.clock.advanceAsync(NEW_MS);
    expect(world.conditions('web')).toEqual(conditions);
    expect(world.takeRequests().filter((request) => request.includes('metrics') || request.startsWith(`PUT ${SCALE_OF}`))).toEqual([]);
    world.targets.set('web', target(2));
    await world.clock.advanceAsync(PERIOD_MS);
    expect(world.targets.get('web')).toMatchObject({ replicas: 4 });
    await world.stop();
  });

  test('is scaled in the next period from its current size after a conflict on the scale subresource', async () => {
    const world = await evaluatedWorld();
    world.queueLength = 30;
    const conflict = ({ method, path }: { readonly method: string; readonly path: string }): Interception =>
      method === 'PUT' && path.endsWith('/scale') ? statusResponse(409, 'Conflict') : undefined;
    world.intercept = conflict;
    await world.clock.advanceAsync(PERIOD_MS);
    expect(world.targets.get('web')).toMatchObject({ replicas: 1 });
    expect(world.conditions('web')).toMatchObject({ AbleToScale: 'False FailedUpdateScale' });
    expect(world.statusOf('web')).toMatchObject({ desiredReplicas: 1 });
    expect(world.events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      'FailedRescale: New size: 3; reason: external metric queue(nil) above target; error: fake Conflict',
    ]);
    world.intercept = () => undefined;
    world.targets.set('web', target(2));
    world.queueLength = 40;
    await world.clock.advanceAsync(PERIOD_MS);
    expect(world.targets.get('web')).toMatchObject({ replicas: 4 });
    expect(world.conditions('web')).toMatchObject({ AbleToScale: 'True SucceededRescale' });
    await world.stop();
  });

  test('has its status written in the next period after a conflict, and after a short delay when the server fails', async () => {
    const world = await evaluatedWorld();
    const responses: Interception[] = [statusResponse(409, 'Conflict'), undefined, statusResponse(500, 'InternalError')];
    world.intercept = ({ method, path }) => (method === 'PUT' && path.endsWith('/web/status') ? responses.shift() : undefined);
    world.queueLength = 30;
    expect(await evaluationTimes(world, 'web', PERIOD_MS)).toHaveLength(1);
    expect(world.statusOf('web')).toMatchObject({ desiredReplicas: 1 });
    expect(await evaluationTimes(world, 'web', PERIOD_MS)).toHaveLength(1);
    expect(world.statusOf('web')).toMatchObject({ currentReplicas: 3, desiredReplicas: 3 });
    world.queueLength = 50;
    await world.clock.advanceAsync(PERIOD_MS);
    world.takeRequests();
    expect(world.statusOf('web')).toMatchObject({ desiredReplicas: 3 });
    expect(await evaluationTimes(world, 'web', 1_000)).toEqual([100]);
    expect(world.statusOf('web')).toMatchObject({ desiredReplicas: 5 });
    await world.stop();
  });

  test('is requested again in the next period after a connection error', async () => {
    const world = await evaluatedWorld();
    world.intercept = ({ path }) => (path.endsWith('/scale') ? new Error('away') : undefined);
    world.queueLength = 30;
    await world.clock.advanceAsync(PERIOD_MS);
    world.intercept = () => undefined;
    await world.clock.advanceAsync(PERIOD_MS);
    expect(world.targets.get('web')).toMatchObject({ replicas: 3 });
    await world.stop();
  });
});

describe('the scaling history', () => {
  test('delays a scale-down until no higher recommendation is left in the stabilization window of five minutes', async () => {
    const world = await evaluatedWorld();
    world.queueLength = 80;
    for (let period = 0; period < 2; period += 1) await world.clock.advanceAsync(PERIOD_MS);
    expect(world.targets.get('web')).toMatchObject({ replicas: 8 });
    world.queueLength = 20;
    await world.clock.advanceAsync(300_000 - PERIOD_MS);
    expect(world.targets.get('web')).toMatchObject({ replicas: 8 });
    expect(world.conditions('web')).toMatchObject({ AbleToScale: 'True ScaleDownStabilized' });
    await world.clock.advanceAsync(2 * PERIOD_MS);
    expect(world.targets.get('web')).toMatchObject({ replicas: 2 });
    await world.stop();
  });

  /**
   * Deletes an autoscaler that has recommended 8, and creates it again with the same uid: a history that was not
   * dropped would be used.
   */
  async function recreatedWorld(deleteAutoscaler: (world: AutoscalerFixture) => Promise<void>): Promise<AutoscalerFixture> {
    const world = await startAutoscalerFixture();
    world.queueLength = 80;
    world.targets.set('web', target(8));
    world.put('web', {}, { uid: 'same' });
    await world.clock.advanceAsync(NEW_MS);
    await deleteAutoscaler(world);
    world.targets.set('web', target(4));
    world.queueLength = 20;
    world.put('web', {}, { uid: 'same' });
    await world.clock.advanceAsync(NEW_MS);
    await world.clock.advanceAsync(PERIOD_MS);
    return world;
  }

  test('is dropped when the autoscaler is deleted', async () => {
    const world = await recreatedWorld(async ({ remove, clock }) => {
      remove('web');
      await clock.advanceAsync(0);
    });
    // The recommendation of 8 would keep the target at 8.
    expect(world.targets.get('web')).toMatchObject({ replicas: 4 });
    await world.stop();
  });

  /** Deletes the autoscaler while its scale is requested. */
  async function removeDuringEvaluation(
    { clock, put, remove, ...world }: AutoscalerFixture,
    setIntercept: (intercept: AutoscalerFixture['intercept']) => void,
  ): Promise<void> {
    let answer: (value: undefined) => void = () => undefined;
    setIntercept(({ path }) => (path.endsWith('/web/scale') ? new Promise<undefined>((resolve) => (answer = resolve)) : undefined));
    put('web', { maxReplicas: 90 }, { uid: 'same' });
    await clock.advanceAsync(NEW_MS);
    remove('web');
    await clock.advanceAsync(0);
    setIntercept(() => undefined);
    world.takeRequests();
    answer(undefined);
    await clock.advanceAsync(0);
  }

  test('is dropped when the autoscaler is deleted during an evaluation, which then sends no request', async () => {
    const world = await recreatedWorld(async (evaluated) => {
      await removeDuringEvaluation(evaluated, (intercept) => (evaluated.intercept = intercept));
      expect(evaluated.takeRequests()).toEqual([]);
    });
    expect(world.targets.get('web')).toMatchObject({ replicas: 4 });
    await world.stop();
  });

  test('does not count an autoscaler that is deleted during an evaluation as one that selects the same pods', async () => {
    const world = await evaluatedWorld();
    world.api.put('/api/v1/pods', { metadata: { namespace: 'n', name: 'p', labels: { app: 'a' } } });
    await removeDuringEvaluation(world, (intercept) => (world.intercept = intercept));
    world.targets.set('other', target());
    world.put('other');
    await world.clock.advanceAsync(NEW_MS);
    expect(world.conditions('other')).toMatchObject({ ScalingActive: 'True ValidMetricFound' });
    await world.stop();
  });

  test('starts empty for an autoscaler that is created with the same name during an evaluation', async () => {
    const world = await evaluatedWorld();
    let answer: (value: undefined) => void = () => undefined;
    world.intercept = ({ path }) => (path.endsWith('/web/scale') ? new Promise<undefined>((resolve) => (answer = resolve)) : undefined);
    await world.clock.advanceAsync(PERIOD_MS);
    world.remove('web');
    world.put('web', {}, { uid: 'another' });
    await world.clock.advanceAsync(0);
    world.intercept = () => undefined;
    world.takeRequests();
    answer(undefined);
    await world.clock.advanceAsync(0);
    expect(world.takeRequests()).toEqual([]);
    await world.clock.advanceAsync(NEW_MS);
    expect(world.statusOf('web')).toMatchObject({ desiredReplicas: 1 });
    await world.stop();
  });
});

test('500 autoscalers send one scale and one metric request each in a period, and write a status only when it changes', async () => {
  const count = 500;
  const world = await startAutoscalerFixture({
    randomValue: 0.5,
    prepare: ({ put, targets }) => {
      for (let index = 0; index < count; index += 1) {
        targets.set(`web${index}`, target(1, `app=a${index}`));
        put(`web${index}`);
      }
    },
  });
  world.queueLength = 10;
  await world.clock.advanceAsync(PERIOD_MS);
  world.takeRequests();
  await world.clock.advanceAsync(PERIOD_MS);
  expect(countRequests(world.takeRequests())).toEqual({ 'GET scale': count, 'GET queue': count });
  world.queueLength = 20;
  await world.clock.advanceAsync(PERIOD_MS);
  expect(countRequests(world.takeRequests())).toEqual({ 'GET scale': count, 'GET queue': count, 'PUT scale': count, 'PUT status': count });
  await world.stop();
});

/** The number of requests by method and last segment of the path. */
function countRequests(requests: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const request of requests) {
    const target = request.replace(/ .*\//, ' ');
    counts[target] = (counts[target] ?? 0) + 1;
  }
  return counts;
}

test('the autoscaler controller stops during an evaluation and sends no further request', async () => {
  const world = await evaluatedWorld();
  world.intercept = ({ path, signal }) =>
    path.endsWith('/scale') ? new Promise((_, refuse) => signal?.addEventListener('abort', () => refuse(new Error('aborted')))) : undefined;
  await world.clock.advanceAsync(PERIOD_MS);
  await world.stop();
  world.intercept = () => jsonResponse(200, {});
  world.takeRequests();
  await world.clock.advanceAsync(10 * PERIOD_MS);
  expect(world.takeRequests()).toEqual([]);
});
