import { KINDS, type KindRow } from '../../shared/api/kinds';
import { ManualClock } from '../../test/support/manual-clock';
import { Meters } from './meters';
import { RequestMetrics, type MeasuredRequest } from './request-metrics';

const LONGEST_PIECE = 16_384;

const [any] = KINDS;

function listed(resource: string): MeasuredRequest {
  if (any === undefined) throw new Error('no kinds');
  const row: KindRow = { ...any, group: `${resource}.example.com`, resource };
  return {
    method: 'GET',
    info: { kind: 'resource', path: '/', verb: 'list', namespace: '', name: '', subresource: '' },
    resource: { row, hub: row, stored: { name: resource, segment: resource, namespaced: false } },
    query: { get: () => undefined },
    header: () => undefined,
    startedAt: 0,
    status: 200,
    sentBytes: 100,
    bodyBytes: undefined,
    terminated: false,
  };
}

it('is exposed in short pieces, counts new resources together beyond a bound, and shows nothing twice', () => {
  const metrics = new RequestMetrics(new ManualClock(), new Meters());
  for (let at = 0; at < 20_100; at += 1) metrics.finished(listed(`things${at}`));
  const ends = [metrics.longRunningStarted(listed('things1')), metrics.longRunningStarted(listed('things1'))];
  ends[0]?.();

  const seen = new Set<string>();
  let [longest, series] = [0, 0];
  for (const piece of metrics.exposed()) {
    longest = Math.max(longest, piece.length);
    for (const line of piece.split('\n').filter((one) => one !== '')) {
      series += 1;
      seen.add(line.slice(0, line.lastIndexOf(' ')));
      if (line.startsWith('apiserver_request_total') && line.includes('resource="other"')) expect(line).toMatch(/ 100$/);
      if (line.startsWith('apiserver_longrunning_requests')) expect(line).toMatch(/resource="things1",.* 1$/);
    }
  }

  expect(longest).toBeLessThan(LONGEST_PIECE);
  expect(seen.size).toBe(series);
  expect([...seen].filter((name) => name.startsWith('apiserver_request_total{'))).toHaveLength(20_001);
});
