/**
 * Encryption at rest: reads the rules from the configuration file, reloads them if that is enabled, and creates the store
 * that encrypts by them. A changed configuration is refused while stored values need a key that it lacks. Ciphers and
 * the encrypted store are implemented in apiserver/storage.
 */
import { createHash } from 'node:crypto';
import { NotYetUsableError, type ConfigurationFiles } from '../../../shared/configuration/configuration-files';
import { readConfiguration } from '../../../shared/configuration/read-configuration';
import { canonicalGroup, type Dialect } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import type { Logger } from '../../../shared/runtime/logger';
import type { RandomBytes } from '../../../shared/runtime/random';
import { STORED_KINDS } from '../../../shared/api/kinds';
import { createTypeNameLookup, createTypeRangeLookup } from '../../cache/store/type-lookups';
import { EncryptionMetrics } from '../../metrics/storage/encryption-metrics';
import { buildResources } from '../../registry/resources';
import { ENCRYPTION, type EncryptionAtRest } from '../../server/wiring/server-options';
import { createEncryptedStore } from '../../storage/encryption/encrypted-store';
import type { Store } from '../../storage/store';
import { createAesCbcCipher, createAesGcmCipher, createSecretboxCipher, type Cipher } from '../../storage/encryption/ciphers';
import { findLostKeys } from '../../storage/encryption/find-lost-keys';
import { EncryptionRules } from '../../storage/encryption/encryption-rules';
import type { EncryptionRule, Envelope, ValueProvider } from '../../storage/encryption/value-transformer';
import {
  decodeSecret,
  ENCRYPTION_FORMAT,
  KEYED_PROVIDERS,
  type ConfiguredKms,
  type ConfiguredProvider,
  type EncryptionConfiguration,
  type KeyedProvider,
} from './encryption-configuration';
import type { KmsProviders } from './kms-providers';

/** The file, and the dependencies of its providers. */
export interface EncryptionAtRestOptions {
  readonly file: string;
  /** Whether the file is reloaded when it changes. */
  readonly reloads: boolean;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly uuid: () => string;
  readonly logger: Logger;
  /** Prefix of all keys in the store. */
  readonly prefix: string;
  /** Identifies this replica in metrics. */
  readonly server: string;
  readonly configurations: ConfigurationFiles;
}

/**
 * Checking a refused configuration again reads the stored values. A check that took 1 s is repeated after 20 s, so that
 * checks take at most this part of the time.
 */
const MAX_CHECKING_FRACTION = 0.05;

/** Rejects when the file is unusable. */
export async function openEncryptionAtRest(options: EncryptionAtRestOptions): Promise<EncryptionFromFile> {
  const encryption = new EncryptionFromFile(options);
  await encryption.open();
  return encryption;
}

/** Encryption by the rules of the file, which may be replaced while the store is in use. */
export class EncryptionFromFile implements EncryptionAtRest {
  readonly metrics = new EncryptionMetrics();
  private current: EncryptionRules | undefined;
  /** The store with encrypted values; `undefined` until it is open. */
  private store: Store | undefined;
  private readonly storedTypes = buildResources(STORED_KINDS).storedTypes;
  /** The configuration that was refused last, and when it is checked again. */
  private refusal: { readonly configuration: string; readonly error: Error; readonly until: number } | undefined;
  private readonly listeners: (() => void)[] = [];
  /** `undefined` until a KMS provider is configured. */
  private kmsProviders: KmsProviders | undefined;

  constructor(private readonly options: EncryptionAtRestOptions) {}

  get server(): string {
    return this.options.server;
  }

  async open(): Promise<void> {
    const { file: path, clock, configurations, reloads } = this.options;
    const load = async (): Promise<readonly string[]> => {
      await this.apply(await readConfiguration(path, [ENCRYPTION_FORMAT], clock));
      return [path];
    };
    if (reloads) await configurations.loadAndWatch({ name: ENCRYPTION, path, load });
    else await load();
  }

  /** Wraps the store so that values are encrypted and decrypted transparently. */
  encryptStore(store: Store): Store {
    const { prefix, clock } = this.options;
    this.store = store;
    return createEncryptedStore(store, { rules: this.rules, resourceOf: createTypeNameLookup(prefix, this.storedTypes), clock });
  }

  /** The rules in use. Throws before the configuration has been read. */
  readonly rules = (): EncryptionRules => {
    if (this.current === undefined) throw new Error('the encryption configuration has not been read');
    return this.current;
  };

  /** Adds a listener: called after every change of the rules, and when values of a KMS provider may be readable again. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** The health check of the KMS providers; `undefined` when there are none and no reload can add one. */
  get health(): (() => Promise<string | undefined>) | undefined {
    return this.options.reloads || this.kmsProviders !== undefined ? async () => this.kmsProviders?.health() : undefined;
  }

  /** Closes the KMS providers. Afterwards values of KMS providers can be neither read nor written. */
  close(): void {
    this.kmsProviders?.close();
  }

