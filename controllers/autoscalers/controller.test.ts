import { jsonResponse, statusResponse, type Interception } from '../../test/support/controllers/fake-api';
import {
  startAutoscalerFixture,
  PERIOD_MS,
  type AutoscalerFixture,
  type AutoscalerFixtureOptions,
} from '../../test/support/controllers/autoscaler-fixture';

const DEPLOYMENTS_PATH = '/apis/apps/v1/namespaces/n/deployments';
/** The delay of the controller after an autoscaler was created or its spec was changed. */
const CHANGED_SPEC_DELAY_MS = 100;

const target = (replicas = 1, selector = 'app=a') => ({ replicas, selector });

// The autoscalers of the fixture have an external metric with a target of 10 per pod: a queueLength of 30 recommends 3
// replicas. Without a `behavior` a target at most doubles in a period, or grows to 4.

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
    const requests = takeRequests().filter((request) => request === `GET ${DEPLOYMENTS_PATH}/${name}/scale`);
    times.push(...requests.map(() => clock.monotonic() - started));
  }
  return times;
}

/** A fixture with one autoscaler and its Deployment, after the first evaluation. */
async function startEvaluated(options: Omit<AutoscalerFixtureOptions, 'prepare'> = {}): Promise<AutoscalerFixture> {
  const fixture = await startAutoscalerFixture(options);
  fixture.queueLength = 10;
  fixture.targets.set('web', target());
  fixture.put('web');
  await fixture.clock.advanceAsync(CHANGED_SPEC_DELAY_MS);
  fixture.takeRequests();
  return fixture;
}

/**
 * Holds the response to each request for the scale of `web`. The returned function sends the last one, and lets later
 * requests through.
 */
function holdScaleResponse(fixture: AutoscalerFixture): () => void {
  let respond: (value: undefined) => void = () => undefined;
  fixture.intercept = ({ path }) => (path.endsWith('/web/scale') ? new Promise<undefined>((resolve) => (respond = resolve)) : undefined);
  return () => {
    fixture.intercept = () => undefined;
    respond(undefined);
  };
}

describe('the schedule of the autoscaler controller', () => {
  test('evaluates an autoscaler that exists at the start after a random delay, then once per sync period', async () => {
    const fixture = await startAutoscalerFixture({
      randomValue: 0.4,
      prepare: ({ put, targets }) => {
        targets.set('web', target());
        put('web');
      },
    });
    expect(await evaluationTimes(fixture, 'web', 50_000)).toEqual([6_000, 21_000, 36_000]);
    await fixture.stop();
  });

  test('evaluates a new or changed autoscaler after a short delay, and ignores changes of its status', async () => {
    const fixture = await startEvaluated();
    fixture.put('web', { maxReplicas: 50 });
    expect(await evaluationTimes(fixture, 'web', 20_000)).toEqual([CHANGED_SPEC_DELAY_MS, CHANGED_SPEC_DELAY_MS + PERIOD_MS]);
    // Scales the target in both evaluations (1 to 4, then to 8), and so changes the status.
    fixture.queueLength = 500;
    // The last evaluation was 4.9 seconds ago: the period of 15 seconds continues.
    expect(await evaluationTimes(fixture, 'web', 30_000)).toEqual([10_100, 25_100]);
    expect(fixture.statusOf('web')).toMatchObject({ desiredReplicas: 8 });
    await fixture.stop();
  });

  test('evaluates an autoscaler once more when it changes during an evaluation, and never concurrently', async () => {
    const fixture = await startEvaluated();
    const sendScale = holdScaleResponse(fixture);
    fixture.put('web', { maxReplicas: 50 });
    expect(await evaluationTimes(fixture, 'web', 1_000)).toEqual([CHANGED_SPEC_DELAY_MS]);
    fixture.put('web', { maxReplicas: 40 });
    fixture.put('web', { maxReplicas: 30 });
    expect(await evaluationTimes(fixture, 'web', 1_000)).toEqual([]);
    sendScale();
    expect(await evaluationTimes(fixture, 'web', 1_000)).toHaveLength(1);
    await fixture.stop();
  });

  test('evaluates other autoscalers while the request for one scale has no response', async () => {
    const fixture = await startEvaluated({ settings: { concurrentSyncs: 2 } });
    let failRequest: (reason: Error) => void = () => undefined;
    const never = new Promise<undefined>((_, reject) => (failRequest = reject));
    fixture.intercept = ({ path }) => (path.endsWith('/stuck/scale') ? never : undefined);
    fixture.put('stuck');
    await fixture.clock.advanceAsync(CHANGED_SPEC_DELAY_MS);
    fixture.queueLength = 70;
    await fixture.clock.advanceAsync(PERIOD_MS);
    expect(fixture.targets.get('web')).toMatchObject({ replicas: 4 });
    await fixture.clock.advanceAsync(PERIOD_MS);
    expect(fixture.targets.get('web')).toMatchObject({ replicas: 7 });
    failRequest(new Error('cut'));
    await fixture.stop();
  });
});

