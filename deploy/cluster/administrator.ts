/** A client with the administrator's certificate, for the objects that a deployment creates in a cluster. */
import { CredentialSource } from '../../shared/client/kubeconfig/credential-source';
import { isAlreadyExists } from '../../shared/client/rest/api-error';
import { namespaceOf } from '../../shared/client/rest/api-object';
import type { Resource } from '../../shared/client/rest/resource';
import { RestClient } from '../../shared/client/rest/rest-client';
import { createTransport } from '../../shared/client/transport/connect';
import type { Dialect } from '../../shared/names/dialect';
import type { Credential } from '../../shared/pki/certificates';
import type { Clock } from '../../shared/runtime/clock';
import type { Random } from '../../shared/runtime/random';
import type { JsonObject } from '../../shared/values/json';

/** The API server, and how the client connects to it. */
export interface AdministratorOptions {
  /** The https URL from this process. */
  readonly server: string;
  /** PEM. */
  readonly authority: string;
  readonly admin: Credential;
  readonly naming: Dialect;
  readonly clock: Clock;
  readonly random: Random;
  /** For each request; 10,000 by default. */
  readonly timeoutMs?: number;
  /** `local` by default. */
  readonly userAgent?: string;
}

const TIMEOUT_MS = 10_000;
const USER_AGENT = 'local';

/** Closes the connections when `use` has ended. */
export async function withAdministrator<T>(options: AdministratorOptions, use: (client: RestClient) => Promise<T>): Promise<T> {
  const { server, authority, admin, naming, clock, random, timeoutMs = TIMEOUT_MS, userAgent = USER_AGENT } = options;
  const config = { servers: [new URL(server)], tls: { ca: authority, cert: admin.certificate, key: admin.key } };
  const transport = createTransport(config, clock);
  const client = new RestClient({
    transport,
    credentials: new CredentialSource({ type: 'none' }, clock),
    dialect: naming,
    userAgent,
    clock,
    random,
    timeoutMs,
  });
  try {
    return await use(client);
  } finally {
    transport.close();
  }
}

/** Returns whether the object was created: `false` when it exists, which stays as it is. */
export async function createIfMissing(client: RestClient, resource: Resource, signal: AbortSignal, object: JsonObject): Promise<boolean> {
  try {
    await client.of(resource).namespace(namespaceOf(object)).create(object, { signal });
    return true;
  } catch (error) {
    if (isAlreadyExists(error)) return false;
    throw error;
  }
}
