import { STORED_KINDS, type KindRow } from '../../../shared/api/kinds';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { Meters } from '../registry/meters';
import { RequestMetrics, type CompletedRequest } from './request-metrics';

const MAX_CHUNK_LENGTH = 16_384;

const [anyKind] = STORED_KINDS;

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

it('RequestMetrics leaves waits for webhooks and queues out of the SLI, and only out of it', () => {
  const clock = new ManualClock();
  const metrics = new RequestMetrics(clock, new Meters());
  const request = { ...listRequest('things'), startedAt: clock.monotonic() };
  clock.advance(5000);
  metrics.recordRequest({ ...request, progress: { ...request.progress, excludedMs: 4000 } });
  const sums = [...metrics.expose()].join('').match(/^apiserver_request_(?:sli_)?duration_seconds_sum\{.*$/gm);
  expect(sums).toEqual([
    expect.stringMatching(/^apiserver_request_duration_seconds_sum\{.*\} 5$/),
    expect.stringMatching(/^apiserver_request_sli_duration_seconds_sum\{.*\} 1$/),
  ]);
});

it('RequestMetrics exposes short chunks without duplicate series, and counts resources over the limit under other', () => {
  const metrics = new RequestMetrics(new ManualClock(), new Meters());
  for (let index = 0; index < 20_100; index += 1) metrics.recordRequest(listRequest(`things${index}`));
  const endFirst = metrics.startLongRunning(listRequest('things1'));
  metrics.startLongRunning(listRequest('things1'));
  endFirst();

  const chunks = [...metrics.expose()];
  expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(MAX_CHUNK_LENGTH);
  const lines = chunks.flatMap((chunk) => chunk.split('\n')).filter((line) => line !== '');
  const names = lines.map((line) => line.slice(0, line.lastIndexOf(' ')));
  expect(new Set(names).size).toBe(lines.length);
  expect(names.filter((name) => name.startsWith('apiserver_request_total{'))).toHaveLength(20_000 + 1);
  const otherLines = lines.filter((line) => line.startsWith('apiserver_request_total') && line.includes('resource="other"'));
  expect(otherLines).toEqual([expect.stringMatching(/ 100$/)]);
  const longRunning = lines.filter((line) => line.startsWith('apiserver_longrunning_requests'));
  expect(longRunning).toEqual([expect.stringMatching(/resource="things1",.* 1$/)]);
});
