/**
 * Turns what the packages say into the rows of shared/api/types/generated/types.json: for each type a list of rows, one per member, in upstream's order.
 *
 *   "<protobuf number> <member> <type> <presence> [required] [go=<name>] [patch=<strategy>[:<merge key>]]"
 *
 * The grammar is read by shared/api/types/tables.ts. Number 0 = not part of the protobuf message.
 */
import { appendAll } from '../../../values/append';
import { typeNameOf } from './packages';
import type { GoMember, GoType, GoTypes } from './go-types';
import handKept from './hand-kept.json';
import type { RequiredMembers } from './required';

export type TypeRows = Record<string, string[]>;

/** Rows of types that none of the installed programs holds: written by hand, checked against the reference server's answers, JSON and protobuf. */
const HAND_KEPT: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(handKept));

/** Types whose JSON form their fields do not tell, by Go package and name. */
const SPECIAL: Record<string, string> = {
  'k8s.io/apimachinery/pkg/apis/meta/v1.Time': 'time',
  'k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime': 'microTime',
  'k8s.io/apimachinery/pkg/apis/meta/v1.Duration': 'duration',
  'k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1': 'fields',
  'k8s.io/apimachinery/pkg/api/resource.Quantity': 'quantity',
  'k8s.io/apimachinery/pkg/util/intstr.IntOrString': 'intOrString',
  'k8s.io/apimachinery/pkg/runtime.RawExtension': 'raw',
  'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON': 'json',
};

/** Types that are an object or something else: the tables know them by their names. What they hold is referred to elsewhere. */
const EITHERS = ['Bool', 'Array', 'StringArray'].map((other) => `apiextensions.v1.JSONSchemaPropsOr${other}`);

/** The rows of the roots, of their list types and of everything they refer to, and the hand-kept ones; types sorted by name. */
export function buildTables(types: GoTypes, required: RequiredMembers, roots: readonly string[]): TypeRows {
  const byName = new Map<string, GoType & { kind: 'struct' }>();
  for (const type of types.values()) {
    const name = typeNameOf(type.package, type.name);
    if (name !== undefined) byName.set(name, type);
  }
  const rows = new Map<string, string[]>();
  for (const [name, kept] of HAND_KEPT) rows.set(name, [...kept]);
  const waiting = roots.flatMap((root) => (byName.has(`${root}List`) ? [root, `${root}List`] : [root]));
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (rows.has(name)) continue;
    const type = byName.get(name);
    if (type === undefined) throw new Error(`type ${name} is not in the program`);
    const builder = new RowBuilder(required.get(name) ?? new Set());
    // What is published of an inline struct stands at the type that embeds it.
    for (const inlined of type.members().flatMap(inlineType))
      required.set(inlined, new Set([...(required.get(inlined) ?? []), ...(required.get(name) ?? [])]));
    rows.set(
      name,
      type.members().flatMap((member) => builder.row(member)),
    );
    appendAll(waiting, builder.references);
  }
  return Object.fromEntries([...rows].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function inlineType(member: GoMember): string[] {
  if (!member.embedded || member.type.kind !== 'struct' || !member.tag.includes('json:",inline"')) return [];
  const name = typeNameOf(member.type.package, member.type.name);
  return name === undefined ? [] : [name];
}

class RowBuilder {
  readonly references = new Set<string>();

  constructor(private readonly required: ReadonlySet<string>) {}

  row(member: GoMember): string[] {
    const tags = parseTags(member.tag);
    const [json = '', ...options] = (tags.get('json') ?? '').split(',');
    if (json === '-' || !tags.has('json')) return [];
    const number = /^\w+,(\d+)/.exec(tags.get('protobuf') ?? '')?.[1] ?? '0';
    const isPointer = member.type.kind === 'pointer';
    const type = member.type.kind === 'pointer' ? member.type.to() : member.type;
    const isInline = member.embedded && json === '';
    const cells = [
      number,
      isInline ? '-' : json,
      this.type(type),
      isInline ? 'inline' : presence(type, isPointer, options.includes('omitempty')),
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
        const of = type.of();
        if (of.kind === 'basic' && of.scalar === 'uint8') return 'bytes';
        return type.name !== '' && of.kind === 'basic' && of.scalar === 'string' ? 'strings' : `[]${this.type(of)}`;
      }
      case 'map':
        return `map:${this.type(type.of())}`;
      case 'struct': {
        const special = SPECIAL[`${type.package}.${type.name}`];
        if (special !== undefined) return special;
        const name = typeNameOf(type.package, type.name);
        if (name === undefined) throw new Error(`no name for ${type.package}.${type.name}`);
        if (!EITHERS.includes(name)) this.references.add(name);
        return name;
      }
      case 'other':
        throw new Error(`a member of type ${type.name} has no JSON form`);
    }
  }
}

/**
 * When JSON output has the member: `omit` = unless zero or empty, `pointer` = when set, `always` = even when unset (its zero value),
 * `null` = even when unset, then null.
 */
function presence(type: GoType, isPointer: boolean, omitEmpty: boolean): string {
  if (isPointer) return omitEmpty ? 'pointer' : 'null';
  return omitEmpty && type.kind !== 'struct' ? 'omit' : 'always';
}

/** What messages call a named scalar, list or map (`v1.ServiceType`); an element's or a value's name in brackets. Empty for unnamed types. */
function namedType(type: GoType): string {
  switch (type.kind) {
    case 'basic':
      return type.name === '' || type.package === '' ? '' : qualified(type.package, type.name);
    case 'list':
    case 'map': {
      const of = namedType(type.of());
      const own = type.name === '' ? '' : qualified(type.package, type.name);
      return own !== '' || of === '' ? own : `[${of}]`;
    }
    default:
      return '';
  }
}

function qualified(packagePath: string, name: string): string {
  return `${packagePath.slice(packagePath.lastIndexOf('/') + 1)}.${name}`;
}

function parseTags(tag: string): Map<string, string> {
  return new Map([...tag.matchAll(/(?<!\w)(\w+):"([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]));
}

/** The file's text: one type after the other, one row per line. */
export function printTables(rows: TypeRows): string {
  const types = Object.entries(rows).map(([name, members]) => {
    const lines = members.map((row) => `    ${JSON.stringify(row)}`).join(',\n');
    return members.length === 0 ? `  ${JSON.stringify(name)}: []` : `  ${JSON.stringify(name)}: [\n${lines}\n  ]`;
  });
  return `{\n${types.join(',\n')}\n}\n`;
}