describe('the scale target of an autoscaler', () => {
  test('is requested in each period while it is missing, and is scaled when it exists', async () => {
    const fixture = await startAutoscalerFixture();
    fixture.queueLength = 30;
    fixture.put('web');
    expect(await evaluationTimes(fixture, 'web', 2 * PERIOD_MS)).toEqual([CHANGED_SPEC_DELAY_MS, CHANGED_SPEC_DELAY_MS + PERIOD_MS]);
    expect(fixture.conditions('web')).toEqual({ AbleToScale: 'False FailedGetScale' });
    expect(fixture.events.map(({ reason }) => reason)).toEqual(['FailedGetScale', 'FailedGetScale']);
    fixture.targets.set('web', target());
    await fixture.clock.advanceAsync(PERIOD_MS);
    expect(fixture.targets.get('web')).toMatchObject({ replicas: 3 });
    expect(fixture.conditions('web')).toMatchObject({ AbleToScale: 'True SucceededRescale', ScalingActive: 'True ValidMetricFound' });
    await fixture.stop();
  });

  test.each([
    ['without a selector', '', { AbleToScale: 'True SucceededGetScale', ScalingActive: 'False InvalidSelector' }],
    ['with an invalid selector', 'a=b=c', { AbleToScale: 'False FailedGetScale' }],
  ])('%s is neither measured nor scaled', async (_title, selector, conditions) => {
    const fixture = await startAutoscalerFixture();
    fixture.queueLength = 40;
    fixture.targets.set('web', target(2, selector));
    fixture.put('web');
    await fixture.clock.advanceAsync(CHANGED_SPEC_DELAY_MS);
    expect(fixture.conditions('web')).toEqual(conditions);
    expect(
      fixture.takeRequests().filter((request) => request.includes('metrics') || request.startsWith(`PUT ${DEPLOYMENTS_PATH}`)),
    ).toEqual([]);
    fixture.targets.set('web', target(2));
    await fixture.clock.advanceAsync(PERIOD_MS);
    expect(fixture.targets.get('web')).toMatchObject({ replicas: 4 });
    await fixture.stop();
  });

  test('is scaled in the next period from its current size after a conflict on the scale subresource', async () => {
    const fixture = await startEvaluated();
    fixture.queueLength = 30;
    const conflict = ({ method, path }: { readonly method: string; readonly path: string }): Interception =>
      method === 'PUT' && path.endsWith('/scale') ? statusResponse(409, 'Conflict') : undefined;
    fixture.intercept = conflict;
    await fixture.clock.advanceAsync(PERIOD_MS);
    expect(fixture.targets.get('web')).toMatchObject({ replicas: 1 });
    expect(fixture.conditions('web')).toMatchObject({ AbleToScale: 'False FailedUpdateScale' });
    expect(fixture.statusOf('web')).toMatchObject({ desiredReplicas: 1 });
    expect(fixture.events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      'FailedRescale: New size: 3; reason: external metric queue(nil) above target; error: fake Conflict',
    ]);
    fixture.intercept = () => undefined;
    fixture.targets.set('web', target(2));
    fixture.queueLength = 40;
    await fixture.clock.advanceAsync(PERIOD_MS);
    expect(fixture.targets.get('web')).toMatchObject({ replicas: 4 });
    expect(fixture.conditions('web')).toMatchObject({ AbleToScale: 'True SucceededRescale' });
    await fixture.stop();
  });

  test('has its status written in the next period after a conflict, and after a short delay when the server fails', async () => {
    const fixture = await startEvaluated();
    const responses: Interception[] = [statusResponse(409, 'Conflict'), undefined, statusResponse(500, 'InternalError')];
    fixture.intercept = ({ method, path }) => (method === 'PUT' && path.endsWith('/web/status') ? responses.shift() : undefined);
    fixture.queueLength = 30;
    expect(await evaluationTimes(fixture, 'web', PERIOD_MS)).toHaveLength(1);
    expect(fixture.statusOf('web')).toMatchObject({ desiredReplicas: 1 });
    expect(await evaluationTimes(fixture, 'web', PERIOD_MS)).toHaveLength(1);
    expect(fixture.statusOf('web')).toMatchObject({ currentReplicas: 3, desiredReplicas: 3 });
    fixture.queueLength = 50;
    await fixture.clock.advanceAsync(PERIOD_MS);
    fixture.takeRequests();
    expect(fixture.statusOf('web')).toMatchObject({ desiredReplicas: 3 });
    expect(await evaluationTimes(fixture, 'web', 1_000)).toEqual([100]);
    expect(fixture.statusOf('web')).toMatchObject({ desiredReplicas: 5 });
    await fixture.stop();
  });

  test('is requested again, at the latest in the next period, after a connection error', async () => {
    const fixture = await startEvaluated();
    fixture.intercept = ({ path }) => (path.endsWith('/scale') ? new Error('away') : undefined);
    fixture.queueLength = 30;
    await fixture.clock.advanceAsync(PERIOD_MS);
    fixture.intercept = () => undefined;
    await fixture.clock.advanceAsync(PERIOD_MS);
    expect(fixture.targets.get('web')).toMatchObject({ replicas: 3 });
    await fixture.stop();
  });
});

