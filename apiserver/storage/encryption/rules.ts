/**
 * Which values are encrypted and how: rows of resources with their providers. The first provider of a row writes, all of them read. Pure: what has to be
 * asked for elsewhere is asked for in `prepare` before a value is opened or sealed.
 */
import { ENCRYPTED_PREFIXES, type Dialect } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import { isEncrypted, startsWith } from '../unreadable';
import { TransformFault, type Cipher } from './ciphers';

/** A service that keeps the key with which the keys of values are encrypted. */
export interface Envelope {
  /** What a new value is sealed with; throws {@link TransformFault} where nothing is known that may be used. */
  seal(plain: Buffer, place: string): Buffer;
  /** Asks for the key of a sealed value; undefined = it is known. Never rejects: what fails is told when the value is opened. */
  prepare(sealed: Buffer): Promise<void> | undefined;
  /** Throws {@link TransformFault}. */
  open(sealed: Buffer, place: string): Opened;
}

export interface Opened {
  readonly value: Buffer;
  /** It would be written in another way now. */
  readonly isOutdated: boolean;
}

export type ValueProvider =
  | { readonly type: 'plain' }
  | {
      readonly type: 'keys';
      /** What follows the product's prefix: `aescbc:v1:`. */
      readonly head: string;
      /** The first one writes. */
      readonly keys: readonly { readonly name: string; readonly cipher: Cipher }[];
      /** What to say where none of the keys has the name that a value bears. */
      readonly unknownKey: string;
    }
  | { readonly type: 'envelope'; readonly head: string; readonly envelope: Envelope };

export interface EncryptionRow {
  /** In canonical spelling: `secrets`, `*.apps`, `*.` (the core group), `*.*`. */
  readonly resources: readonly string[];
  readonly providers: readonly ValueProvider[];
}

export type Direction = 'from_storage' | 'to_storage';

/** The word for whatever failed without a service. */
export const FAILED = 'unknown-non-grpc';

/** Counts what is done. */
export interface TransformMeter {
  /**
   * `prefix` = what the value begins with, or its key's part of that; `outcome` = OK, {@link FAILED}, or what the service said that keeps the key;
   * `seconds` of what succeeded.
   */
  transformed(direction: Direction, prefix: string, outcome: string, seconds: number): void;
}

export interface RuleParts {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly meter: TransformMeter;
}

const OTHER: Readonly<Record<Dialect, Dialect>> = { platform: 'kubernetes', kubernetes: 'platform' };

export class EncryptionRules {
  private readonly rows: readonly RowRules[];
  private readonly byResource = new Map<string, RowRules | undefined>();

  constructor(rows: readonly EncryptionRow[], parts: RuleParts) {
    this.rows = rows.map((row) => new RowRules(row, parts));
  }

  /** The row of a resource, such as `secrets` or `deployments.apps`; undefined = it is not encrypted. */
  of(resource: string): RowRules | undefined {
    if (!this.byResource.has(resource)) this.byResource.set(resource, this.find(resource));
    return this.byResource.get(resource);
  }

  private find(resource: string): RowRules | undefined {
    const dot = resource.indexOf('.');
    const group = dot < 0 ? '' : resource.slice(dot + 1);
    return this.rows.find(({ resources }) => [resource, `*.${group}`, '*.*'].some((name) => resources.includes(name)));
  }
}

/** A provider whose values begin with something, in the spelling that is written first. */
interface Headed {
  readonly provider: Exclude<ValueProvider, { type: 'plain' }>;
  readonly heads: readonly Buffer[];
  readonly prefix: string;
}

/** What is done with the values of one row's resources. */
export class RowRules {
  readonly resources: readonly string[];
  private readonly providers: readonly (Headed | 'plain')[];

  constructor(
    row: EncryptionRow,
    private readonly parts: RuleParts,
  ) {
    const { dialect } = parts;
    this.resources = row.resources;
    this.providers = row.providers.map((provider) => {
      if (provider.type === 'plain') return 'plain';
      const heads = [dialect, OTHER[dialect]].map((one) => Buffer.from(ENCRYPTED_PREFIXES[one] + provider.head));
      return { provider, heads, prefix: ENCRYPTED_PREFIXES[dialect] + provider.head };
    });
  }

