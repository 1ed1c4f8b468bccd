/**
 * Turns what the installed packages state about the API types (go-types.ts, required.ts) into the rows of
 * shared/api/types/generated/types.json: for each type a list of rows, one per field, in upstream's order.
 */
import { appendAll } from '../../../values/append';
import { typeNameOf } from './packages';
import type { GoMember, GoType, GoTypes } from './go-types';
import handKept from './hand-kept.json';
import type { RequiredMembers } from './required';

/**
 * By type, a row for each field, in this grammar, which shared/api/types/tables.ts reads:
 * `<protobuf number> <field> <type> <presence> [required] [go=<name>] [patch=<strategy>[:<merge key>]]`.
 * - The number is 0 for a field that is not part of the protobuf message.
 * - The type is a scalar or a type of the tables, `[]<type>` for a list, `map:<type>` for a map with string keys.
 * - The presence is one of `Presence` (types.ts), or `inline` for an embedded struct, which has `-` as its field.
 * - For the name after `go=` see {@link namedType}.
 */
export type TypeRows = Record<string, string[]>;

/**
 * Rows of types that none of the installed programs contains: written by hand and compared with the reference server's
 * responses in JSON and protobuf.
 */
const HAND_KEPT: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(handKept));

/** Types with a custom JSON form, by Go package and name. */
const SCALAR_BY_GO_TYPE: Record<string, string> = {
  'k8s.io/apimachinery/pkg/apis/meta/v1.Time': 'time',
  'k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime': 'microTime',
  'k8s.io/apimachinery/pkg/apis/meta/v1.Duration': 'duration',
  'k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1': 'fields',
  'k8s.io/apimachinery/pkg/api/resource.Quantity': 'quantity',
  'k8s.io/apimachinery/pkg/util/intstr.IntOrString': 'intOrString',
  'k8s.io/apimachinery/pkg/runtime.RawExtension': 'raw',
  'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON': 'json',
};

/**
 * Types that are an object or another value. They get no rows, because shared/api/types/tables.ts knows them by name. The
 * objects in them are of types that are referenced elsewhere.
 */
const EITHER_TYPES = ['Bool', 'Array', 'StringArray'].map((other) => `apiextensions.v1.JSONSchemaPropsOr${other}`);

/**
 * The rows of the roots, of their list types and of every type that these refer to, and the hand-kept rows; types
 * sorted by name.
 */
