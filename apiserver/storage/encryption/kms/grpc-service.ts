/**
 * The way to a service that listens on a socket of this machine: gRPC with the official library, which this file alone loads. A call waits for a service
 * that is away until its time is over, as upstream's do. Knows no keys, keeps nothing of what is asked.
 */
import { createConnection } from 'node:net';
import { Client, credentials, Metadata, status as Code, type ServiceError } from '@grpc/grpc-js';
import type { Clock } from '../../../../shared/runtime/clock';
import { grpcCodeName } from '../../grpc-calls';
import { errorCode } from '../../../../shared/runtime/error-code';
import { decryptAnswer, decryptCall, encryptAnswer, encryptCall, SERVICE, statusAnswer, statusCall } from './messages';
import { KmsFault, type KmsSealed, type KmsService, type KmsStatus } from './service';

export interface GrpcServiceOptions {
  /** As configured: `unix:///run/kms.sock`. */
  readonly endpoint: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Hears of each call: the method's path, gRPC's name for what came of it, how long it took. */
  readonly called: (method: string, code: string, seconds: number) => void;
}

export type KmsMethod = 'Status' | 'Encrypt' | 'Decrypt';

const LONGEST_ANSWER = 4 << 20;
const RECONNECT_MS = { first: 250, longest: 5_000 } as const;

export class GrpcKmsService implements KmsService {
  private readonly path: string;
  private readonly client: Client;

  constructor(private readonly options: GrpcServiceOptions) {
    this.path = socketPathOf(options.endpoint);
    this.client = new Client(`unix:${this.path}`, credentials.createInsecure(), {
      'grpc.max_receive_message_length': LONGEST_ANSWER,
      'grpc.initial_reconnect_backoff_ms': RECONNECT_MS.first,
      'grpc.max_reconnect_backoff_ms': RECONNECT_MS.longest,
      'grpc.enable_http_proxy': 0,
      'grpc.service_config_disable_resolution': 1,
      // Two providers with one endpoint are two connections: closing one must not end the other.
      'grpc.use_local_subchannel_pool': 1,
    });
  }

  status(): Promise<KmsStatus> {
    return this.call('Status', statusCall(), statusAnswer);
  }

  encrypt(plain: Buffer, uid: string): Promise<KmsSealed> {
    return this.call('Encrypt', encryptCall(plain, uid), encryptAnswer);
  }

  decrypt(sealed: KmsSealed, uid: string): Promise<Buffer> {
    return this.call('Decrypt', decryptCall(sealed, uid), decryptAnswer);
  }

  close(): void {
    this.client.close();
  }

  private async call<T>(method: KmsMethod, message: Buffer, read: (bytes: Buffer) => T): Promise<T> {
    const { clock, called } = this.options;
    const since = clock.monotonic();
    const told = (code: string): void => called(SERVICE + method, code, (clock.monotonic() - since) / 1000);
    try {
      const answer = read(await this.sent(SERVICE + method, message));
      told('OK');
      return answer;
    } catch (error) {
      told(error instanceof KmsFault ? (error.code ?? 'Unknown') : 'Unknown');
      throw error;
    }
  }

  private sent(path: string, message: Buffer): Promise<Buffer> {
    const { clock, timeoutMs } = this.options;
    const metadata = new Metadata({ waitForReady: true });
    const options = { deadline: clock.now() + timeoutMs };
    const same = (bytes: Buffer): Buffer => bytes;
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(path, same, same, message, metadata, options, (error, answer) => {
        if (error !== null) void this.faultOf(error).then(reject);
        else resolve(answer ?? Buffer.alloc(0));
      });
    });
  }

  private async faultOf({ code, details }: ServiceError): Promise<KmsFault> {
    const name = grpcCodeName(code);
    switch (code) {
      case Code.DEADLINE_EXCEEDED: {
        const unreachable = await connectionFault(this.path);
        return new KmsFault(name, unreachable === undefined ? 'context deadline exceeded' : `latest balancer error: ${unreachable}`);
      }
      case Code.RESOURCE_EXHAUSTED:
        return new KmsFault(name, details.replace(/^Received message larger than max \((\d+) vs (\d+)\)$/, TOO_LARGE));
      default:
        return new KmsFault(name, details);
    }
  }
}

const TOO_LARGE = 'grpc: received message larger than max ($1 vs. $2)';

/** The path of the socket; with `@` at its beginning the name of one that is in no folder. */
export function socketPathOf(endpoint: string): string {
  const [place = ''] = endpoint.replace(/^unix:(?:\/\/[^/]*)?/i, '').split(/[?#]/, 1);
  const path = decodeURIComponent(place);
  return path.startsWith('/@') ? `\0${path.slice(2)}` : path;
}

const DIAL_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ECONNREFUSED: 'connection refused',
  EACCES: 'permission denied',
  ENOTSOCK: 'socket operation on non-socket',
};

/** Why nobody can be reached there; undefined = somebody takes connections. The library does not say it of a call that waited. */
function connectionFault(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection({ path });
    const done = (fault?: string): void => {
      socket.destroy();
      resolve(fault);
    };
    socket.once('connect', () => done());
    socket.once('error', (error) => {
      const why = DIAL_FAULTS[errorCode(error) ?? ''] ?? error.message;
      done(`connection error: desc = "transport: Error while dialing: dial unix ${path.replace('\0', '@')}: connect: ${why}"`);
    });
  });
}
