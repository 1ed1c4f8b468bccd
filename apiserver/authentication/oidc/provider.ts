/**
 * The keys of one issuer: found by its own description, kept, and asked for again now and then and when no known key fits a token – but not more often than
 * every few seconds, whatever tokens name. What a provider sends is bounded in size and time.
 */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { connectTo } from '../../../shared/client/transport/connect';
import { collect } from '../../../shared/client/rest/json-body';
import { withDeadline } from '../../../shared/client/signals';
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
/** What is known is asked for again, so that a key that was withdrawn goes. */
const RENEWAL_MS = 5 * 60_000;
const MOST_KEYS = 100;

export class Provider {
  private keys: readonly ProviderKey[] = [];
  /** When the last question was settled. */
  private askedAt = Number.NEGATIVE_INFINITY;
  private asking: Promise<void> | undefined;

  constructor(private readonly options: ProviderOptions) {}

  /** The keys that a token may be signed with which names `id`, or any where it names none. */
  async candidates(id: string | undefined): Promise<readonly ProviderKey[]> {
    const known = this.known(id);
    if (known.length === 0) {
      await this.refresh();
      return this.known(id);
    }
    // Nobody waits for it.
    if (this.options.clock.monotonic() - this.askedAt >= RENEWAL_MS) void this.refresh();
    return known;
  }

  /** Those among them that were not known before; asked for when none that is known fits. */
  async newCandidates(id: string | undefined): Promise<readonly ProviderKey[]> {
    const before = this.keys;
    await this.refresh();
    return this.keys === before ? [] : this.known(id);
  }

  private known(id: string | undefined): readonly ProviderKey[] {
    return id === undefined ? this.keys : this.keys.filter((key) => key.id === id);
  }

  /** All who wait wait for one question. */
  private refresh(): Promise<void> {
    const { clock, issuer, failed } = this.options;
    if (this.asking !== undefined) return this.asking;
    if (clock.monotonic() - this.askedAt < PAUSE_MS) return Promise.resolve();
    this.asking = this.load()
      .catch((error: unknown) => failed(`the keys of ${issuer} could not be had`, error))
      .finally(() => {
        this.asking = undefined;
        this.askedAt = clock.monotonic();
      });
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

  private async document(address: string): Promise<Readonly<Record<string, unknown>>> {
    const { authority, clock } = this.options;
    const url = new URL(address);
    if (url.protocol !== 'https:') throw new Error(`${address} is no https address`);
    const tls = authority === undefined ? {} : { ca: authority };
    const transport = connectTo({ servers: [url], tls, http1: true }, clock);
    const deadline = withDeadline(clock, TIMEOUT_MS, () => new Error(`${address} did not answer in ${TIMEOUT_MS / 1000} s`), []);
    try {
      const { signal } = deadline;
      const answer = await transport.send({ method: 'GET', path: `${url.pathname}${url.search}`, headers: {}, signal });
      if (answer.status !== 200) throw new Error(`${address} answers ${answer.status}`);
      const body = await collect(answer.body, MAX_BYTES);
      return asRecord(JSON.parse(body.toString()));
    } finally {
      deadline.release();
      transport.close();
    }
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
