import { joinChunks } from '../../../test/support/exposition';
import { Histogram } from './histogram';

it('Histogram counts a value in every bucket with a bound not less than it', () => {
  const histogram = new Histogram({ name: 'm', help: 'H.', labels: ['verb'], buckets: [1, 5] });
  expect(joinChunks(histogram.expose())).toBe('');
  const series = histogram.add({ verb: 'a"b' });
  for (const value of [0.5, 1, 2, 9]) series.observe(value);
  expect(joinChunks(histogram.expose())).toBe(
    '# HELP m H.\n# TYPE m histogram\nm_bucket{verb="a\\"b",le="1"} 2\nm_bucket{verb="a\\"b",le="5"} 3\n' +
      'm_bucket{verb="a\\"b",le="+Inf"} 4\nm_sum{verb="a\\"b"} 12.5\nm_count{verb="a\\"b"} 4\n',
  );
});

it('Histogram returns the same series for the same label values', () => {
  const histogram = new Histogram({ name: 'm', help: 'H.', labels: ['verb'], buckets: [1] });
  expect(histogram.add({ verb: 'GET' })).toBe(histogram.add({ verb: 'GET' }));
});
