/**
 * Assignability of types and unification of type parameters, as upstream's checker defines them. Checking whether a type
 * is assignable to another binds type parameters in a {@link Substitution}; a failed attempt undoes its bindings.
 */
import { DYN, unwrapType, type Signature, type Type } from './type';

/** The types that type parameters are bound to. A parameter may be bound to another parameter. */
export class Substitution {
  private readonly types = new Map<string, Type>();
  /** Replaced bindings, in order; `undefined` for a parameter that was not bound. */
  private readonly undoLog: { readonly name: string; readonly previous: Type | undefined }[] = [];

  get(name: string): Type | undefined {
    return this.types.get(name);
  }

  set(name: string, type: Type): void {
    this.undoLog.push({ name, previous: this.types.get(name) });
    this.types.set(name, type);
  }

  /** Calls the function and returns its result. When that is false, undoes the bindings that the function made. */
  attempt(succeeds: () => boolean): boolean {
    const before = this.undoLog.length;
    if (succeeds()) return true;
    for (const { name, previous } of this.undoLog.splice(before).reverse()) {
      if (previous === undefined) this.types.delete(name);
      else this.types.set(name, previous);
    }
    return false;
  }
}

/** Follows the bindings of a type parameter to its type, or to an unbound parameter; returns other types unchanged. */
export function resolveParam(type: Type, substitution: Substitution): Type {
  let resolved = type;
  while (resolved.kind === 'param') {
    const next = substitution.get(resolved.name);
    if (next === undefined) return resolved;
    resolved = next;
  }
  return resolved;
}

/** The type with all bindings applied; unbound parameters stay, or become `dyn`. */
export function substitute(type: Type, substitution: Substitution, unbound: 'keep' | 'dyn'): Type {
  const resolved = resolveParam(type, substitution);
  switch (resolved.kind) {
    case 'param':
      return unbound === 'keep' ? resolved : DYN;
    case 'list':
      return { ...resolved, item: substitute(resolved.item, substitution, unbound) };
    case 'map':
      return {
        ...resolved,
        key: substitute(resolved.key, substitution, unbound),
        value: substitute(resolved.value, substitution, unbound),
      };
    case 'optional':
    case 'type':
      return { kind: resolved.kind, inner: substitute(resolved.inner, substitution, unbound) };
    default:
      return resolved;
  }
}

/** The parameters and the result of a signature, with a fresh type parameter in place of each of its own. */
export function instantiateSignature(
  { params, result }: Signature,
  freshParam: () => Type,
): { readonly params: readonly Type[]; readonly result: Type } {
  const instances = new Map<string, Type>();
  const instantiate = (type: Type): Type => {
    switch (type.kind) {
      case 'param': {
        const instance = instances.get(type.name) ?? freshParam();
        instances.set(type.name, instance);
        return instance;
      }
      case 'list':
        return { ...type, item: instantiate(type.item) };
      case 'map':
        return { ...type, key: instantiate(type.key), value: instantiate(type.value) };
      case 'optional':
      case 'type':
        return { kind: type.kind, inner: instantiate(type.inner) };
      default:
        return type;
    }
  };
  return { params: params.map(instantiate), result: instantiate(result) };
}

/** Whether the parameter `name` is part of the type. */
function occursIn(name: string, type: Type, substitution: Substitution): boolean {
  const resolved = resolveParam(type, substitution);
  switch (resolved.kind) {
    case 'param':
      return resolved.name === name;
    case 'list':
      return occursIn(name, resolved.item, substitution);
    case 'map':
      return occursIn(name, resolved.key, substitution) || occursIn(name, resolved.value, substitution);
    case 'optional':
    case 'type':
      return occursIn(name, resolved.inner, substitution);
    default:
      return false;
  }
}

/** The kinds of types to which null is assignable. */
const NULLABLE: ReadonlySet<Type['kind']> = new Set<Type['kind']>([
  'object',
  'opaque',
  'optional',
  'timestamp',
  'duration',
  'null',
  'wrapper',
]);

/** Whether `from` is assignable to `to`; if so, adds the implied bindings to `substitution`. */
export function unifyAssignable(from: Type, to: Type, substitution: Substitution): boolean {
  return substitution.attempt(() => assign(from, to, substitution));
}

/**
 * Whether each type of `from` is assignable to the type of `to` at the same position; if so, adds the implied bindings to
 * `substitution`.
 */
