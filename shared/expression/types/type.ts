/**
 * Static types of CEL, how messages print them, and the signatures of functions. For cost estimates, types that are derived
 * from a schema have the maximum sizes of their values.
 */

/** A type that may state the maximum size of its values. */
interface Sized {
  /** Elements, characters or bytes, by the schema or by the size of a request. Absent when the size is not known. */
  readonly max?: number | undefined;
}

const SIMPLE_KINDS = ['bool', 'int', 'uint', 'double', 'null', 'timestamp', 'duration', 'dyn', 'error'] as const;

/** A type without parameters. `error` is the type of a part of an expression that does not compile. */
export interface SimpleType extends Sized {
  readonly kind: (typeof SIMPLE_KINDS)[number];
}
/** A type of values with a length. */
export interface TextType extends Sized {
  readonly kind: 'string' | 'bytes';
}
/** The types for which protobuf has wrappers, such as Int64Value. */
export type PrimitiveType = TextType | (SimpleType & { readonly kind: 'bool' | 'int' | 'uint' | 'double' });
/** A list, in which every element is of the type `item`. */
export interface ListType extends Sized {
  readonly kind: 'list';
  readonly item: Type;
}
/** A map, in which every key is of the type `key` and every value of the type `value`. */
export interface MapType extends Sized {
  readonly kind: 'map';
  readonly key: Type;
  readonly value: Type;
}
/** `optional_type(inner)` of the optional library. */
export interface OptionalType {
  readonly kind: 'optional';
  readonly inner: Type;
}
/** The type of an expression that denotes a type: `int` is of the type `type(int)`. */
export interface TypeType {
  readonly kind: 'type';
  readonly inner: Type;
}
/** A type of a library (`net.IP`), identified by its name. */
export interface OpaqueType {
  readonly kind: 'opaque';
  readonly name: string;
}
/** An object with declared fields. */
export interface ObjectType extends Sized {
  readonly kind: 'object';
  readonly name: string;
  /** By the field name in expressions. */
  readonly fields: ReadonlyMap<string, Type>;
}
/** The value of a protobuf wrapper, or null. */
export interface WrapperType {
  readonly kind: 'wrapper';
  readonly inner: PrimitiveType;
}
/** A type parameter, such as `A` in `list(A)`. */
export interface ParamType {
  readonly kind: 'param';
  readonly name: string;
}

/** A static type of an expression. */
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
export const listTypeOf = (item: Type): Type => ({ kind: 'list', item });
export const mapTypeOf = (key: Type, value: Type): Type => ({ kind: 'map', key, value });
export const optionalTypeOf = (inner: Type): Type => ({ kind: 'optional', inner });
export const wrapperTypeOf = (inner: PrimitiveType): Type => ({ kind: 'wrapper', inner });
/** The wrapped type; returns other types unchanged. */
export const unwrapType = (type: Type): Type => (type.kind === 'wrapper' ? type.inner : type);
export const typeTypeOf = (inner: Type): Type => ({ kind: 'type', inner });