describe('the autoscaler controller', () => {
  test('delays a scale-down until no higher recommendation is left in the stabilization window of five minutes', async () => {
    const fixture = await startEvaluated();
    fixture.queueLength = 80;
    for (let period = 0; period < 2; period += 1) await fixture.clock.advanceAsync(PERIOD_MS);
    expect(fixture.targets.get('web')).toMatchObject({ replicas: 8 });
    fixture.queueLength = 20;
    await fixture.clock.advanceAsync(300_000 - PERIOD_MS);
    expect(fixture.targets.get('web')).toMatchObject({ replicas: 8 });
    expect(fixture.conditions('web')).toMatchObject({ AbleToScale: 'True ScaleDownStabilized' });
    await fixture.clock.advanceAsync(2 * PERIOD_MS);
    expect(fixture.targets.get('web')).toMatchObject({ replicas: 2 });
    await fixture.stop();
  });

  /**
   * Deletes an autoscaler that has recommended 8, and creates it again with the same uid: a history that was not
   * dropped would be used.
   */
  async function startWithRecreated(deleteAutoscaler: (fixture: AutoscalerFixture) => Promise<void>): Promise<AutoscalerFixture> {
    const fixture = await startAutoscalerFixture();
    fixture.queueLength = 80;
    fixture.targets.set('web', target(8));
    fixture.put('web', {}, { uid: 'same' });
    await fixture.clock.advanceAsync(CHANGED_SPEC_DELAY_MS);
    await deleteAutoscaler(fixture);
    fixture.targets.set('web', target(4));
    fixture.queueLength = 20;
    fixture.put('web', {}, { uid: 'same' });
    await fixture.clock.advanceAsync(CHANGED_SPEC_DELAY_MS);
    await fixture.clock.advanceAsync(PERIOD_MS);
    return fixture;
  }

  test('drops the scaling history when the autoscaler is deleted', async () => {
    const fixture = await startWithRecreated(async ({ remove, clock }) => {
      remove('web');
      await clock.advanceAsync(0);
    });
    // The recommendation of 8 would keep the target at 8.
    expect(fixture.targets.get('web')).toMatchObject({ replicas: 4 });
    await fixture.stop();
  });

  /** Deletes the autoscaler while its scale is requested. */
  async function removeDuringEvaluation(fixture: AutoscalerFixture): Promise<void> {
    const { clock, put, remove, takeRequests } = fixture;
    const sendScale = holdScaleResponse(fixture);
    put('web', { maxReplicas: 90 }, { uid: 'same' });
    await clock.advanceAsync(CHANGED_SPEC_DELAY_MS);
    remove('web');
    await clock.advanceAsync(0);
    takeRequests();
    sendScale();
    await clock.advanceAsync(0);
  }

  test('drops the scaling history when the autoscaler is deleted during an evaluation, which then sends no request', async () => {
    const fixture = await startWithRecreated(async (evaluated) => {
      await removeDuringEvaluation(evaluated);
      expect(evaluated.takeRequests()).toEqual([]);
    });
    expect(fixture.targets.get('web')).toMatchObject({ replicas: 4 });
    await fixture.stop();
  });

  test('does not count an autoscaler that is deleted during an evaluation as one that selects the same pods', async () => {
    const fixture = await startEvaluated();
    fixture.api.put('/api/v1/pods', { metadata: { namespace: 'n', name: 'p', labels: { app: 'a' } } });
    await removeDuringEvaluation(fixture);
    fixture.targets.set('other', target());
    fixture.put('other');
    await fixture.clock.advanceAsync(CHANGED_SPEC_DELAY_MS);
    expect(fixture.conditions('other')).toMatchObject({ ScalingActive: 'True ValidMetricFound' });
    await fixture.stop();
  });

  test('starts a new scaling history for an autoscaler that is created with the same name during an evaluation', async () => {
    const fixture = await startEvaluated();
    const sendScale = holdScaleResponse(fixture);
    await fixture.clock.advanceAsync(PERIOD_MS);
    fixture.remove('web');
    fixture.put('web', {}, { uid: 'another' });
    await fixture.clock.advanceAsync(0);
    fixture.takeRequests();
    sendScale();
    await fixture.clock.advanceAsync(0);
    expect(fixture.takeRequests()).toEqual([]);
    await fixture.clock.advanceAsync(CHANGED_SPEC_DELAY_MS);
    expect(fixture.statusOf('web')).toMatchObject({ desiredReplicas: 1 });
    await fixture.stop();
  });
});

