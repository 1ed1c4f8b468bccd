/**
 * The gRPC transport to a KMS plug-in on a Unix socket. As upstream, a call waits for an unavailable plug-in until its
 * deadline. Only this file imports grpc-js; etcd3 loads it as well.
 */
import { createConnection } from 'node:net';
import { Client, credentials, Metadata, status as Code, type ServiceError } from '@grpc/grpc-js';
import type { Clock } from '../../../../shared/runtime/clock';
import { grpcCodeName } from '../../grpc-call-counters';
import { errorCode } from '../../../../shared/runtime/error-code';
import {
  decodeDecryptResponse,
  encodeDecryptRequest,
  decodeEncryptResponse,
  encodeEncryptRequest,
  SERVICE_PATH,
  decodeStatusResponse,
  encodeStatusRequest,
} from './messages';
import { KmsError, type EncryptedDekSource, type KmsService, type KmsStatus } from './kms-service';

/** Where the plug-in listens, and the limit of its calls. */
export interface GrpcKmsServiceOptions {
  /** As configured: `unix:///run/kms.sock`. */
  readonly endpoint: string;
  /** For each call, including the time until the plug-in can be connected to. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Called after each call with the method's path, the gRPC status and the duration. */
  readonly onCall: (method: string, code: string, seconds: number) => void;
}

/** The methods of the plug-in's service. */
export type KmsMethod = 'Status' | 'Encrypt' | 'Decrypt';

/** The default of gRPC. */
const MAX_RESPONSE_BYTES = 4 << 20;
const RECONNECT_MS = { first: 250, max: 5_000 } as const;

/** The text of grpc-js, with both sizes as groups: `Received message larger than max (5000000 vs 4194304)`. */
const GRPC_JS_TOO_LARGE = /^Received message larger than max \((\d+) vs (\d+)\)$/;
/** The text of grpc-go, as a replacement of that one. */
const GRPC_GO_TOO_LARGE = 'grpc: received message larger than max ($1 vs. $2)';

/** The connection to one plug-in, over a Unix socket. */
export class GrpcKmsService implements KmsService {
  private readonly path: string;
  private readonly client: Client;

  constructor(private readonly options: GrpcKmsServiceOptions) {
    this.path = socketPathOf(options.endpoint);
    this.client = new Client(`unix:${this.path}`, credentials.createInsecure(), {
      'grpc.max_receive_message_length': MAX_RESPONSE_BYTES,
      'grpc.initial_reconnect_backoff_ms': RECONNECT_MS.first,
      'grpc.max_reconnect_backoff_ms': RECONNECT_MS.max,
      'grpc.enable_http_proxy': 0,
      'grpc.service_config_disable_resolution': 1,
      // Two providers with one endpoint have two connections: closing one must not end the other.
      'grpc.use_local_subchannel_pool': 1,
    });
  }

  status(): Promise<KmsStatus> {
    return this.call('Status', encodeStatusRequest(), decodeStatusResponse);
  }

  encrypt(plain: Buffer, uid: string): Promise<EncryptedDekSource> {
    return this.call('Encrypt', encodeEncryptRequest(plain, uid), decodeEncryptResponse);
  }

  decrypt(source: EncryptedDekSource, uid: string): Promise<Buffer> {
    return this.call('Decrypt', encodeDecryptRequest(source, uid), decodeDecryptResponse);
  }

  close(): void {
    this.client.close();
  }

  private async call<T>(method: KmsMethod, message: Buffer, read: (bytes: Buffer) => T): Promise<T> {
    const { clock, onCall } = this.options;
    const since = clock.monotonic();
    const recordCall = (code: string): void => onCall(SERVICE_PATH + method, code, (clock.monotonic() - since) / 1000);
    try {
      const response = read(await this.sendRequest(SERVICE_PATH + method, message));
      recordCall('OK');
      return response;
    } catch (error) {
      recordCall(error instanceof KmsError ? (error.code ?? 'Unknown') : 'Unknown');
      throw error;
    }
  }

  private sendRequest(path: string, message: Buffer): Promise<Buffer> {
    const { clock, timeoutMs } = this.options;
    const metadata = new Metadata({ waitForReady: true });
    const options = { deadline: clock.now() + timeoutMs };
    const identity = (bytes: Buffer): Buffer => bytes;
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(path, identity, identity, message, metadata, options, (error, response) => {
        if (error !== null) void this.toKmsError(error).then(reject);
        else resolve(response ?? Buffer.alloc(0));
      });
    });
  }

  /** Gives a failure the text that upstream's client (grpc-go) has for it. */
  private async toKmsError({ code, details }: ServiceError): Promise<KmsError> {
    const name = grpcCodeName(code);
    switch (code) {
      case Code.DEADLINE_EXCEEDED: {
        const unreachable = await dialError(this.path);
        return new KmsError(name, unreachable === undefined ? 'context deadline exceeded' : `latest balancer error: ${unreachable}`);
      }
      case Code.RESOURCE_EXHAUSTED:
        return new KmsError(name, details.replace(GRPC_JS_TOO_LARGE, GRPC_GO_TOO_LARGE));
      default:
        return new KmsError(name, details);
    }
  }
}

/** The path of the socket; an abstract socket (`@name`) starts with NUL. */
export function socketPathOf(endpoint: string): string {
  const [encodedPath = ''] = endpoint.replace(/^unix:(?:\/\/[^/]*)?/i, '').split(/[?#]/, 1);
  const path = decodeURIComponent(encodedPath);
  return path.startsWith('/@') ? `\0${path.slice(2)}` : path;
}

const DIAL_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ECONNREFUSED: 'connection refused',
  EACCES: 'permission denied',
  ENOTSOCK: 'socket operation on non-socket',
};

/**
 * The reason why the socket cannot be connected to; undefined when it can. grpc-js does not report it for a call that
 * waited.
 */
function dialError(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection({ path });
    const finish = (error?: string): void => {
      socket.destroy();
      resolve(error);
    };
    socket.once('connect', () => finish());
    socket.once('error', (error) => {
      const reason = DIAL_ERRORS[errorCode(error) ?? ''] ?? error.message;
      finish(`connection error: desc = "transport: Error while dialing: dial unix ${path.replace('\0', '@')}: connect: ${reason}"`);
    });
  });
}
