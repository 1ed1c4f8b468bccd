/**
 * Reads and validates configuration files: parses YAML with a size limit, selects the format by apiVersion and kind,
 * and checks its schema and rules. Applying a configuration is up to the caller.
 */
import { readFileSync, statSync } from 'node:fs';
import { canonicalApiVersion } from '../names/dialect';
import type { Clock } from '../runtime/clock';
import { parseYaml, ParseError } from '../serialization';
import { isObject, setMember, type JsonObject, type JsonValue } from '../values/json';
import { quote } from '../values/text/quote';
import { ConfigurationError, type InvalidField } from './configuration-error';
import type { ConfigurationSchema } from './schema';

/** A kind of configuration file, with all versions that have the same schema. */
export interface ConfigurationFormat<T> {
  readonly kind: string;
  /**
   * In canonical spelling (`apiserver.config.platform.io/v1`); files may use either. Empty for a file without kind and
   * apiVersion.
   */
  readonly apiVersions: readonly string[];
  /** The schema of all members except apiVersion and kind. */
  readonly schema: ConfigurationSchema<T>;
  /** Checks rules that a schema cannot express. Called only for a value that satisfies the schema. */
  validate?(value: T): readonly InvalidField[];
}

/** Limit of a file: that of a request body. */
const MAX_BYTES = 3 * 1024 * 1024;

/**
 * Reads a file in one of the formats. Rejects with {@link ConfigurationError}, or with the error of the file system.
 * `clock` is for the time limit of parsing.
 */
export async function readConfiguration<T>(file: string, formats: readonly ConfigurationFormat<T>[], clock: Clock): Promise<T> {
  const refuse: Refuse = (...errors) => {
    throw new ConfigurationError(file, errors);
  };
  if (statSync(file).size > MAX_BYTES) return refuse({ path: '', reason: `is longer than ${MAX_BYTES} bytes` });
  return decodeAndValidate(await readDocument(file, clock, refuse), formats, refuse);
}

/**
 * Validates a configuration that is embedded in `file`, at the field `path`. Rejects with {@link ConfigurationError}, which
 * has paths from the root of the file.
 */
export async function readEmbeddedConfiguration<T>(
  file: string,
  path: string,
  value: JsonObject,
  formats: readonly ConfigurationFormat<T>[],
): Promise<T> {
  return decodeAndValidate(value, formats, (...errors) => {
    throw new ConfigurationError(
      file,
      errors.map((error) => ({ ...error, path: error.path === '' ? path : `${path}.${error.path}` })),
    );
  });
}

/** Throws {@link ConfigurationError} with the errors. */
type Refuse = (...errors: readonly InvalidField[]) => never;

async function decodeAndValidate<T>(value: JsonObject, formats: readonly ConfigurationFormat<T>[], refuse: Refuse): Promise<T> {
  const format = findFormat(value, formats) ?? refuse(unknownFormat(value, formats));
  const { apiVersion: _apiVersion, kind: _kind, ...members } = value;
  // Loaded on first use: ajv takes time to load, and often no file is read.
  const { validateSchema } = await import('./validator.js');
  const validated = validateSchema(format.schema, withoutNulls(members));
  if ('errors' in validated) return refuse(...validated.errors);
  const errors = format.validate?.(validated.value) ?? [];
  return errors.length === 0 ? validated.value : refuse(...errors);
}

async function readDocument(file: string, clock: Clock, refuse: Refuse): Promise<JsonObject> {
  try {
    const { value, duplicates } = await parseYaml(readFileSync(file), clock);
    // `duplicates` are messages about repeated keys, of which the parser keeps the last.
    if (duplicates.length > 0) return refuse(...duplicates.map((reason) => ({ path: '', reason })));
    return isObject(value) ? value : refuse({ path: '', reason: 'must be an object' });
  } catch (error) {
    if (error instanceof ParseError) return refuse({ path: '', reason: error.message });
    throw error;
  }
}

function findFormat<T>({ apiVersion, kind }: JsonObject, formats: readonly ConfigurationFormat<T>[]): ConfigurationFormat<T> | undefined {
  if (apiVersion === undefined && kind === undefined) return formats.find((format) => format.apiVersions.length === 0);
  if (typeof apiVersion !== 'string') return undefined;
  const version = canonicalApiVersion(apiVersion);
  return formats.find((format) => format.kind === kind && format.apiVersions.includes(version));
}

/** The error of a file that is in none of the formats. */
function unknownFormat<T>({ apiVersion, kind }: JsonObject, formats: readonly ConfigurationFormat<T>[]): InvalidField {
  if (formats.every((format) => format.apiVersions.length === 0)) return { path: 'kind', reason: 'must not be set, nor apiVersion' };
  const known = formats.flatMap((format) => format.apiVersions.map((version) => `${format.kind} of ${version}`));
  const given = typeof apiVersion === 'string' && typeof kind === 'string' ? `${quote(kind)} of ${quote(apiVersion)}` : 'nothing';
  return { path: 'kind', reason: `apiVersion and kind must be ${known.join(' or ')}, not ${given}` };
}

/**
 * Removes members that are null: as in the API, they count as absent; null items of lists are kept. Recursion is safe,
 * because the parser limits the depth.
 */
function withoutNulls(value: JsonObject): JsonObject;
function withoutNulls(value: JsonValue): JsonValue;
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item));
  if (!isObject(value)) return value;
  const kept: JsonObject = {};
  for (const [name, member] of Object.entries(value)) if (member !== null) setMember(kept, name, withoutNulls(member));
  return kept;
}
