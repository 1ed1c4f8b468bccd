/** Calls of the store's gRPC client, under the names of gRPC's own metrics. Collected at scrape time. */
import { Counter, type Registry } from 'prom-client';
import type { GrpcCallCounters, MethodCallCounters } from '../../storage/grpc-call-counters';

const METHOD = ['grpc_method', 'grpc_service', 'grpc_type'] as const;

const COUNTERS: readonly (readonly [name: string, help: string, value: (calls: MethodCallCounters) => number])[] = [
  ['grpc_client_started_total', 'Calls that were started.', ({ started }) => started],
  ['grpc_client_msg_sent_total', 'Messages that were sent.', ({ sent }) => sent],
  ['grpc_client_msg_received_total', 'Messages that were received.', ({ received }) => received],
];

/** `calls` is undefined when the store is not a gRPC service. */
export function publishGrpcCalls(registry: Registry, calls: GrpcCallCounters | undefined): void {
  if (calls === undefined) return;
  const registers = [registry];
  const labels = ({ method, service, type }: MethodCallCounters) => ({ grpc_method: method, grpc_service: service, grpc_type: type });
  for (const [name, help, value] of COUNTERS) {
    new Counter({
      name,
      help,
      labelNames: METHOD,
      registers,
      collect() {
        this.reset();
        for (const counters of calls.counters) this.inc(labels(counters), value(counters));
      },
    });
  }
  new Counter({
    name: 'grpc_client_handled_total',
    help: 'Calls that have completed, by gRPC code.',
    labelNames: ['grpc_code', ...METHOD],
    registers,
    collect() {
      this.reset();
      for (const counters of calls.counters)
        for (const [code, count] of counters.endedByCode) this.inc({ ...labels(counters), grpc_code: code }, count);
    },
  });
}
