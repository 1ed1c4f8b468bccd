import { CertificateExpirations } from '../../shared/pki/certificate-expirations';
import { InformerPool } from '../../shared/client/informer/informer-pool';
import { silentLogger as logger } from '../../shared/runtime/logger';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { ControllerMetrics } from './metrics';

function createMetrics(): ControllerMetrics {
  const { client, clock, random } = fakeClient();
  const informers = new InformerPool({ client, clock, random, logger }, new AbortController().signal);
  return new ControllerMetrics(clock, informers, new CertificateExpirations());
}

test('ControllerMetrics uses the metrics of an earlier term again', async () => {
  const metrics = createMetrics();
  for (const value of [1, 3]) {
    metrics.gauge('test_gauge', 'A gauge.', ['of'])(value, { of: 'a' });
    metrics.counter('test_total', 'A counter.', ['of'])({ of: 'a' }, value);
    metrics.histogram('test_seconds', 'A histogram.', [1, 2], ['of'])(value, { of: 'a' });
  }
  const lines = (await metrics.text()).split('\n').filter((line) => /^test_(gauge|total|seconds_(sum|count))/.test(line));
  expect(lines).toEqual(['test_gauge{of="a"} 3', 'test_total{of="a"} 4', 'test_seconds_sum{of="a"} 4', 'test_seconds_count{of="a"} 2']);
});

test('ControllerMetrics collects a gauge at each scrape, from the latest term and until that ends', async () => {
  const metrics = createMetrics();
  const collected = async () => (await metrics.text()).split('\n').filter((line) => line.startsWith('test_gauge'));
  let value = 1;
  const endFirst = metrics.collectedGauge('test_gauge', 'A gauge.', ['of'], () => [{ labels: { of: 'a' }, value }]);
  expect(await collected()).toEqual(['test_gauge{of="a"} 1']);
  value = 2;
  expect(await collected()).toEqual(['test_gauge{of="a"} 2']);
  const endSecond = metrics.collectedGauge('test_gauge', 'A gauge.', ['of'], () => [{ labels: { of: 'b' }, value: 7 }]);
  endFirst();
  expect(await collected()).toEqual(['test_gauge{of="b"} 7']);
  endSecond();
  expect(await collected()).toEqual([]);
});
