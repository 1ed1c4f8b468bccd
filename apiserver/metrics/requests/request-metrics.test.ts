/** The durations, counts and series of requests. */
import { STORED_KINDS, type KindRow } from '../../../shared/api/kinds';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { useResource } from '../../../test/support/use-resource';
import { Meters } from '../registry/meters';
import { RequestMetrics, type CompletedRequest } from './request-metrics';

const [anyKind] = STORED_KINDS;

/** A list of a resource with this name, in a group of its own. */
function listRequest(resource: string): CompletedRequest {
  if (anyKind === undefined) throw new Error('no kinds');
  const row: KindRow = { ...anyKind, group: `${resource}.example.com`, resource };
  return {
    method: 'GET',
    infoIfParsed: { kind: 'resource', path: '/', verb: 'list', namespace: '', name: '', subresource: '' },
    resource: { row, hub: row, stored: { name: resource, segment: resource, namespaced: false } },
    query: { get: () => undefined },
    header: () => undefined,
    startedAt: 0,
    progress: { status: 200, sentBytes: 100, bodyBytes: undefined, excludedMs: 0, isTerminated: false },
  };
}

/** The lines of the exposition. */
const linesOf = (metrics: RequestMetrics): readonly string[] =>
  [...metrics.expose()].flatMap((chunk) => chunk.split('\n')).filter((line) => line !== '');

it('RequestMetrics leaves waits for webhooks and queues out of the SLI, and only out of it', () => {
  const clock = new ManualClock();
  const metrics = new RequestMetrics(clock, new Meters());
  const request = { ...listRequest('things'), startedAt: clock.monotonic() };
  clock.advance(5000);
  metrics.recordRequest({ ...request, progress: { ...request.progress, excludedMs: 4000 } });
  const sums = linesOf(metrics).filter((line) => /^apiserver_request_(?:sli_)?duration_seconds_sum\{/.test(line));
  expect(sums).toEqual([
    expect.stringMatching(/^apiserver_request_duration_seconds_sum\{.*\} 5$/),
    expect.stringMatching(/^apiserver_request_sli_duration_seconds_sum\{.*\} 1$/),
  ]);
});

it('RequestMetrics counts a long-running request as open until it ends', () => {
  const metrics = new RequestMetrics(new ManualClock(), new Meters());
  const endFirst = metrics.startLongRunning(listRequest('things'));
  metrics.startLongRunning(listRequest('things'));
  endFirst();
  const openRequests = linesOf(metrics).filter((line) => line.startsWith('apiserver_longrunning_requests{'));
  expect(openRequests).toEqual([expect.stringMatching(/resource="things",.* 1$/)]);
});

describe('RequestMetrics, after requests for 20,100 resources,', () => {
  const MAX_RESOURCES = 20_000;
  const MAX_CHUNK_LENGTH = 16_384;
  const metrics = useResource(() => {
    const filled = new RequestMetrics(new ManualClock(), new Meters());
    for (let index = 0; index < MAX_RESOURCES + 100; index += 1) filled.recordRequest(listRequest(`things${index}`));
    return filled;
  });

  it('counts the resources over the limit under other', () => {
    const totals = linesOf(metrics()).filter((line) => line.startsWith('apiserver_request_total{'));
    expect(totals).toHaveLength(MAX_RESOURCES + 1);
    const otherTotals = totals.filter((line) => line.includes('resource="other"'));
    expect(otherTotals).toEqual([expect.stringMatching(/ 100$/)]);
  });

  it('exposes no series twice', () => {
    const lines = linesOf(metrics());
    const series = lines.map((line) => line.slice(0, line.lastIndexOf(' ')));
    expect(new Set(series).size).toBe(lines.length);
  });

  it('exposes short chunks', () => {
    const lengths = [...metrics().expose()].map((chunk) => chunk.length);
    expect(Math.max(...lengths)).toBeLessThan(MAX_CHUNK_LENGTH);
  });
});
