/**
 * Metrics of the calls of the store's gRPC client, under the names of go-grpc-prometheus. The client counts; the counts are
 * read at scrape time.
 */
import { Counter, type Registry } from 'prom-client';
import type { GrpcCallCounters, MethodCallCounters } from '../../storage/grpc-call-counters';

const METHOD_LABELS = ['grpc_method', 'grpc_service', 'grpc_type'] as const;

/** A counter with one series for each method. */
interface MethodCounter {
  readonly name: string;
  readonly help: string;
  readonly valueOf: (calls: MethodCallCounters) => number;
}

const METHOD_COUNTERS: readonly MethodCounter[] = [
  { name: 'grpc_client_started_total', help: 'Calls that were started.', valueOf: ({ started }) => started },
  { name: 'grpc_client_msg_sent_total', help: 'Messages that were sent.', valueOf: ({ sent }) => sent },
  { name: 'grpc_client_msg_received_total', help: 'Messages that were received.', valueOf: ({ received }) => received },
];

/** Registers the metrics; called once per registry. `calls` is undefined when the store is not a gRPC service. */
export function publishGrpcCalls(registry: Registry, calls: GrpcCallCounters | undefined): void {
  if (calls === undefined) return;
  const registers = [registry];
  const labels = ({ method, service, type }: MethodCallCounters) => ({ grpc_method: method, grpc_service: service, grpc_type: type });
  for (const { name, help, valueOf } of METHOD_COUNTERS) {
    new Counter({
      name,
      help,
      labelNames: METHOD_LABELS,
      registers,
      collect() {
        this.reset();
        for (const counters of calls.counters) this.inc(labels(counters), valueOf(counters));
      },
    });
  }
  new Counter({
    name: 'grpc_client_handled_total',
    help: 'Calls that have completed, by gRPC code.',
    labelNames: ['grpc_code', ...METHOD_LABELS],
    registers,
    collect() {
      this.reset();
      for (const counters of calls.counters) {
        for (const [code, count] of counters.endedByCode) this.inc({ ...labels(counters), grpc_code: code }, count);
      }
    },
  });
}
