import { InformerPool } from '../../shared/client/informer/informer-pool';
import { silentLogger as logger } from '../../shared/runtime/logger';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { ControllerMetrics } from './metrics';

test('ControllerMetrics uses the metrics of an earlier term again', async () => {
  const { client, clock, random } = fakeClient();
  const metrics = new ControllerMetrics(clock, new InformerPool({ client, clock, random, logger }, new AbortController().signal));
  for (const value of [1, 3]) {
    metrics.gauge('test_gauge', 'A gauge.', ['of'])(value, { of: 'a' });
    metrics.counter('test_total', 'A counter.', ['of'])({ of: 'a' }, value);
    metrics.histogram('test_seconds', 'A histogram.', [1, 2], ['of'])(value, { of: 'a' });
  }
  const lines = (await metrics.text()).split('\n').filter((line) => /^test_(gauge|total|seconds_(sum|count))/.test(line));
  expect(lines).toEqual(['test_gauge{of="a"} 3', 'test_total{of="a"} 4', 'test_seconds_sum{of="a"} 4', 'test_seconds_count{of="a"} 2']);
});
