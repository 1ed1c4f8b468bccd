/**
 * Prints the type tables as TypeScript types of decoded objects, so that code about a field that does not exist does not
 * compile. The types are aliases, not interfaces, because aliases are assignable to JsonObject.
 */
import type { KindRow } from '../../kinds';
import { zeroValueOf } from '../decode';
import type { Tables } from '../tables';
import type { FieldSchema, FieldType, Scalar, TypeSchema } from '../types';

const HEAD = `/** What decoded objects look like, generated from the type tables: \`npm run generate\`. Integers beyond 2^53 are \`bigint\`. */
import type { JsonValue } from '../../../values/json';
`;

/** The TypeScript types of decoded scalars. */
const SCALARS: Readonly<Record<Scalar, string>> = {
  bool: 'boolean',
  int32: 'number',
  int64: 'number | bigint',
  uint32: 'number',
  float64: 'number',
  string: 'string',
  bytes: 'string',
  time: 'string',
  microTime: 'string',
  duration: 'string',
  quantity: 'string',
  intOrString: 'number | string',
  raw: 'JsonValue',
  json: 'JsonValue',
  fields: 'JsonValue',
  strings: 'string[]',
};

/** A type's name in TypeScript: `core.v1.PodSpec` → `CoreV1PodSpec`. */
export const aliasOf = (type: string): string =>
  type.replace(/(?:^|\.)([a-z])/g, (_, letter: string) => letter.toUpperCase()).replace(/\./g, '');

/**
 * The text of the file: one type per type of the tables, a map of the kinds by name, and the names of the
 * cluster-scoped ones.
 */
export function printMembers(
  { typeNames, schemaOf }: Pick<Tables, 'typeNames' | 'schemaOf'>,
  rows: readonly Pick<KindRow, 'type' | 'namespaced'>[],
): string {
  const names = typeNames();
  const kinds = names.filter((name) => schemaOf(name).hasTypeMeta);
  const clusterScoped = rows.filter(({ namespaced }) => !namespaced).map(({ type }) => type);
  return [HEAD, ...names.map((name) => printType(schemaOf(name))), printKinds(kinds), printClusterScoped(clusterScoped)].join('\n');
}

const printClusterScoped = (names: readonly string[]): string =>
  `/** Those with cluster-scoped objects. */\nexport type ClusterScopedTypes =\n${[...new Set(names)]
    .sort()
    .map((name) => `  | '${name}'`)
    .join('\n')};\n`;

const printKinds = (names: readonly string[]): string =>
  `/** Those that are objects of a kind, by the type's name in the tables. */\nexport interface ObjectTypes {\n${names.map((name) => `  '${name}': ${aliasOf(name)};\n`).join('')}}\n`;

/** Every member is optional, because rules also see incomplete objects. */
function printType({ name, hasTypeMeta, fields }: TypeSchema): string {
  const typeMeta = hasTypeMeta ? ['  apiVersion?: string;\n', '  kind?: string;\n'] : [];
  const members = fields.map((field) => `  ${memberName(field.name)}?: ${printMember(field)};\n`);
  if (members.length + typeMeta.length === 0) return `export type ${aliasOf(name)} = Record<string, never>;\n`;
  return `export type ${aliasOf(name)} = {\n${[...typeMeta, ...members].join('')}};\n`;
}

const memberName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`);

/** A member may be null only where the decoder stores null. */
function printMember({ type, presence }: FieldSchema): string {
  const isNullable = presence === 'null' || (presence === 'always' && isNullAtZero(type));
  return isNullable ? orNull(printValue(type)) : printValue(type);
}

/** Whether the decoder stores null for a missing value. */
const isNullAtZero = (type: FieldType): boolean => type.kind !== 'object' && zeroValueOf(type)() === null;

const orNull = (type: string): string => (type === 'JsonValue' ? type : `${type} | null`);

/** The second of the two types that a field may have (EitherType), by its name in the tables. */
const ALTERNATIVES = {
  bool: () => 'boolean',
  list: (object: string) => `${object}[]`,
  strings: () => 'string[]',
} as const;

function printValue(type: FieldType): string {
  switch (type.kind) {
    case 'scalar':
      return SCALARS[type.scalar];
    case 'object':
      return aliasOf(type.type);
    case 'either':
      return `${aliasOf(type.object)} | ${ALTERNATIVES[type.or](aliasOf(type.object))}`;
    case 'list':
      return listOf(printItem(type.element));
    case 'map':
      return `Record<string, ${printItem(type.element)}>`;
  }
}

const printItem = (element: FieldType): string => (isNullAtZero(element) ? orNull(printValue(element)) : printValue(element));

const listOf = (item: string): string => (item.includes(' ') ? `(${item})[]` : `${item}[]`);
