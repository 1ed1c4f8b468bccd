/**
 * Reads a configuration file, the one way for all of them: YAML in its bounds, the format that apiVersion and kind name, its schema, its rules.
 * Never says what a file means: that is its owner's.
 */
import { readFileSync, statSync } from 'node:fs';
import { canonicalApiVersion } from '../names/dialect';
import type { Clock } from '../runtime/clock';
import { parseYaml, SyntaxFault } from '../serialization';
import { isObject, setMember, type JsonObject, type JsonValue } from '../values/json';
import { quote } from '../values/quote';
import { ConfigurationError, type Fault } from './configuration-error';
import type { Schema } from './schema';

/** One kind of file in the versions that are alike. */
export interface Format<T> {
  readonly kind: string;
  /** In canonical spelling; either is read. None = the file says neither kind nor version. */
  readonly apiVersions: readonly string[];
  /** Of all members but apiVersion and kind. */
  readonly schema: Schema<T>;
  /** What no schema can say; asked only when the schema is satisfied. */
  rules?(value: T): readonly Fault[];
}

const MAX_BYTES = 3 * 1024 * 1024;

/** Rejects with {@link ConfigurationError}, and with what the file system says. */
export async function readConfiguration<T>(file: string, formats: readonly Format<T>[], clock: Clock): Promise<T> {
  const refuse: Refuse = (...faults) => {
    throw new ConfigurationError(file, faults);
  };
  if (statSync(file).size > MAX_BYTES) return refuse({ path: '', reason: `is longer than ${MAX_BYTES} bytes` });
  return understood(await documentOf(file, clock, refuse), formats, refuse);
}

/** The same of a part of a file, which `path` names. */
export async function readEmbedded<T>(file: string, path: string, value: JsonObject, formats: readonly Format<T>[]): Promise<T> {
  return understood(value, formats, (...faults) => {
    throw new ConfigurationError(
      file,
      faults.map((fault) => ({ ...fault, path: fault.path === '' ? path : `${path}.${fault.path}` })),
    );
  });
}

type Refuse = (...faults: readonly Fault[]) => never;

async function understood<T>(value: JsonObject, formats: readonly Format<T>[], refuse: Refuse): Promise<T> {
  const format = formatOf(value, formats) ?? refuse(unknownFormat(value, formats));
  const { apiVersion: _apiVersion, kind: _kind, ...members } = value;
  const { validate } = await import('./validator.js');
  const validated = validate(format.schema, withoutNulls(members));
  if ('faults' in validated) return refuse(...validated.faults);
  const broken = format.rules?.(validated.value) ?? [];
  return broken.length === 0 ? validated.value : refuse(...broken);
}

async function documentOf(file: string, clock: Clock, refuse: Refuse): Promise<JsonObject> {
  try {
    const { value, duplicates } = await parseYaml(readFileSync(file), clock);
    if (duplicates.length > 0) return refuse(...duplicates.map((reason) => ({ path: '', reason })));
    return isObject(value) ? value : refuse({ path: '', reason: 'must be an object' });
  } catch (error) {
    if (error instanceof SyntaxFault) return refuse({ path: '', reason: error.message });
    throw error;
  }
}

function formatOf<T>({ apiVersion, kind }: JsonObject, formats: readonly Format<T>[]): Format<T> | undefined {
  if (apiVersion === undefined && kind === undefined) return formats.find((format) => format.apiVersions.length === 0);
  if (typeof apiVersion !== 'string') return undefined;
  const version = canonicalApiVersion(apiVersion);
  return formats.find((format) => format.kind === kind && format.apiVersions.includes(version));
}

function unknownFormat<T>({ apiVersion, kind }: JsonObject, formats: readonly Format<T>[]): Fault {
  if (formats.every((format) => format.apiVersions.length === 0)) return { path: 'kind', reason: 'must not be given, nor apiVersion' };
  const known = formats.flatMap((format) => format.apiVersions.map((version) => `${format.kind} of ${version}`));
  const given = typeof apiVersion === 'string' && typeof kind === 'string' ? `${quote(kind)} of ${quote(apiVersion)}` : 'nothing';
  return { path: 'kind', reason: `apiVersion and kind must name ${known.join(' or ')}, they name ${given}` };
}

/** A member that is null is as good as absent, as everywhere in the API. The depth has been bounded by the parser. */
function withoutNulls(value: JsonObject): JsonObject;
function withoutNulls(value: JsonValue): JsonValue;
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item));
  if (!isObject(value)) return value;
  const kept: JsonObject = {};
  for (const [name, member] of Object.entries(value)) if (member !== null) setMember(kept, name, withoutNulls(member));
  return kept;
}