  /** Brings the configuration into use. Rejects, and keeps the previous one, when it cannot be used yet. */
  private async apply(configuration: EncryptionConfiguration): Promise<void> {
    const { resources = [] } = configuration;
    this.refuseUntilNextCheck(JSON.stringify(configuration));
    const configured = resources.flatMap(({ providers = [] }) => providers.flatMap(({ kms }) => (kms === undefined ? [] : [kms])));
    if (configured.length > 0) this.kmsProviders ??= await this.loadKmsProviders();
    const { kmsProviders } = this;
    // At the start KMS providers may be unhealthy, but a reload does not replace a working configuration by such ones.
    const openedEnvelopes = await kmsProviders?.open(configured, this.current === undefined ? 'unchecked' : 'healthy');
    const envelopes = new Map(openedEnvelopes?.map((envelope, index) => [configured[index], envelope]));
    const rows: EncryptionRule[] = [];
    for (const row of resources) {
      const providers: ValueProvider[] = [];
      for (const provider of row.providers ?? []) providers.push(await providerOf(provider, envelopes, this.options));
      rows.push({ resources: (row.resources ?? []).map(canonicalResource), providers });
    }
    const { dialect, clock } = this.options;
    const next = new EncryptionRules(rows, { dialect, clock, metrics: this.metrics });
    await this.refuseLostKeys(next, JSON.stringify(configuration)).catch((error: unknown) => {
      kmsProviders?.discard(openedEnvelopes ?? []);
      throw error;
    });
    this.current = next;
    kmsProviders?.use(configured, openedEnvelopes ?? []);
    this.notifyListeners();
  }

  /**
   * Rejects when stored values need a key that `next` lacks. The check is repeated, at a limited rate, because the
   * objects may be written with another key meanwhile.
   */
  private async refuseLostKeys(next: EncryptionRules, configuration: string): Promise<void> {
    const { store, current } = this;
    if (store === undefined || current === undefined) return;
    const { prefix, clock } = this.options;
    const typeOf = createTypeRangeLookup(prefix, this.storedTypes);
    const startedAt = clock.monotonic();
    const missing = await findLostKeys({ store, prefix, typeOf, current, next, clock });
    this.metrics.setMissingKeys(missing.counts);
    if (missing.error === undefined) return;
    const error = new NotYetUsableError(missing.error);
    const checkedAt = clock.monotonic();
    this.refusal = { configuration, error, until: checkedAt + (checkedAt - startedAt) / MAX_CHECKING_FRACTION };
    throw error;
  }

  /** Rejects a configuration again that was refused a short time ago, without reading the store. */
  private refuseUntilNextCheck(configuration: string): void {
    const { refusal } = this;
    this.refusal = undefined;
    if (refusal?.configuration !== configuration || this.options.clock.monotonic() >= refusal.until) return;
    this.refusal = refusal;
    throw refusal.error;
  }

  private async loadKmsProviders(): Promise<KmsProviders> {
    const { KmsProviders: Providers } = await import('./kms-providers.js');
    const { clock, random, uuid, logger, server } = this.options;
    return new Providers({ clock, random, uuid, logger, meters: this.metrics.meters, server, onRecovered: () => this.notifyListeners() });
  }

  private notifyListeners(): void {
    for (const listener of this.listeners) listener();
  }
}

function canonicalResource(resource: string): string {
  const dot = resource.indexOf('.');
  return dot < 0 ? resource : `${resource.slice(0, dot)}.${canonicalGroup(resource.slice(dot + 1))}`;
}

type CreateCipher = (secret: Buffer, random: RandomBytes) => Cipher;

/**
 * The cipher of each provider with keys, and upstream's message for an unknown key. Libraries are loaded on first use.
 */
const CIPHERS: Readonly<Record<KeyedProvider, { readonly unknownKey: string; readonly load: () => Promise<CreateCipher> }>> = {
  aescbc: { unknownKey: 'no matching key was found for the provided AES transformer', load: () => Promise.resolve(createAesCbcCipher) },
  aesgcm: { unknownKey: 'no matching key was found for the provided AES transformer', load: () => Promise.resolve(createAesGcmCipher) },
  secretbox: {
    unknownKey: 'no matching key was found for the provided Secretbox transformer',
    async load() {
      const salsa = await import('@noble/ciphers/salsa.js');
      return (secret, random) => createSecretboxCipher(salsa, secret, random);
    },
  },
};

async function providerOf(
  provider: ConfiguredProvider,
  envelopes: ReadonlyMap<ConfiguredKms | undefined, Envelope>,
  { random }: EncryptionAtRestOptions,
): Promise<ValueProvider> {
  for (const type of KEYED_PROVIDERS) {
    const keyed = provider[type];
    if (keyed === undefined) continue;
    const { unknownKey, load } = CIPHERS[type];
    const createCipher = await load();
    const keys = (keyed.keys ?? []).map(({ name = '', secret = '' }) => {
      const bytes = decodeSecret(secret) ?? Buffer.alloc(0);
      return { name, fingerprint: createHash('sha256').update(bytes).digest('base64'), cipher: createCipher(bytes, random) };
    });
    return { type: 'keys', prefix: `${type}:v1:`, keys, unknownKey };
  }
  const envelope = provider.kms === undefined ? undefined : envelopes.get(provider.kms);
  return envelope === undefined ? { type: 'plain' } : { type: 'envelope', prefix: `kms:v2:${provider.kms?.name ?? ''}:`, envelope };
}
