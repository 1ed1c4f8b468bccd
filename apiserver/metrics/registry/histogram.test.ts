/** The exposition of a histogram, and the identity of its series. */
import { joinChunks } from '../../../test/support/exposition';
import { Histogram } from './histogram';

it('Histogram counts a value in every bucket with a bound not less than it', () => {
  const histogram = new Histogram({ name: 'm', help: 'H.', labels: ['verb'], buckets: [1, 5] });
  const series = histogram.add({ verb: 'GET' });
  for (const value of [0.5, 1, 2, 9]) series.observe(value);
  expect(joinChunks(histogram.expose()).split('\n')).toEqual([
    '# HELP m H.',
    '# TYPE m histogram',
    'm_bucket{verb="GET",le="1"} 2',
    'm_bucket{verb="GET",le="5"} 3',
    'm_bucket{verb="GET",le="+Inf"} 4',
    'm_sum{verb="GET"} 12.5',
    'm_count{verb="GET"} 4',
    '',
  ]);
});

it('Histogram escapes quotation marks in label values', () => {
  const histogram = new Histogram({ name: 'm', help: 'H.', labels: ['verb'], buckets: [] });
  histogram.add({ verb: 'a"b' });
  expect(joinChunks(histogram.expose())).toContain('m_count{verb="a\\"b"} 0\n');
});

it('Histogram exposes nothing without series', () => {
  const histogram = new Histogram({ name: 'm', help: 'H.', labels: ['verb'], buckets: [1] });
  expect(joinChunks(histogram.expose())).toBe('');
});

it('Histogram returns the same series for the same label values', () => {
  const histogram = new Histogram({ name: 'm', help: 'H.', labels: ['verb'], buckets: [1] });
  expect(histogram.add({ verb: 'GET' })).toBe(histogram.add({ verb: 'GET' }));
});
