/**
 * Static types of the expression language. Sizes that a schema bounds stand at the type, for the estimate of costs. Never looks at values.
 */

/** The most elements or characters of a value, where the schema bounds it (or a request's size does). */
interface Sized {
  readonly max?: number | undefined;
}

const SIMPLE = ['bool', 'int', 'uint', 'double', 'null', 'timestamp', 'duration', 'dyn', 'error'] as const;

export interface SimpleType extends Sized {
  readonly kind: (typeof SIMPLE)[number];
}
export interface TextType extends Sized {
  readonly kind: 'string' | 'bytes';
}
/** What wrappers are about. */
export type PrimitiveType = TextType | (SimpleType & { readonly kind: 'bool' | 'int' | 'uint' | 'double' });
export interface ListType extends Sized {
  readonly kind: 'list';
  readonly item: Type;
}
export interface MapType extends Sized {
  readonly kind: 'map';
  readonly key: Type;
  readonly value: Type;
}
export interface OptionalType {
  readonly kind: 'optional';
  readonly of: Type;
}
export interface TypeType {
  readonly kind: 'type';
  readonly of: Type;
}
/** A type of a library (`net.IP`), known by its name. */
export interface OpaqueType {
  readonly kind: 'opaque';
  readonly name: string;
}
export interface ObjectType extends Sized {
  readonly kind: 'object';
  readonly name: string;
  /** By the name that expressions use. */
  readonly fields: ReadonlyMap<string, Type>;
}
/** What a wrapper of protobuf wraps, or null. */
export interface WrapperType {
  readonly kind: 'wrapper';
  readonly of: PrimitiveType;
}
/** A type to be found out. */
export interface ParamType {
  readonly kind: 'param';
  readonly name: string;
}

export type Type = SimpleType | TextType | ListType | MapType | OptionalType | TypeType | OpaqueType | ObjectType | WrapperType | ParamType;

export const BOOL: PrimitiveType = { kind: 'bool' };
export const INT: PrimitiveType = { kind: 'int' };
export const UINT: PrimitiveType = { kind: 'uint' };
export const DOUBLE: PrimitiveType = { kind: 'double' };
export const STRING: PrimitiveType = { kind: 'string' };
export const BYTES: PrimitiveType = { kind: 'bytes' };
export const NULL: Type = { kind: 'null' };
export const TIMESTAMP: Type = { kind: 'timestamp' };
export const DURATION: Type = { kind: 'duration' };
export const DYN: Type = { kind: 'dyn' };
export const ERROR: Type = { kind: 'error' };
export const listOf = (item: Type): Type => ({ kind: 'list', item });
export const mapOf = (key: Type, value: Type): Type => ({ kind: 'map', key, value });
export const optionalOf = (of: Type): Type => ({ kind: 'optional', of });
export const wrapperOf = (of: PrimitiveType): Type => ({ kind: 'wrapper', of });
/** What is wrapped; other types come back as they are. */
export const unwrapped = (type: Type): Type => (type.kind === 'wrapper' ? type.of : type);
export const typeOf = (of: Type): Type => ({ kind: 'type', of });

/** A type as messages print it. */
export function printType(type: Type): string {
  switch (type.kind) {
    case 'list':
      return `list(${printType(type.item)})`;
    case 'map':
      return `map(${printType(type.key)}, ${printType(type.value)})`;
    case 'optional':
      return `optional_type(${printType(type.of)})`;
    case 'type':
      return type.of.kind === 'dyn' ? 'type' : `type(${printType(type.of)})`;
    case 'wrapper':
      return `wrapper(${printType(type.of)})`;
    case 'opaque':
    case 'object':
    case 'param':
      return type.name;
    case 'error':
      return '!error!';
    default:
      return type.kind;
  }
}

/** Names under which types can be written in an expression. */
export const NAMED_TYPES: ReadonlyMap<string, Type> = new Map<string, Type>([
  ['bool', BOOL],
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['string', STRING],
  ['bytes', BYTES],
  ['null_type', NULL],
  ['list', listOf(DYN)],
  ['map', mapOf(DYN, DYN)],
  ['type', typeOf(DYN)],
  ['optional_type', optionalOf(DYN)],
  ['google.protobuf.Timestamp', TIMESTAMP],
  ['google.protobuf.Duration', DURATION],
  ...['net.IP', 'net.CIDR'].map((name): [string, Type] => [name, { kind: 'opaque', name }]),
]);

export interface Signature {
  readonly name: string;
  /** Called on a value: the first parameter is that value. */
  readonly member: boolean;
  readonly params: readonly Type[];
  readonly result: Type;
}

/** Reads `list(A).map(string, int): B`; one capital letter is a type to be found out. */
export function readSignature(text: string): Signature {
  const reader = new SignatureReader(text);
  return reader.signature();
}

class SignatureReader {
  private at = 0;

  constructor(private readonly text: string) {}

  signature(): Signature {
    const open = this.openOfArguments();
    const head = this.text.slice(0, open);
    const dot = lastDotOutside(head);
    const receiver = dot === -1 ? undefined : new SignatureReader(head.slice(0, dot)).type();
    const isMember = receiver !== undefined && !isNamespace(head.slice(0, dot));
    this.at = open + 1;
    const params = this.types(')');
    this.skip(': ');
    const result = this.type();
    return isMember && receiver !== undefined
      ? { name: head.slice(dot + 1), member: true, params: [receiver, ...params], result }
      : { name: head, member: false, params, result };
  }

  /** The bracket that belongs to the last `)` before the colon. */
  private openOfArguments(): number {
    let depth = 0;
    for (let index = this.text.lastIndexOf('): '); index >= 0; index -= 1) {
      const character = this.text[index];
      if (character === ')') depth += 1;
      else if (character === '(') depth -= 1;
      if (depth === 0) return index;
    }
    return 0;
  }

  private skip(text: string): void {
    if (this.text.startsWith(text, this.at)) this.at += text.length;
  }

  private types(end: string): Type[] {
    const types: Type[] = [];
    while (this.at < this.text.length && this.text[this.at] !== end) {
      types.push(this.type());
      this.skip(', ');
    }
    this.skip(end);
    return types;
  }

  private type(): Type {
    const name = /^[\w.]+/.exec(this.text.slice(this.at))?.[0] ?? '';
    this.at += name.length;
    const args = this.text[this.at] === '(' ? this.arguments() : [];
    const [first = DYN, second = DYN] = args;
    if (name === 'list') return listOf(first);
    if (name === 'map') return mapOf(first, second);
    if (name === 'optional') return optionalOf(first);
    if (name === 'type') return typeOf(first);
    if (/^[A-Z]$/.test(name)) return { kind: 'param', name };
    const simple = SIMPLE.find((kind) => kind === name);
    return simple === undefined ? (NAMED_TYPES.get(name) ?? { kind: 'opaque', name }) : { kind: simple };
  }

  private arguments(): Type[] {
    this.at += 1;
    return this.types(')');
  }
}

const isNamespace = (text: string): boolean => ['ip', 'sets', 'strings', 'optional', 'cidr'].includes(text);

function lastDotOutside(text: string): number {
  let depth = 0;
  for (let index = text.length - 1; index >= 0; index -= 1) {
    if (text[index] === ')') depth += 1;
    else if (text[index] === '(') depth -= 1;
    else if (text[index] === '.' && depth === 0) return index;
  }
  return -1;
}