  /** To be waited for before `value` is opened; undefined = nothing. */
  prepare(value: Buffer): Promise<void> | undefined {
    for (const one of this.providers) {
      if (one === 'plain' || one.provider.type !== 'envelope') continue;
      const rest = restOf(one, value);
      if (rest !== undefined) return one.provider.envelope.prepare(rest.bytes);
    }
    return undefined;
  }

  /** Throws {@link TransformFault}. */
  open(value: Buffer, place: string): Opened {
    const faults: string[] = [];
    for (const [index, one] of this.providers.entries()) {
      if (one === 'plain') {
        if (!isEncrypted(value)) return { value, isOutdated: index > 0 };
        continue;
      }
      const rest = restOf(one, value);
      if (rest === undefined) continue;
      try {
        const opened = this.timed('from_storage', one.prefix, () => this.openWith(one, rest.bytes, place));
        return { value: opened.value, isOutdated: opened.isOutdated || index > 0 || rest.isOtherSpelling };
      } catch (error) {
        if (!(error instanceof TransformFault)) throw error;
        faults.push(error.message);
      }
    }
    if (faults.length === 0) this.parts.meter.transformed('from_storage', 'unknown', FAILED, 0);
    throw faultOf(faults, 'no matching prefix found');
  }

  /** Throws {@link TransformFault}. */
  seal(plain: Buffer, place: string): Buffer {
    const [first] = this.providers;
    if (first === undefined || first === 'plain') return plain;
    return this.timed('to_storage', first.prefix, () => this.sealWith(first, plain, place));
  }

  private openWith({ provider }: Headed, sealed: Buffer, place: string): Opened {
    if (provider.type === 'envelope') return provider.envelope.open(sealed, place);
    const faults: string[] = [];
    for (const [index, { name, cipher }] of provider.keys.entries()) {
      const head = Buffer.from(`${name}:`);
      if (!startsWith(sealed, head)) continue;
      try {
        const value = this.timed('from_storage', `${name}:`, () => cipher.open(sealed.subarray(head.length), place));
        return { value, isOutdated: index > 0 };
      } catch (error) {
        if (!(error instanceof TransformFault)) throw error;
        faults.push(error.message);
      }
    }
    throw faultOf(faults, provider.unknownKey);
  }

  private sealWith({ provider, heads: [head] }: Headed, plain: Buffer, place: string): Buffer {
    const start = head ?? Buffer.alloc(0);
    if (provider.type === 'envelope') return Buffer.concat([start, provider.envelope.seal(plain, place)]);
    const [key] = provider.keys;
    if (key === undefined) throw new TransformFault(provider.unknownKey);
    const sealed = this.timed('to_storage', `${key.name}:`, () => key.cipher.seal(plain, place));
    return Buffer.concat([start, Buffer.from(`${key.name}:`), sealed]);
  }

  private timed<T>(direction: Direction, prefix: string, work: () => T): T {
    const { clock, meter } = this.parts;
    const since = clock.monotonic();
    try {
      const made = work();
      meter.transformed(direction, prefix, 'OK', (clock.monotonic() - since) / 1000);
      return made;
    } catch (error) {
      meter.transformed(direction, prefix, (error instanceof TransformFault ? error.code : undefined) ?? FAILED, 0);
      throw error;
    }
  }
}

/** What follows the head. */
function restOf({ heads }: Headed, value: Buffer): { readonly bytes: Buffer; readonly isOtherSpelling: boolean } | undefined {
  const at = heads.findIndex((head) => startsWith(value, head));
  const head = heads[at];
  return head === undefined ? undefined : { bytes: value.subarray(head.length), isOtherSpelling: at > 0 };
}

/** Several providers or keys may claim a value; each says why it is not its own. */
function faultOf(faults: readonly string[], none: string): TransformFault {
  const distinct = [...new Set(faults)];
  const [only] = distinct;
  return new TransformFault(only === undefined ? none : distinct.length === 1 ? only : `[${distinct.join(', ')}]`);
}
