import { mergeMetrics } from './merge-metrics';

const HEADER = '# HELP requests_total Requests.\n# TYPE requests_total counter\n';

describe('mergeMetrics', () => {
  it('labels every series with its worker, below one header per metric', () => {
    const merged = mergeMetrics([
      { worker: 1, text: `${HEADER}requests_total{verb="GET"} 3\nrequests_total{verb="PUT"} 1\n# TYPE up gauge\nup 1\n` },
      { worker: 2, text: `${HEADER}requests_total{verb="GET"} 4\n# TYPE up gauge\nup{} 1 1700000000\n` },
    ]);
    expect(merged).toBe(
      `${HEADER}requests_total{worker="1",verb="GET"} 3\nrequests_total{worker="1",verb="PUT"} 1\n` +
        'requests_total{worker="2",verb="GET"} 4\n# TYPE up gauge\nup{worker="1"} 1\nup{worker="2"} 1 1700000000\n',
    );
  });

  it('keeps a metric that only a later worker has, and label values with braces and spaces', () => {
    const merged = mergeMetrics([
      { worker: 1, text: '' },
      { worker: 2, text: '# TYPE paths counter\npaths{path="/a b/{c}"} 2\n\n# a comment\n' },
    ]);
    expect(merged).toBe('# TYPE paths counter\npaths{worker="2",path="/a b/{c}"} 2\n');
  });

  it('returns an empty page for no workers', () => {
    expect(mergeMetrics([])).toBe('');
  });
});
