/**
 * Which type may stand where another is expected, and what that says of types still to be found out.
 */
import { DYN, unwrapped, type Type } from './type';

/** What the types that were to be found out turned out to be; what an attempt learned is forgotten when it fails. */
export class Substitution {
  private readonly types = new Map<string, Type>();
  private readonly log: (readonly [string, Type | undefined])[] = [];

  get(name: string): Type | undefined {
    return this.types.get(name);
  }

  set(name: string, type: Type): void {
    this.log.push([name, this.types.get(name)]);
    this.types.set(name, type);
  }

  attempt(succeeds: () => boolean): boolean {
    const before = this.log.length;
    if (succeeds()) return true;
    while (this.log.length > before) {
      const [name, type] = this.log.pop() ?? ['', undefined];
      if (type === undefined) this.types.delete(name);
      else this.types.set(name, type);
    }
    return false;
  }
}

/** Follows what is known of a parameter; other types come back as they are. */
export function resolve(type: Type, known: Substitution): Type {
  let found = type;
  while (found.kind === 'param') {
    const next = known.get(found.name);
    if (next === undefined) return found;
    found = next;
  }
  return found;
}

/** The type with everything known put in; what is not known stays a parameter, or becomes `dyn`. */
export function substitute(type: Type, known: Substitution, unknown: 'keep' | 'dyn'): Type {
  const found = resolve(type, known);
  switch (found.kind) {
    case 'param':
      return unknown === 'keep' ? found : DYN;
    case 'list':
      return { ...found, item: substitute(found.item, known, unknown) };
    case 'map':
      return { ...found, key: substitute(found.key, known, unknown), value: substitute(found.value, known, unknown) };
    case 'optional':
    case 'type':
      return { kind: found.kind, of: substitute(found.of, known, unknown) };
    default:
      return found;
  }
}

function occurs(name: string, type: Type, known: Substitution): boolean {
  const found = resolve(type, known);
  switch (found.kind) {
    case 'param':
      return found.name === name;
    case 'list':
      return occurs(name, found.item, known);
    case 'map':
      return occurs(name, found.key, known) || occurs(name, found.value, known);
    case 'optional':
    case 'type':
      return occurs(name, found.of, known);
    default:
      return false;
  }
}

const NULLABLE: ReadonlySet<Type['kind']> = new Set<Type['kind']>([
  'object',
  'opaque',
  'optional',
  'timestamp',
  'duration',
  'null',
  'wrapper',
]);

/** Whether a value of `from` may stand where `to` is expected; what it says of parameters is put into `known` if so. */
export function isAssignable(from: Type, to: Type, known: Substitution): boolean {
  return known.attempt(() => assign(from, to, known));
}

export function areAssignable(from: readonly Type[], to: readonly Type[], known: Substitution): boolean {
  if (from.length !== to.length) return false;
  return known.attempt(() => from.every((type, index) => assign(type, to[index] ?? DYN, known)));
}

function assign(from: Type, to: Type, known: Substitution): boolean {
  if (to.kind === 'param') return bind(to.name, from, known, 'to');
  if (from.kind === 'param') return bind(from.name, to, known, 'from');
  if (isOpen(from) || isOpen(to)) return true;
  if (from.kind === 'null') return NULLABLE.has(to.kind);
  // A value may be wrapped, and what is wrapped may be used, as if it were not.
  if (from.kind === 'wrapper' || to.kind === 'wrapper') return unwrapped(from).kind === unwrapped(to).kind;
  switch (from.kind) {
    case 'list':
      return to.kind === 'list' && assign(from.item, to.item, known);
    case 'map':
      return to.kind === 'map' && assign(from.key, to.key, known) && assign(from.value, to.value, known);
    case 'optional':
      return to.kind === 'optional' && assign(from.of, to.of, known);
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

const isOpen = (type: Type): boolean => type.kind === 'dyn' || type.kind === 'error';

/** A parameter takes the more general of what it was and what it is to be. */
function bind(name: string, type: Type, known: Substitution, side: 'from' | 'to'): boolean {
  const other = resolve(type, known);
  if (other.kind === 'param' && other.name === name) return true;
  const bound = known.get(name);
  if (bound !== undefined) {
    const [source, target] = side === 'to' ? [type, bound] : [bound, type];
    // What was null may turn out to be anything that can be null.
    if (!assign(source, target, known) && !(resolve(target, known).kind === 'null' && assign(target, source, known))) return false;
    const root = resolve(bound, known);
    if (root.kind !== 'param') setRoot(name, moreGeneral(root, other), known);
    return true;
  }
  if (occurs(name, other, known)) return false;
  known.set(name, other);
  return true;
}

/** The last parameter of the chain holds the type. */
function setRoot(name: string, type: Type, known: Substitution): void {
  let last = name;
  for (let next = known.get(last); next?.kind === 'param'; next = known.get(last)) last = next.name;
  known.set(last, type);
}

export function moreGeneral(a: Type, b: Type): Type {
  if (isOpen(a)) return a;
  if (isOpen(b)) return b;
  if (a.kind === 'null') return b.kind === 'wrapper' ? a : b;
  if (a.kind === 'list' && b.kind === 'list') return { ...a, item: moreGeneral(a.item, b.item) };
  if (a.kind === 'map' && b.kind === 'map') return { ...a, key: moreGeneral(a.key, b.key), value: moreGeneral(a.value, b.value) };
  if (a.kind === 'optional' && b.kind === 'optional') return { kind: 'optional', of: moreGeneral(a.of, b.of) };
  return a.kind === 'param' ? b : a;
}

/** Whether two types are the same, whatever their sizes and whether they are wrapped. */
export function sameType(given: Type, other: Type): boolean {
  const [a, b] = [unwrapped(given), unwrapped(other)];
  if (a.kind !== b.kind) return false;
  if (a.kind === 'list' && b.kind === 'list') return sameType(a.item, b.item);
  if (a.kind === 'map' && b.kind === 'map') return sameType(a.key, b.key) && sameType(a.value, b.value);
  if (a.kind === 'optional' && b.kind === 'optional') return sameType(a.of, b.of);
  if (a.kind === 'type' && b.kind === 'type') return sameType(a.of, b.of);
  const named = (type: Type): string => (type.kind === 'object' || type.kind === 'opaque' || type.kind === 'param' ? type.name : '');
  return named(a) === named(b);
}
