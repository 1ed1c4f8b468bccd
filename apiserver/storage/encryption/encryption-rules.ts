/**
 * Encryption rules: which resources are encrypted, and by which providers (value-transformer.ts). The first rule that
 * covers a resource applies to it. Also compares two configurations: which values one of them reads and the other does
 * not.
 */
import { hasEncryptionPrefix } from '../unreadable-value';
import { requirementOf, type KeyRequirement } from './missing-keys';
import { decrypts, ValueTransformer, type EncryptionRule, type MatchingKey, type TransformerOptions } from './value-transformer';

/** One encryption configuration. Immutable; a reload creates another one. */
export class EncryptionRules {
  private readonly transformers: readonly ValueTransformer[];
  private readonly byResource = new Map<string, ValueTransformer | undefined>();

  constructor(rules: readonly EncryptionRule[], options: TransformerOptions) {
    this.transformers = rules.map((rule) => new ValueTransformer(rule, options));
  }

  /** The transformer of a resource such as `secrets` or `deployments.apps`; undefined when no rule covers it. */
  forResource(resource: string): ValueTransformer | undefined {
    if (!this.byResource.has(resource)) this.byResource.set(resource, this.find(resource));
    return this.byResource.get(resource);
  }

  /** The key or provider that the prefix of the value names and these rules lack; undefined when they lack nothing. */
  missingKeyOf(resource: string, value: Buffer): KeyRequirement | undefined {
    const transformer = this.forResource(resource);
    if (transformer !== undefined) return transformer.missingKeyOf(value);
    return hasEncryptionPrefix(value) ? requirementOf(value) : undefined;
  }

  /** Whether `previous` can read values of the resource that these rules may be unable to read. */
  lacksKeysOf(previous: EncryptionRules, resource: string): boolean {
    const abilities = new Set(this.abilitiesFor(resource));
    return previous.abilitiesFor(resource).some((ability) => !abilities.has(ability));
  }

  /**
   * The key that these rules lack to read a value which `previous` reads. Undefined when they lack nothing, and when
   * `previous` does not read the value either.
   */
  lostKeyOf(previous: EncryptionRules, resource: string, value: Buffer, storageKey: string): KeyRequirement | undefined {
    if (previous.missingKeyOf(resource, value) !== undefined) return undefined;
    const missing = this.missingKeyOf(resource, value);
    if (missing !== undefined) return missing;
    // Both have a key with the name in the value. Its secret may have been changed: only then decrypt to find out.
    const before = previous.forResource(resource)?.keysFor(value) ?? [];
    const after = this.forResource(resource)?.keysFor(value) ?? [];
    if (before.every(({ key }) => after.some((candidate) => candidate.key.fingerprint === key.fingerprint))) return undefined;
    const isReadable = (keys: readonly MatchingKey[]): boolean => keys.some((match) => decrypts(match, storageKey));
    return isReadable(before) && !isReadable(after) ? requirementOf(value) : undefined;
  }

  /** Without a rule, plain values are read. */
  private abilitiesFor(resource: string): readonly string[] {
    return this.forResource(resource)?.abilities ?? ['identity'];
  }

  private find(resource: string): ValueTransformer | undefined {
    const dot = resource.indexOf('.');
    const group = dot < 0 ? '' : resource.slice(dot + 1);
    return this.transformers.find(({ resources }) => [resource, `*.${group}`, '*.*'].some((name) => resources.includes(name)));
  }
}