export function unifyAllAssignable(from: readonly Type[], to: readonly Type[], substitution: Substitution): boolean {
  if (from.length !== to.length) return false;
  return substitution.attempt(() => from.every((type, index) => assign(type, to[index] ?? DYN, substitution)));
}

function assign(from: Type, to: Type, substitution: Substitution): boolean {
  if (to.kind === 'param') return bindParam(to.name, from, substitution, 'to');
  if (from.kind === 'param') return bindParam(from.name, to, substitution, 'from');
  if (isDynOrError(from) || isDynOrError(to)) return true;
  if (from.kind === 'null') return NULLABLE.has(to.kind);
  // A wrapper type and its wrapped type are assignable to each other.
  if (from.kind === 'wrapper' || to.kind === 'wrapper') return unwrapType(from).kind === unwrapType(to).kind;
  switch (from.kind) {
    case 'list':
      return to.kind === 'list' && assign(from.item, to.item, substitution);
    case 'map':
      return to.kind === 'map' && assign(from.key, to.key, substitution) && assign(from.value, to.value, substitution);
    case 'optional':
      return to.kind === 'optional' && assign(from.inner, to.inner, substitution);
    case 'type':
      return to.kind === 'type';
    case 'object':
      return to.kind === 'object' && from.name === to.name;
    case 'opaque':
      return to.kind === 'opaque' && from.name === to.name;
    default:
      return from.kind === to.kind;
  }
}

const isDynOrError = (type: Type): boolean => type.kind === 'dyn' || type.kind === 'error';

/**
 * Whether `type` is assignable to the parameter `name` (`side` is `to`), or the parameter to `type` (`side` is `from`). If
 * so, the parameter is bound to the more general of `type` and the type that it is bound to already.
 */
function bindParam(name: string, type: Type, substitution: Substitution, side: 'from' | 'to'): boolean {
  const resolved = resolveParam(type, substitution);
  if (resolved.kind === 'param' && resolved.name === name) return true;
  const bound = substitution.get(name);
  if (bound === undefined) {
    if (occursIn(name, resolved, substitution)) return false;
    substitution.set(name, resolved);
    return true;
  }
  const [source, target] = side === 'to' ? [type, bound] : [bound, type];
  // A target that is null may be rebound to any nullable type.
  const isTargetNull = (): boolean => resolveParam(target, substitution).kind === 'null';
  if (!assign(source, target, substitution) && !(isTargetNull() && assign(target, source, substitution))) return false;
  const root = resolveParam(bound, substitution);
  if (root.kind !== 'param') setRoot(name, moreGeneralType(root, resolved), substitution);
  return true;
}

/** Binds the last parameter of the chain of parameters that begins with `name`. */
function setRoot(name: string, type: Type, substitution: Substitution): void {
  let last = name;
  for (let next = substitution.get(last); next?.kind === 'param'; next = substitution.get(last)) last = next.name;
  substitution.set(last, type);
}

/** The more general of two types of which one is assignable to the other. `dyn` is the most general type. */
export function moreGeneralType(a: Type, b: Type): Type {
  if (isDynOrError(a)) return a;
  if (isDynOrError(b)) return b;
  if (a.kind === 'null') return b.kind === 'wrapper' ? a : b;
  if (a.kind === 'list' && b.kind === 'list') return { ...a, item: moreGeneralType(a.item, b.item) };
  if (a.kind === 'map' && b.kind === 'map') return { ...a, key: moreGeneralType(a.key, b.key), value: moreGeneralType(a.value, b.value) };
  if (a.kind === 'optional' && b.kind === 'optional') return { kind: 'optional', inner: moreGeneralType(a.inner, b.inner) };
  return a.kind === 'param' ? b : a;
}

/** Whether two types are equal, ignoring sizes and wrappers. */
export function isSameType(given: Type, other: Type): boolean {
  const a = unwrapType(given);
  const b = unwrapType(other);
  if (a.kind !== b.kind) return false;
  if (a.kind === 'list' && b.kind === 'list') return isSameType(a.item, b.item);
  if (a.kind === 'map' && b.kind === 'map') return isSameType(a.key, b.key) && isSameType(a.value, b.value);
  if (a.kind === 'optional' && b.kind === 'optional') return isSameType(a.inner, b.inner);
  if (a.kind === 'type' && b.kind === 'type') return isSameType(a.inner, b.inner);
  const nameOf = (type: Type): string => (type.kind === 'object' || type.kind === 'opaque' || type.kind === 'param' ? type.name : '');
  return nameOf(a) === nameOf(b);
}
