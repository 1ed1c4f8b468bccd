/**
 * Counts stored values that cannot be read because a key or provider is missing, by resource, and reports them in
 * one sentence. What is missing follows from the prefix of a value: nothing is decrypted here.
 */
import { ENCRYPTED_PREFIXES } from '../../../shared/names/dialect';
import { bufferStartsWith } from '../unreadable-value';

/** What a value needs in order to be read. */
export interface KeyRequirement {
  /** `identity` for a value that is not encrypted. */
  readonly provider: string;
  /** The name of the key, or of the KMS provider; '' for `identity`. */
  readonly key: string;
}

/** How many values of one resource need one key. */
export interface MissingKeyCount extends KeyRequirement {
  readonly resource: string;
  readonly objects: number;
}

/** Maximum number of counts in the sentence; it states how many more there are. */
const MAX_NAMED = 20;

/** Counts values by the key that they need. */
export class MissingKeys {
  private readonly byId = new Map<string, { readonly row: Omit<MissingKeyCount, 'objects'>; objects: number }>();

  /** Counts one value of the resource. */
  add(resource: string, { provider, key }: KeyRequirement): void {
    const id = JSON.stringify([resource, provider, key]);
    const existing = this.byId.get(id);
    if (existing === undefined) this.byId.set(id, { row: { resource, provider, key }, objects: 1 });
    else existing.objects++;
  }

  /** In the order in which the requirements were first counted. */
  get counts(): readonly MissingKeyCount[] {
    return [...this.byId.values()].map(({ row, objects }) => ({ ...row, objects }));
  }

  /** The sentence for the operator; undefined when no key is missing. */
  get error(): string | undefined {
    const { counts } = this;
    if (counts.length === 0) return undefined;
    const named = counts.slice(0, MAX_NAMED).map(describeCount);
    if (counts.length > MAX_NAMED) named.push(`${counts.length - MAX_NAMED} more`);
    return `stored objects need keys that the configuration does not have: ${named.join(', ')}; add them until these objects are written with another key`;
  }
}

function describeCount({ resource, objects, provider, key }: MissingKeyCount): string {
  const subject = `${objects} ${objects === 1 ? 'object needs' : 'objects need'}`;
  if (provider === 'identity') return `${resource}: ${subject} provider identity`;
  if (provider === 'kms') return `${resource}: ${subject} KMS provider ${JSON.stringify(key)}`;
  return `${resource}: ${subject} key ${JSON.stringify(key)} of provider ${provider}`;
}

const PREFIXES = Object.values(ENCRYPTED_PREFIXES).map((prefix) => Buffer.from(prefix));
/** A value behind the prefix of its dialect begins with `aescbc:v1:key1:` or `kms:v2:my-kms:`; groups: provider, key. */
const HEAD = /^([^:]+):[^:]+:([^:]+):/;
/** How many bytes are searched for the names of the provider and the key. */
const MAX_HEAD_BYTES = 512;

/** What a stored value needs, from its prefix; `unknown` and '' for a prefix of another form. */
export function requirementOf(value: Buffer): KeyRequirement {
  const prefix = PREFIXES.find((candidate) => bufferStartsWith(value, candidate));
  if (prefix === undefined) return { provider: 'identity', key: '' };
  const [, provider = 'unknown', key = ''] = HEAD.exec(value.toString('utf8', prefix.length, prefix.length + MAX_HEAD_BYTES)) ?? [];
  return { provider, key };
}
