/**
 * A KMS plug-in: upstream's API `v2.KeyManagementService` on a socket, with a reversible mask as its key, a log of
 * calls, and responses that tests can replace. Its messages are declared again in kms-plugin.proto, so that tests do
 * not rely on the server's own wire format.
 */
import { rmSync } from 'node:fs';
import { Server, ServerCredentials, type MethodDefinition, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js';
import { parse, type Type } from 'protobufjs';
import { number, shape, text } from '../../replay/shape';
import { readRepositoryFile } from '../repository';

const { root } = parse(readRepositoryFile('test/support/servers/kms-plugin.proto'));

export type PluginMethod = 'Status' | 'Encrypt' | 'Decrypt';

/** The members of a message by name. */
export type PluginMessage = Readonly<Record<string, unknown>>;

/**
 * The members of a response; `{ failure }` with a gRPC status; `{ raw }` with bytes that are sent unchanged; or `never` for
 * a call without a response.
 */
export type PluginResponse = PluginMessage | 'never';

/** `defaultResponse` is what the plug-in would respond. */
export type PluginBehaviour = (request: PluginMessage, defaultResponse: PluginMessage) => PluginResponse;

const messageType = (name: string): Type => root.lookupType(name);

/** Decodes a message that another program has written. */
export const decodeMessage = (name: string, message: Uint8Array): PluginMessage =>
  messageType(name).toObject(messageType(name).decode(message), { defaults: true });

/** Encodes a message without the server's own encoder. */
export const encodeMessage = (name: string, members: PluginMessage): Buffer => Buffer.from(messageType(name).encode(members).finish());

const MASK = 0x55;
/** Encrypts and decrypts a secret: applied twice, it returns the secret. */
export const maskSecret = (plain: Uint8Array): Buffer => Buffer.from(plain.map((byte) => byte ^ MASK));

const toBytes = (value: unknown): Uint8Array => (value instanceof Uint8Array ? value : Buffer.alloc(0));

const METHODS: readonly PluginMethod[] = ['Status', 'Encrypt', 'Decrypt'];

/** A gRPC status that a behaviour returns instead of a response. */
const isFailure = shape({ code: number, details: text });

export class KmsPlugin {
  /** The key id and the annotations of later responses. */
  keyId = 'key-1';
  annotations: Readonly<Record<string, Buffer>> = { 'ver.kms.test': Buffer.from('1') };
  readonly calls: { readonly method: PluginMethod; readonly request: PluginMessage }[] = [];
  /** The plaintexts that it was asked to encrypt. */
  readonly encryptedSecrets: Buffer[] = [];
  private readonly behaviours = new Map<PluginMethod, PluginBehaviour>();
  private server: Server | undefined;

  /** `path`: that of the socket. */
  constructor(readonly path: string) {}

  get endpoint(): string {
    return `unix://${this.path}`;
  }

  /** The number of calls of a method so far. */
  count(method: PluginMethod): number {
    return this.calls.filter((call) => call.method === method).length;
  }

  /** Replaces the responses of a method; `undefined` restores the default. */
  setBehaviour(method: PluginMethod, behaviour?: PluginBehaviour): void {
    if (behaviour === undefined) this.behaviours.delete(method);
    else this.behaviours.set(method, behaviour);
  }

  /** Resolves when the plug-in listens. It may be started again after {@link stop}. */
  async start(): Promise<this> {
    const server = new Server();
    const method = (name: PluginMethod): MethodDefinition<PluginMessage, PluginMessage> => ({
      path: `/v2.KeyManagementService/${name}`,
      requestStream: false,
      responseStream: false,
      requestSerialize: (message) => encodeMessage(`${name}Request`, message),
      requestDeserialize: (message) => decodeMessage(`${name}Request`, message),
      responseSerialize: (message) => (Buffer.isBuffer(message['raw']) ? message['raw'] : encodeMessage(`${name}Response`, message)),
      responseDeserialize: (message) => decodeMessage(`${name}Response`, message),
    });
    server.addService(
      Object.fromEntries(METHODS.map((name) => [name, method(name)])),
      Object.fromEntries(METHODS.map((name) => [name, this.handler(name)])),
    );
    rmSync(this.path, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(`unix:${this.path}`, ServerCredentials.createInsecure(), (error) => (error === null ? resolve() : reject(error)));
    });
    this.server = server;
    return this;
  }

  /** Stops the plug-in and removes its socket. */
  stop(): void {
    this.server?.forceShutdown();
    this.server = undefined;
    rmSync(this.path, { force: true });
  }

  private handler(name: PluginMethod) {
    return ({ request }: ServerUnaryCall<PluginMessage, PluginMessage>, callback: sendUnaryData<PluginMessage>): void => {
      this.calls.push({ method: name, request });
      const defaultResponse = this.defaultResponse(name, request);
      const response = this.behaviours.get(name)?.(request, defaultResponse) ?? defaultResponse;
      if (response === 'never') return;
      const { failure } = response;
      if (isFailure(failure)) callback(failure);
      else callback(null, response);
    };
  }

  private defaultResponse(name: PluginMethod, request: PluginMessage): PluginMessage {
    switch (name) {
      case 'Status':
        return { version: 'v2', healthz: 'ok', keyId: this.keyId };
      case 'Encrypt': {
        const plain = toBytes(request['plaintext']);
        this.encryptedSecrets.push(Buffer.from(plain));
        return { ciphertext: maskSecret(plain), keyId: this.keyId, annotations: this.annotations };
      }
      case 'Decrypt':
        return { plaintext: maskSecret(toBytes(request['ciphertext'])) };
    }
  }
}
