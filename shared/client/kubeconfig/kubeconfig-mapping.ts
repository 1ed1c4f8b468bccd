/**
 * Typed access to the mappings in a kubeconfig file. A member of another type than the accessor expects is an error that
 * names the file and the member; a flag of another type is false. kubeconfig.ts and kubeconfig-users.ts interpret the
 * mappings.
 */
import path from 'node:path';
import { load } from 'js-yaml';
import { errorMessage } from '../../runtime/error-message';
import { ConfigError, readConfigFile } from './client-config';

/** One kubeconfig file, and the files that its content refers to. */
export class KubeconfigFile {
  private readonly referencedFiles = new Set<string>();

  constructor(private readonly file: string) {}

  /** The file itself and the files that {@link referencedFile} has resolved so far. */
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

  /** Resolves the path of a referenced file and adds it to {@link files}. */
  referencedFile(relative: string): string {
    const file = this.resolvePath(relative);
    this.referencedFiles.add(file);
    return file;
  }

  /** Resolves a path, from the folder of the kubeconfig if it is relative. */
  resolvePath(relative: string): string {
    return path.resolve(path.dirname(this.file), relative);
  }

  /** The error `kubeconfig <file> <text>`. */
  error(text: string): ConfigError {
    return new ConfigError(`kubeconfig ${this.file} ${text}`);
  }
}

/** One mapping of the file. Its accessors, except `flag`, throw {@link ConfigError} when the member has another type. */
export class KubeconfigMapping {
  constructor(
    private readonly source: KubeconfigFile,
    private readonly values: Readonly<Record<string, unknown>>,
    /** Where the mapping stands in the file, for messages: `users "admin", user,`. */
    private readonly label: string,
  ) {}

  /** Whether the member is present and not null. */
  has(member: string): boolean {
    return this.values[member] !== undefined && this.values[member] !== null;
  }

  /** A string; `undefined` when the member is missing or null. */
  text(member: string): string | undefined {
    const value = this.values[member];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string') throw this.error(`has a ${member} that is no text`);
    return value;
  }

  /** A string that is not empty. Throws {@link ConfigError} when the member is missing or empty. */
  requiredText(member: string): string {
    const value = this.text(member);
    if (value === undefined || value === '') throw this.error(`has no ${member}`);
    return value;
  }

  /** Whether the member is `true`; any other value counts as false. */
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

  /** A mapping. Throws {@link ConfigError} when the member is missing. */
  part(member: string): KubeconfigMapping {
    const value = this.values[member];
    if (!isRecord(value)) throw this.error(`has no ${member}`);
    return new KubeconfigMapping(this.source, value, `${this.label}, ${member},`);
  }

  /** A mapping; an empty one when the member is missing or null. */
  optionalPart(member: string): KubeconfigMapping {
    return this.has(member) ? this.part(member) : new KubeconfigMapping(this.source, {}, member);
  }

  /** The names of all members. */
  names(): readonly string[] {
    return Object.keys(this.values);
  }

  /** The item of the list `list` with the member `name: <name>`. Throws {@link ConfigError} when there is none. */
  namedEntry(list: string, name: string): KubeconfigMapping {
    const items = this.values[list];
    const entry: unknown = Array.isArray(items) ? items.find((item: unknown) => isRecord(item) && item['name'] === name) : undefined;
    if (!isRecord(entry)) throw this.source.error(`has no entry ${JSON.stringify(name)} in ${list}`);
    return new KubeconfigMapping(this.source, entry, `${list} ${JSON.stringify(name)}`);
  }

  /**
   * PEM text: that of `<member>-data`, which is base64, or else that of the file which `member` names. `undefined` when
   * both are missing or empty.
   */
  pem(member: string): string | undefined {
    const data = this.text(`${member}-data`);
    if (data !== undefined && data !== '') return Buffer.from(data, 'base64').toString('utf8');
    const file = this.text(member);
    return file === undefined || file === '' ? undefined : readConfigFile(this.source.referencedFile(file));
  }

  /** An error that names the file and the mapping. */
  error(text: string): ConfigError {
    return this.source.error(`: ${this.label} ${text}`);
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
