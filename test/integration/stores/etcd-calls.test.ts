/**
 * The metrics of calls to a real etcd, as a store makes them. The tests run in order: they share the store and its
 * counters, and the last one kills etcd.
 */
import { Registry } from 'prom-client';
import { publishGrpcCalls } from '../../../apiserver/metrics/storage/grpc-metrics';
import { openEtcdStore } from '../../../apiserver/storage/etcd/open';
import { GrpcCallCounters } from '../../../apiserver/storage/grpc-call-counters';
import { StoreError } from '../../../apiserver/storage/store';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import { readCases } from '../../replay/recording';
import { isMetricFamily } from '../../replay/requests/metric-growth';
import { describeWithEtcd, startEtcd } from '../../support/external/etcd';
import { readExposition } from '../../support/exposition';
import { waitUntil } from '../../support/programs';
import { useClosable, useResource } from '../../support/use-resource';

const UNARY = 'grpc_service="etcdserverpb.KV",grpc_type="unary"';
const WATCH = 'grpc_method="Watch",grpc_service="etcdserverpb.Watch",grpc_type="bidi_stream"';
/** Time for a read from an etcd that does not run; the store repeats the call until then. */
const DEADLINE_MS = 500;

describeWithEtcd('calls to etcd', () => {
  const registry = new Registry();
  const calls = new GrpcCallCounters();
  const server = useResource(startEtcd, (started) => started.dispose());
  const store = useClosable(() =>
    openEtcdStore({ endpoints: [server().endpoint], clock: systemClock, random: systemRandom, callCounters: calls }),
  );
  beforeAll(() => publishGrpcCalls(registry, calls));

  /** The exposed metrics, and a function that returns the counter `grpc_client_{name}` with the labels. */
  const scrape = async () => {
    const { families, series } = readExposition(await registry.metrics());
    return { families, counterOf: (name: string, labels: string) => series.get(`grpc_client_${name}{${labels}}`) ?? 0 };
  };

  it('are counted with each read and write, by their outcome', async () => {
    const before = await scrape();
    // One transaction and two reads.
    await store().transact({ compare: [], operations: [{ type: 'put', key: '/calls/a', value: Buffer.from('a') }] });
    await store().get('/calls/a');
    await store().get('/calls/b');
    const after = await scrape();
    const growthOf = (name: string, labels: string): number => after.counterOf(name, labels) - before.counterOf(name, labels);
    for (const { method, calls: count } of [
      { method: 'Txn', calls: 1 },
      { method: 'Range', calls: 2 },
    ]) {
      const labels = `grpc_method="${method}",${UNARY}`;
      expect({
        method,
        started: growthOf('started_total', labels),
        sent: growthOf('msg_sent_total', labels),
        received: growthOf('msg_received_total', labels),
        succeeded: growthOf('handled_total', `grpc_code="OK",${labels}`),
      }).toEqual({ method, started: count, sent: count, received: count, succeeded: count });
    }
  });

  it('are counted with the messages of a watch', async () => {
    const keys: string[] = [];
    const watch = store().watch({ start: '/calls/', end: '/calls0' }, 1, {
      events: (events) => events.forEach(({ key }) => keys.push(key)),
      progress: () => undefined,
      compacted: () => undefined,
      connection: () => undefined,
    });
    await store().transact({ compare: [], operations: [{ type: 'put', key: '/calls/c', value: Buffer.from('c') }] });
    await waitUntil('the event', () => keys.includes('/calls/c'));
    const { counterOf } = await scrape();
    expect(counterOf('started_total', WATCH)).toBe(1);
    expect(counterOf('msg_sent_total', WATCH)).toBe(1);
    // That the watch was created, and the event.
    expect(counterOf('msg_received_total', WATCH)).toBeGreaterThanOrEqual(2);
    watch.close();
  });

  it('have the type and labels of the recorded ones', async () => {
    const { families } = await scrape();
    const recorded = readCases('metrics/families', isMetricFamily).filter(({ name }) => name.startsWith('grpc_client_'));
    expect(recorded.length).toBe(4);
    for (const family of recorded) expect(families.get(family.name)).toEqual(family);
  });

  it('that reach no server are counted as unavailable or late', async () => {
    await server().kill();
    await expect(store().get('/calls/a', { deadline: systemClock.monotonic() + DEADLINE_MS })).rejects.toThrow(StoreError);
    const { counterOf } = await scrape();
    // The deadline may pass before the connection is known to be refused.
    const [unavailable = 0, late = 0] = ['Unavailable', 'DeadlineExceeded'].map((code) =>
      counterOf('handled_total', `grpc_code="${code}",grpc_method="Range",${UNARY}`),
    );
    expect(unavailable + late).toBeGreaterThan(0);
  });
});
