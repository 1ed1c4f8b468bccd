/**
 * The JSON paths of printer columns, in the notation of kubectl: members (`.a.b`, dots escaped with a backslash, `['a']`), indexes, slices and unions of
 * lists (`[0]`, `[-1]`, `[0:2]`, `[0,2]`), everything (`[*]`, `.*`), filters (`[?(@.type=="Ready")]`) and members at any depth (`..name`). Read once,
 * evaluated in time proportional to the part of the object that it walks.
 */
import { isObject, own, sortedKeys, type JsonValue } from '../json';

/** All values at the path, in order; undefined = the path leads nowhere. */
export type JsonPath = (value: JsonValue) => readonly JsonValue[] | undefined;

/** Undefined for a text that is no such path. */
export function readJsonPath(text: string): JsonPath | undefined {
  const steps = new PathReader(text).read();
  if (steps === undefined) return undefined;
  return (value) => {
    let found: readonly JsonValue[] | undefined = [value];
    for (const step of steps) {
      found = step(found);
      if (found === undefined) return undefined;
    }
    return found;
  };
}

/** Undefined = there is nothing at all. */
type Step = (values: readonly JsonValue[]) => readonly JsonValue[] | undefined;

const NAME = /^(?:\\.|[^.[\]\\{}()'"\s])+/;
const QUOTED = /^\['((?:[^'\\]|\\.)*)'\]/;
const INDEXES = /^\[(-?\d+(?:,-?\d+)*)\]/;
const SLICE = /^\[(-?\d*):(-?\d*)(?::(\d+))?\]/;
const FILTER = /^\[\?\(\s*@((?:\.(?:\\.|[^.[\]\\{}()'"\s=<>!])+)*)\s*(?:(==|!=|<=|>=|<|>)\s*("[^"]*"|'[^']*'|[-\w.]+)\s*)?\)\]/;

class PathReader {
  private at = 0;

  constructor(private readonly text: string) {}

  read(): readonly Step[] | undefined {
    const steps: Step[] = [];
    while (this.at < this.text.length) {
      const step = this.step();
      if (step === undefined) return undefined;
      steps.push(step);
    }
    return steps;
  }

  private step(): Step | undefined {
    const wildcard = this.take(/^(?:\.\*|\[\*\])/);
    if (wildcard !== undefined) return (values) => values.flatMap(children);
    const quoted = this.take(QUOTED);
    if (quoted !== undefined) return member(unescaped(quoted[1] ?? ''));
    const indexes = this.take(INDEXES);
    if (indexes !== undefined) return indexed((indexes[1] ?? '').split(',').map(Number));
    const slice = this.take(SLICE);
    if (slice !== undefined) return sliced(bound(slice[1]), bound(slice[2]), bound(slice[3]) ?? 1);
    const filter = this.take(FILTER);
    if (filter !== undefined) return filtered(filter[1] ?? '', filter[2], filter[3]);
    if (this.take(/^\.\./) !== undefined) return this.named(anywhere);
    return this.take(/^\./) === undefined ? undefined : this.named(member);
  }

  private named(make: (name: string) => Step): Step | undefined {
    const name = this.take(NAME);
    return name === undefined ? undefined : make(unescaped(name[0]));
  }

  private take(pattern: RegExp): RegExpExecArray | undefined {
    const found = pattern.exec(this.text.slice(this.at)) ?? undefined;
    this.at += found?.[0].length ?? 0;
    return found;
  }
}

const unescaped = (text: string): string => text.replace(/\\(.)/g, '$1');
const bound = (text: string | undefined): number | undefined => (text === undefined || text === '' ? undefined : Number(text));

function children(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? sortedKeys(value).map((name) => value[name] ?? null) : [];
}

function member(name: string): Step {
  return (values) => {
    const found = values.flatMap((value) => {
      const inner = isObject(value) ? own(value, name) : undefined;
      return inner === undefined ? [] : [inner];
    });
    return found.length === 0 ? undefined : found;
  };
}

function anywhere(name: string): Step {
  const gather = (value: JsonValue, found: JsonValue[]): void => {
    const inner = isObject(value) ? own(value, name) : undefined;
    if (inner !== undefined) found.push(inner);
    for (const child of children(value)) gather(child, found);
  };
  return (values) => {
    const found: JsonValue[] = [];
    for (const value of values) gather(value, found);
    return found;
  };
}

function indexed(indexes: readonly number[]): Step {
  return (values) => {
    const found = values.flatMap((value) => {
      const list = Array.isArray(value) ? value : [];
      return indexes.flatMap((index) => {
        const item = list.at(index);
        return item === undefined ? [] : [item];
      });
    });
    return found.length === 0 ? undefined : found;
  };
}

function sliced(start: number | undefined, end: number | undefined, step: number): Step {
  return (values) =>
    values.flatMap((value) => (Array.isArray(value) ? value.slice(start, end).filter((_, index) => step > 0 && index % step === 0) : []));
}

function filtered(path: string, operator: string | undefined, literal: string | undefined): Step | undefined {
  const left = readJsonPath(path);
  if (left === undefined) return undefined;
  const right = literal === undefined ? undefined : literalOf(literal);
  const holds = (item: JsonValue): boolean => {
    const [value] = left(item) ?? [];
    if (value === undefined) return false;
    return operator === undefined || right === undefined || compares(value, operator, right);
  };
  return (values) => values.flatMap((value) => (Array.isArray(value) ? value.filter(holds) : []));
}

function literalOf(text: string): JsonValue {
  if (/^["']/.test(text)) return text.slice(1, -1);
  if (text === 'true' || text === 'false') return text === 'true';
  return Number.isNaN(Number(text)) ? text : Number(text);
}

function compares(left: JsonValue, operator: string, right: JsonValue): boolean {
  if (operator === '==' || operator === '!=') return (left === right) === (operator === '==');
  if (typeof left !== typeof right || left === null || right === null) return false;
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    default:
      return left >= right;
  }
}
