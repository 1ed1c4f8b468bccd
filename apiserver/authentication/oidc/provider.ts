/**
 * The keys of one issuer: found by its own description, kept, and asked for again when a token names a key that is not known – but not more often than
 * every few seconds, whatever tokens name. What a provider sends is bounded in size and time.
 */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { get } from 'node:https';
import type { Clock } from '../../../shared/runtime/clock';

export interface ProviderOptions {
  readonly issuer: string;
  readonly discoveryUrl: string | undefined;
  /** PEM. */
  readonly authority: string | undefined;
  readonly clock: Clock;
  /** Told of a provider that cannot be asked; it is tried again. */
  readonly failed: (message: string, error: unknown) => void;
}

export interface ProviderKey {
  readonly id: string;
  readonly key: KeyObject;
  /** Undefined = any that fits the key. */
  readonly algorithm: string | undefined;
}

const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 10_000;
/** Between two questions. */
const PAUSE_MS = 10_000;
const MOST_KEYS = 100;

export class Provider {
  private keys: readonly ProviderKey[] = [];
  private askedAt = Number.NEGATIVE_INFINITY;
  private asking: Promise<void> | undefined;

  constructor(private readonly options: ProviderOptions) {}

  /** The keys that a token may be signed with which names `id`, or any where it names none. */
  async candidates(id: string | undefined): Promise<readonly ProviderKey[]> {
    const known = this.known(id);
    if (known.length > 0) return known;
    await this.refresh();
    return this.known(id);
  }

  private known(id: string | undefined): readonly ProviderKey[] {
    return id === undefined ? this.keys : this.keys.filter((key) => key.id === id);
  }

  /** All who wait wait for one question. */
  private refresh(): Promise<void> {
    const { clock, issuer, failed } = this.options;
    if (this.asking !== undefined) return this.asking;
    if (clock.monotonic() - this.askedAt < PAUSE_MS) return Promise.resolve();
    this.askedAt = clock.monotonic();
    this.asking = this.load()
      .catch((error: unknown) => failed(`the keys of ${issuer} could not be had`, error))
      .finally(() => (this.asking = undefined));
    return this.asking;
  }

  private async load(): Promise<void> {
    const { issuer, discoveryUrl } = this.options;
    const description = await this.document(discoveryUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    if (description['issuer'] !== issuer) throw new Error(`it describes another issuer: ${JSON.stringify(description['issuer'])}`);
    const address = description['jwks_uri'];
    if (typeof address !== 'string') throw new Error('it does not say where its keys are');
    const { keys } = await this.document(address);
    if (!Array.isArray(keys)) throw new Error('its set of keys is none');
    this.keys = keys.slice(0, MOST_KEYS).flatMap((key: unknown) => readKey(key) ?? []);
  }

  private document(address: string): Promise<Readonly<Record<string, unknown>>> {
    const { authority } = this.options;
    return new Promise((resolve, reject) => {
      const url = new URL(address);
      if (url.protocol !== 'https:') throw new Error(`${address} is no https address`);
      const asked = get(
        url,
        { ...(authority === undefined ? {} : { ca: authority }), signal: AbortSignal.timeout(TIMEOUT_MS) },
        (answer) => {
          if (answer.statusCode !== 200) {
            answer.resume();
            reject(new Error(`${address} answers ${answer.statusCode}`));
            return;
          }
          const chunks: Buffer[] = [];
          let size = 0;
          answer.on('data', (chunk: Buffer) => {
            size += chunk.length;
            if (size > MAX_BYTES) asked.destroy(new Error(`${address} sends more than ${MAX_BYTES} bytes`));
            else chunks.push(chunk);
          });
          answer.on('error', reject);
          answer.on('end', () => {
            try {
              resolve(asRecord(JSON.parse(Buffer.concat(chunks).toString())));
            } catch (error) {
              reject(error instanceof Error ? error : new Error(String(error)));
            }
          });
        },
      );
      asked.on('error', reject);
    });
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new Error('no object was sent');
  return { ...value };
}

/** Undefined for what is no public key for signatures: secrets are no keys of ours. */
function readKey(value: unknown): ProviderKey | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const jwk: Readonly<Record<string, unknown>> = { ...value };
  const { kid, alg, use, kty } = jwk;
  if ((use !== undefined && use !== 'sig') || (kty !== 'RSA' && kty !== 'EC')) return undefined;
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    return { id: typeof kid === 'string' ? kid : '', key, algorithm: typeof alg === 'string' ? alg : undefined };
  } catch {
    return undefined;
  }
}