/** A type as messages print it. */
export function printType(type: Type): string {
  switch (type.kind) {
    case 'list':
      return `list(${printType(type.item)})`;
    case 'map':
      return `map(${printType(type.key)}, ${printType(type.value)})`;
    case 'optional':
      return `optional_type(${printType(type.inner)})`;
    case 'type':
      return type.inner.kind === 'dyn' ? 'type' : `type(${printType(type.inner)})`;
    case 'wrapper':
      return `wrapper(${printType(type.inner)})`;
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

/** The types that expressions can name, by name. */
export const NAMED_TYPES: ReadonlyMap<string, Type> = new Map<string, Type>([
  ['bool', BOOL],
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['string', STRING],
  ['bytes', BYTES],
  ['null_type', NULL],
  ['list', listTypeOf(DYN)],
  ['map', mapTypeOf(DYN, DYN)],
  ['type', typeTypeOf(DYN)],
  ['optional_type', optionalTypeOf(DYN)],
  ['google.protobuf.Timestamp', TIMESTAMP],
  ['google.protobuf.Duration', DURATION],
  ...['net.IP', 'net.CIDR'].map((name): [string, Type] => [name, { kind: 'opaque', name }]),
]);

/** The signature of an overload. */
export interface Signature {
  /** With its namespace: `sets.contains`. */
  readonly name: string;
  /** Whether it is called on a receiver: `x.f()`. */
  readonly isMethod: boolean;
  /** The receiver of a method first. */
  readonly params: readonly Type[];
  readonly result: Type;
}

/** Matches `list` of `list(A)`. */
const TYPE_NAME = /^[\w.]+/;
/** Matches `A`. */
const TYPE_PARAMETER = /^[A-Z]$/;

/**
 * Parses the signature of a function (`max(int, int): int`) or of a method (`list(A).contains(A): bool`). A single capital
 * letter is a type parameter. The text is trusted to have this form.
 */
export function parseSignature(text: string): Signature {
  const reader = new SignatureParser(text);
  return reader.parseSignature();
}

class SignatureParser {
  private position = 0;

  constructor(private readonly text: string) {}

  parseSignature(): Signature {
    const open = this.openOfArguments();
    const prefix = this.text.slice(0, open);
    const dot = lastDotOutsideParentheses(prefix);
    const receiver = dot === -1 ? undefined : new SignatureParser(prefix.slice(0, dot)).parseType();
    const isMethod = receiver !== undefined && !NAMESPACES.has(prefix.slice(0, dot));
    this.position = open + 1;
    const params = this.parseTypes(')');
    this.skip(': ');
    const result = this.parseType();
    return isMethod && receiver !== undefined
      ? { name: prefix.slice(dot + 1), isMethod, params: [receiver, ...params], result }
      : { name: prefix, isMethod, params, result };
  }

  /** The position of the opening parenthesis of the arguments: the one that matches the `)` before the colon. */
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

  /** Moves past the text if it is next. */
  private skip(text: string): void {
    if (this.text.startsWith(text, this.position)) this.position += text.length;
  }

  private parseTypes(end: string): Type[] {
    const types: Type[] = [];
    while (this.position < this.text.length && this.text[this.position] !== end) {
      types.push(this.parseType());
      this.skip(', ');
    }
    this.skip(end);
    return types;
  }

  private parseType(): Type {
    const name = TYPE_NAME.exec(this.text.slice(this.position))?.[0] ?? '';
    this.position += name.length;
    const args = this.text[this.position] === '(' ? this.parseArguments() : [];
    const [first = DYN, second = DYN] = args;
    if (name === 'list') return listTypeOf(first);
    if (name === 'map') return mapTypeOf(first, second);
    if (name === 'optional') return optionalTypeOf(first);
    if (name === 'type') return typeTypeOf(first);
    if (TYPE_PARAMETER.test(name)) return { kind: 'param', name };
    const simple = SIMPLE_KINDS.find((kind) => kind === name);
    return simple === undefined ? (NAMED_TYPES.get(name) ?? { kind: 'opaque', name }) : { kind: simple };
  }

  private parseArguments(): Type[] {
    this.position += 1;
    return this.parseTypes(')');
  }
}

/** Namespaces of functions: `sets.contains` is a function with a qualified name, not a method of a type `sets`. */
const NAMESPACES: ReadonlySet<string> = new Set(['ip', 'sets', 'strings', 'optional', 'cidr']);

/** The position of the dot before the name of a method; -1 without one. Dots in type arguments do not count. */
function lastDotOutsideParentheses(text: string): number {
  let depth = 0;
  for (let index = text.length - 1; index >= 0; index -= 1) {
    if (text[index] === ')') depth += 1;
    else if (text[index] === '(') depth -= 1;
    else if (text[index] === '.' && depth === 0) return index;
  }
  return -1;
}