export function buildTables(types: GoTypes, required: RequiredMembers, roots: readonly string[]): TypeRows {
  const byName = new Map<string, GoType & { kind: 'struct' }>();
  for (const type of types.values()) {
    const name = typeNameOf(type.package, type.name);
    if (name !== undefined) byName.set(name, type);
  }
  const rows = new Map<string, string[]>();
  for (const [name, typeRows] of HAND_KEPT) rows.set(name, [...typeRows]);
  const queue = roots.flatMap((root) => (byName.has(`${root}List`) ? [root, `${root}List`] : [root]));
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (rows.has(name)) continue;
    const type = byName.get(name);
    if (type === undefined) throw new Error(`type ${name} is not in the program`);
    const builder = new RowBuilder(required.get(name) ?? new Set());
    // The required fields of an inline struct are published with the type that embeds it.
    for (const inlined of type.members().flatMap(inlineType))
      required.set(inlined, new Set([...(required.get(inlined) ?? []), ...(required.get(name) ?? [])]));
    rows.set(
      name,
      type.members().flatMap((member) => builder.row(member)),
    );
    appendAll(queue, builder.references);
  }
  return Object.fromEntries([...rows].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The type of an inline struct in a list; empty for any other member. */
function inlineType(member: GoMember): string[] {
  if (!member.embedded || member.type.kind !== 'struct' || !member.tag.includes('json:",inline"')) return [];
  const name = typeNameOf(member.type.package, member.type.name);
  return name === undefined ? [] : [name];
}

/** Builds the rows of one type. */
class RowBuilder {
  /** The types that the rows refer to. */
  readonly references = new Set<string>();

  constructor(private readonly required: ReadonlySet<string>) {}

  /** The row of a member in a list; empty for a member that JSON omits. */
  row(member: GoMember): string[] {
    const tags = parseTags(member.tag);
    const [json = '', ...options] = (tags.get('json') ?? '').split(',');
    if (json === '-' || !tags.has('json')) return [];
    // The protobuf tag begins with the wire type and the number: `bytes,1,opt,name=name`.
    const number = /^\w+,(\d+)/.exec(tags.get('protobuf') ?? '')?.[1] ?? '0';
    const isPointer = member.type.kind === 'pointer';
    const type = member.type.kind === 'pointer' ? member.type.to() : member.type;
    const isInline = member.embedded && json === '';
    const cells = [
      number,
      isInline ? '-' : json,
      this.type(type),
      isInline ? 'inline' : presenceOf(type, { isPointer, omitsEmpty: options.includes('omitempty') }),
    ];
    if (this.required.has(json)) cells.push('required');
    const goName = namedType(type);
    if (goName !== '') cells.push(`go=${goName}`);
    const strategy = tags.get('patchStrategy');
    const key = tags.get('patchMergeKey');
    if (strategy !== undefined) cells.push(`patch=${strategy}${key === undefined ? '' : `:${key}`}`);
    return [cells.join(' ')];
  }

  private type(type: GoType): string {
    switch (type.kind) {
      case 'basic':
        return type.scalar === 'int' ? 'int64' : type.scalar;
      case 'pointer':
        return this.type(type.to());
      case 'list': {
        const element = type.element();
        if (element.kind === 'basic' && element.scalar === 'uint8') return 'bytes';
        return type.name !== '' && element.kind === 'basic' && element.scalar === 'string' ? 'strings' : `[]${this.type(element)}`;
      }
      case 'map':
        return `map:${this.type(type.element())}`;
      case 'struct': {
        const special = SCALAR_BY_GO_TYPE[`${type.package}.${type.name}`];
        if (special !== undefined) return special;
        const name = typeNameOf(type.package, type.name);
        if (name === undefined) throw new Error(`no name for ${type.package}.${type.name}`);
        if (!EITHER_TYPES.includes(name)) this.references.add(name);
        return name;
      }
      case 'other':
        throw new Error(`a member of type ${type.name} has no JSON form`);
    }
  }
}

/** The presence of a row; types.ts defines the values. */
function presenceOf(type: GoType, { isPointer, omitsEmpty }: { readonly isPointer: boolean; readonly omitsEmpty: boolean }): string {
  if (isPointer) return omitsEmpty ? 'pointer' : 'null';
  return omitsEmpty && type.kind !== 'struct' ? 'omit' : 'always';
}

/**
 * The Go name of a named scalar, list or map in error messages (`v1.ServiceType`); the name of an element or value type
 * in brackets. Empty for unnamed types.
 */
function namedType(type: GoType): string {
  switch (type.kind) {
    case 'basic':
      return type.name === '' || type.package === '' ? '' : qualified(type.package, type.name);
    case 'list':
    case 'map': {
      const elementName = namedType(type.element());
      const typeName = type.name === '' ? '' : qualified(type.package, type.name);
      return typeName !== '' || elementName === '' ? typeName : `[${elementName}]`;
    }
    default:
      return '';
  }
}

/** `k8s.io/api/core/v1` and `ServiceType` → `v1.ServiceType`. */
function qualified(packagePath: string, name: string): string {
  return `${packagePath.slice(packagePath.lastIndexOf('/') + 1)}.${name}`;
}

/** The tags of a member by name: `json:"name,omitempty" patchStrategy:"merge"`. */
function parseTags(tag: string): Map<string, string> {
  return new Map([...tag.matchAll(/(?<!\w)(\w+):"([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]));
}

/** The text of the file: one type after another, one row per line. */
export function printTables(rows: TypeRows): string {
  const types = Object.entries(rows).map(([name, members]) => {
    const lines = members.map((row) => `    ${JSON.stringify(row)}`).join(',\n');
    return members.length === 0 ? `  ${JSON.stringify(name)}: []` : `  ${JSON.stringify(name)}: [\n${lines}\n  ]`;
  });
  return `{\n${types.join(',\n')}\n}\n`;
}
