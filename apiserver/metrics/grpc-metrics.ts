/** The calls of the store behind the server, under the names of gRPC's own metrics; read when someone scrapes. */
import { Counter, type Registry } from 'prom-client';
import type { GrpcCalls, MethodCalls } from '../storage/grpc-calls';

const METHOD = ['grpc_method', 'grpc_service', 'grpc_type'] as const;

const COUNTERS: readonly (readonly [name: string, help: string, value: (calls: MethodCalls) => number])[] = [
  ['grpc_client_started_total', 'Calls that were begun.', ({ started }) => started],
  ['grpc_client_msg_sent_total', 'Messages that were sent.', ({ sent }) => sent],
  ['grpc_client_msg_received_total', 'Messages that were received.', ({ received }) => received],
];

/** Undefined = the store is no service. */
export function publishGrpcCalls(registry: Registry, calls: GrpcCalls | undefined): void {
  if (calls === undefined) return;
  const registers = [registry];
  const labels = ({ method, service, type }: MethodCalls) => ({ grpc_method: method, grpc_service: service, grpc_type: type });
  for (const [name, help, value] of COUNTERS) {
    new Counter({
      name,
      help,
      labelNames: METHOD,
      registers,
      collect() {
        this.reset();
        for (const one of calls.all) this.inc(labels(one), value(one));
      },
    });
  }
  new Counter({
    name: 'grpc_client_handled_total',
    help: 'Calls that have ended, by how they did.',
    labelNames: ['grpc_code', ...METHOD],
    registers,
    collect() {
      this.reset();
      for (const one of calls.all) for (const [code, count] of one.ended) this.inc({ ...labels(one), grpc_code: code }, count);
    },
  });
}
