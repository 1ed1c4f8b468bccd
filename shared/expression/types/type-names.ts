/** The names of types as values, which `type(x) == int` compares. printType prints types in messages. */
import { unwrapType, type Type } from './type';

/** The kinds of types that have another name as values. */
const NAMES: Readonly<Partial<Record<Type['kind'], string>>> = {
  null: 'null_type',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  optional: 'optional_type',
};

/** The name of a type; wrapper types have the name of the type that they wrap. */
export function typeNameOf(given: Type): string {
  const type = unwrapType(given);
  return type.kind === 'opaque' || type.kind === 'object' ? type.name : (NAMES[type.kind] ?? type.kind);
}