test('500 autoscalers send one scale and one metric request each in a period, and write a status only when it changes', async () => {
  const count = 500;
  const fixture = await startAutoscalerFixture({
    randomValue: 0.5,
    prepare: ({ put, targets }) => {
      for (let index = 0; index < count; index += 1) {
        targets.set(`web${index}`, target(1, `app=a${index}`));
        put(`web${index}`);
      }
    },
  });
  fixture.queueLength = 10;
  await fixture.clock.advanceAsync(PERIOD_MS);
  fixture.takeRequests();
  await fixture.clock.advanceAsync(PERIOD_MS);
  expect(countRequests(fixture.takeRequests())).toEqual({ 'GET scale': count, 'GET queue': count });
  fixture.queueLength = 20;
  await fixture.clock.advanceAsync(PERIOD_MS);
  expect(countRequests(fixture.takeRequests())).toEqual({
    'GET scale': count,
    'GET queue': count,
    'PUT scale': count,
    'PUT status': count,
  });
  await fixture.stop();
});

/** The number of requests by method and last segment of the path, such as `GET scale`. */
function countRequests(requests: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const request of requests) {
    const [method = '', path = ''] = request.split(' ');
    const name = `${method} ${path.split('/').at(-1) ?? ''}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

test('the autoscaler controller stops during an evaluation and sends no further request', async () => {
  const fixture = await startEvaluated();
  fixture.intercept = ({ path, signal }) =>
    path.endsWith('/scale') ? new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted')))) : undefined;
  await fixture.clock.advanceAsync(PERIOD_MS);
  await fixture.stop();
  fixture.intercept = () => jsonResponse(200, {});
  fixture.takeRequests();
  await fixture.clock.advanceAsync(10 * PERIOD_MS);
  expect(fixture.takeRequests()).toEqual([]);
});
