/** The exposition of metrics of the catalogue, and the limit of their series. */
import { joinChunks } from '../../../test/support/exposition';
import { Meters } from './meters';

it('Meters adds up the calls of a counter and exposes it with the help text of the catalogue', () => {
  const meters = new Meters();
  const counter = meters.counter('apiserver_storage_list_total', 'pods');
  counter.add();
  meters.counter('apiserver_storage_list_total', 'pods').add(2);
  expect(joinChunks(meters.expose())).toBe(
    '# HELP apiserver_storage_list_total Lists that were read from the store.\n# TYPE apiserver_storage_list_total counter\n' +
      'apiserver_storage_list_total{resource="pods"} 3\n',
  );
});

it('Meters exposes the sum and count of a summary', () => {
  const meters = new Meters();
  const times = meters.observer('apiserver_admission_step_admission_duration_seconds_summary', 'CREATE', 'false', 'admit');
  times.observe(2);
  times.observe(0.5);
  const labels = '{operation="CREATE",rejected="false",type="admit"}';
  expect(joinChunks(meters.expose()).split('\n').slice(2)).toEqual([
    `apiserver_admission_step_admission_duration_seconds_summary_sum${labels} 2.5`,
    `apiserver_admission_step_admission_duration_seconds_summary_count${labels} 2`,
    '',
  ]);
});

it('Meters limits a metric to 2,000 series and counts further label values under other', () => {
  const meters = new Meters();
  for (let index = 0; index < 2_100; index += 1) meters.counter('apiserver_storage_list_total', `r${index}`).add();
  const lines = joinChunks(meters.expose()).split('\n');
  expect(lines.filter((line) => line.startsWith('apiserver_storage_list_total'))).toHaveLength(2_000 + 1);
  expect(lines).toContain('apiserver_storage_list_total{resource="other"} 100');
  expect(lines).toContain('cardinality_enforcement_unexpected_categorizations_total 100');
});
