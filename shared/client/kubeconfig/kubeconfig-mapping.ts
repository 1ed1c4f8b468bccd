/**
 * Typed access to the mappings in a kubeconfig file. A member of another type than the accessor expects is an error
 * that names the file and the member, except for flags. Does not interpret the mappings.
 */
import path from 'node:path';
import { load } from 'js-yaml';
import { errorMessage } from '../../runtime/error-message';
import { ConfigError, readConfigFile } from './client-config';

/** One file, with the paths that its content refers to. */
export class KubeconfigFile {
  private readonly referencedFiles = new Set<string>();

  constructor(private readonly file: string) {}

  /** The file itself and the referenced files. */
  get files(): readonly string[] {
    return [this.file, ...this.referencedFiles];
  }

  /** Throws {@link ConfigError} when the text is not YAML or not a mapping. */
  parse(text: string): KubeconfigMapping {
    let value: unknown;
    try {
      value = load(text);
    } catch (error) {
      throw this.error(`is not YAML: ${errorMessage(error)}`);
    }
    if (!isRecord(value)) throw this.error('is empty or not a mapping');
    return new KubeconfigMapping(this, value, 'the file');
  }

  /** Resolves and records the path of a referenced file. */
  referencedFile(relative: string): string {
    const file = this.resolvePath(relative);
    this.referencedFiles.add(file);
    return file;
  }

  /** Relative paths start at the folder of the file. */
  resolvePath(relative: string): string {
    return path.resolve(path.dirname(this.file), relative);
  }

  /** An error that names the file. */
  error(text: string): ConfigError {
    return new ConfigError(`kubeconfig ${this.file} ${text}`);
  }
}

/** One mapping of the file. Its accessors, except `flag`, throw {@link ConfigError} when the member has another type. */
export class KubeconfigMapping {
  constructor(
    private readonly source: KubeconfigFile,
    private readonly values: Readonly<Record<string, unknown>>,
    private readonly label: string,
  ) {}

  /** False for a member that is null. */
  has(member: string): boolean {
    return this.values[member] !== undefined && this.values[member] !== null;
  }

  /** `undefined` when the member is missing or null. */
  text(member: string): string | undefined {
    const value = this.values[member];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string') throw this.error(`has a ${member} that is no text`);
    return value;
  }

  /** Throws {@link ConfigError} when the member is missing or empty. */
  requiredText(member: string): string {
    const value = this.text(member);
    if (value === undefined || value === '') throw this.error(`has no ${member}`);
    return value;
  }

  /** False for every value but `true`. */
  flag(member: string): boolean {
    return this.values[member] === true;
  }

  /** A list of strings; empty when the member is missing or null. */
  texts(member: string): readonly string[] {
    const value = this.values[member] ?? [];
    if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
      throw this.error(`has ${member} that are not a list of strings`);
    return value;
  }

  /** A list of mappings; empty when the member is missing or null. */
  parts(member: string): readonly KubeconfigMapping[] {
    const value: unknown = this.values[member] ?? [];
    if (!Array.isArray(value) || !value.every(isRecord)) throw this.error(`has ${member} that are not a list of objects`);
    return value.map((item, index) => new KubeconfigMapping(this.source, item, `${this.label}, ${member}[${index}],`));
  }

  /** The mapping under a member. Throws {@link ConfigError} when it is missing. */
  part(member: string): KubeconfigMapping {
    const value = this.values[member];
    if (!isRecord(value)) throw this.error(`has no ${member}`);
    return new KubeconfigMapping(this.source, value, `${this.label}, ${member},`);
  }

  /** The mapping under a member; an empty one when the member is missing or null. */
  optionalPart(member: string): KubeconfigMapping {
    return this.has(member) ? this.part(member) : new KubeconfigMapping(this.source, {}, member);
  }

  /** The names of all members. */
  names(): readonly string[] {
    return Object.keys(this.values);
  }

  /** The item of the list with this `name`. Throws {@link ConfigError} when there is none. */
  namedEntry(list: string, name: string): KubeconfigMapping {
    const items = this.values[list];
    const entry: unknown = Array.isArray(items) ? items.find((item: unknown) => isRecord(item) && item['name'] === name) : undefined;
    if (!isRecord(entry)) throw this.source.error(`has no entry ${JSON.stringify(name)} in ${list}`);
    return new KubeconfigMapping(this.source, entry, `${list} ${JSON.stringify(name)}`);
  }

  /** PEM: `<member>-data` in base64, else the file that `member` refers to; `undefined` without either. */
  pem(member: string): string | undefined {
    const data = this.text(`${member}-data`);
    if (data !== undefined && data !== '') return Buffer.from(data, 'base64').toString('utf8');
    const file = this.text(member);
    return file === undefined || file === '' ? undefined : readConfigFile(this.source.referencedFile(file));
  }

  error(text: string): ConfigError {
    return this.source.error(`: ${this.label} ${text}`);
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
