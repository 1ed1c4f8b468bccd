/** The metrics of API Priority and Fairness over time, with a manual clock. */
import { joinChunks } from '../../../test/support/exposition';
import { Registry } from 'prom-client';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { FlowControl, type FlowRequest } from '../../flow-control/flow-control';
import { readFlowSchema } from '../../flow-control/flow-schema';
import { readPriorityLevel } from '../../flow-control/priority-level';
import { FlowControlMetrics } from './flow-control-metrics';

/** The level and the schema of all requests; their names are the labels of the metrics. */
const LEVEL = 'l';
const SCHEMA = 's';
const SEATS = 4;
const MAX_WAIT_MS = 1_000;

/** Rules that match every request. */
const rules = [{ subjects: [{ kind: 'Group', group: { name: '*' } }], nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] }];

/** Flow control with one level, which has all seats and two queues. `lines` returns the exposed lines that match. */
function createFixture() {
  const clock = new ManualClock();
  const metrics = new FlowControlMetrics();
  const control = new FlowControl({
    clock,
    seats: SEATS,
    maxWaitMs: MAX_WAIT_MS,
    meterFor: (schema, level) => metrics.meterOf(schema, level),
  });
  const queuing = { queues: 2, handSize: 1, queueLengthLimit: 2 };
  const limited = { nominalConcurrencyShares: 1, limitResponse: { type: 'Queue', queuing } };
  control.setLevel(LEVEL, readPriorityLevel({ metadata: { name: LEVEL, uid: 'level' }, spec: { type: 'Limited', limited } }));
  const spec = { matchingPrecedence: 5, priorityLevelConfiguration: { name: LEVEL }, rules };
  control.setSchema(SCHEMA, readFlowSchema({ metadata: { name: SCHEMA, uid: 'schema' }, spec }, GENERATED_NAMES.platform));
  const registry = new Registry();
  metrics.publish(registry, control);
  const request = (seats: number): FlowRequest => ({
    user: { name: 'u', groups: [] },
    attributes: { kind: 'path', verb: 'get', path: '/x' },
    seats: () => seats,
    deadline: clock.monotonic() + 60_000,
  });
  const lines = async (pattern: RegExp) =>
    `${joinChunks(metrics.expose())}${await registry.metrics()}`.split('\n').filter((line) => pattern.test(line));
  return { clock, control, request, lines };
}

it('flow control metrics expose the demand and utilization of a priority level, weighted by time', async () => {
  const { clock, control, request, lines } = createFixture();
  // For 2 ms, one request has 3 of 4 seats; for 5 ms, another one that needs 3 seats waits, where 4 requests may wait.
  control.startRequest(request(3));
  clock.advance(2);
  control.startRequest(request(3));
  clock.advance(5);
  expect(await lines(/_(?:count|sum)\{.*priority_level="l"/)).toEqual(
    expect.arrayContaining([
      'apiserver_flowcontrol_demand_seats_count{priority_level="l"} 7000000',
      `apiserver_flowcontrol_demand_seats_sum{priority_level="l"} ${0.75 * 2e6 + 1.5 * 5e6}`,
      `apiserver_flowcontrol_priority_level_seat_utilization_sum{phase="executing",priority_level="l"} ${0.75 * 7e6}`,
      `apiserver_flowcontrol_priority_level_request_utilization_sum{phase="executing",priority_level="l"} ${0.25 * 7e6}`,
      `apiserver_flowcontrol_priority_level_request_utilization_sum{phase="waiting",priority_level="l"} ${0.25 * 5e6}`,
    ]),
  );
  expect(await lines(/seat_utilization_bucket.*le="0.[78]"/)).toEqual([
    'apiserver_flowcontrol_priority_level_seat_utilization_bucket{phase="executing",priority_level="l",le="0.7"} 0',
    'apiserver_flowcontrol_priority_level_seat_utilization_bucket{phase="executing",priority_level="l",le="0.8"} 7000000',
  ]);
  control.stop();
});

it('flow control metrics count the seats of a queued request until it is dispatched', async () => {
  const { control, request, lines } = createFixture();
  const first = control.startRequest(request(3));
  const second = control.startRequest(request(3));
  if (first === undefined || !('done' in first) || second === undefined || !('decision' in second)) {
    throw new Error('expected that the first request executes and the second one waits');
  }
  const queuedSeats = () => lines(/^apiserver_flowcontrol_current_inqueue_seats\{/);
  expect(await queuedSeats()).toEqual(['apiserver_flowcontrol_current_inqueue_seats{flow_schema="s",priority_level="l"} 3']);
  first.done();
  await second.decision;
  expect(await queuedSeats()).toEqual(['apiserver_flowcontrol_current_inqueue_seats{flow_schema="s",priority_level="l"} 0']);
  control.stop();
});

it('flow control metrics count fewer queued seats after a queued request is rejected', async () => {
  const { clock, control, request, lines } = createFixture();
  control.startRequest(request(4));
  control.startRequest(request(2));
  clock.advance(MAX_WAIT_MS + 1);
  expect(await lines(/^apiserver_flowcontrol_current_inqueue_seats\{/)).toEqual([
    'apiserver_flowcontrol_current_inqueue_seats{flow_schema="s",priority_level="l"} 0',
  ]);
  control.stop();
});
