/**
 * Expands macros: calls that stand for a presence test or a comprehension (ast.ts). For example, `l.all(x, p)` becomes a
 * loop over `l` with the accumulator `true`, which each step replaces by `accumulator && p`. A call with the name of a
 * macro and another number of arguments remains a call.
 */
import type { Call, Comprehension, Expr, MacroLoop } from './ast';
import { ACCUMULATOR, CONDITIONAL, NOT, NOT_STRICTLY_FALSE, OPERATORS } from './operators';
import type { Issue } from './issues';

/** Returns the expansion of a call; the call itself when its arguments are invalid, which is reported to `issues`. */
type Expand = (call: Call, args: readonly Expr[], issues: Issue[]) => Expr;

/** A macro is identified by its name, its number of arguments, and whether it is called on a target. */
interface Macro {
  readonly name: string;
  readonly argCount: number;
  readonly isMethod: boolean;
  readonly expand: Expand;
}

/** The name of a loop variable that no expression can contain. */
const UNUSED = '#unused';

const makeCall = (at: number, name: string, ...args: readonly Expr[]): Expr => ({ kind: 'call', at, name, target: undefined, args });
const makeMethodCall = (at: number, target: Expr, name: string): Expr => ({ kind: 'call', at, name, target, args: [] });
const makeList = (at: number, items: readonly Expr[]): Expr => ({ kind: 'list', at, items, optionalIndexes: new Set() });
const accumulatorRef = (at: number): Expr => ({ kind: 'ident', at, name: ACCUMULATOR });
const makeLiteral = (at: number, value: boolean | bigint): Expr => ({ kind: 'literal', at, value });

/** The parts of a comprehension that depend on the macro. */
interface LoopParts {
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
  readonly loop: MacroLoop;
}

/** Macros for which upstream has another message about an invalid iteration variable. */
const COLLECTING: ReadonlySet<MacroLoop['macro']> = new Set(['map', 'filter']);

/**
 * A comprehension over the target of the call, with the first argument as iteration variable. Reports an error when the
 * argument is not a simple name.
 */
function makeLoop(source: Call, variable: Expr | undefined, { loop, ...parts }: LoopParts, issues: Issue[]): Expr {
  if (variable?.kind !== 'ident' || variable.name.startsWith('.') || source.target === undefined) {
    issues.push({
      at: variable?.at ?? source.at,
      message: COLLECTING.has(loop.macro) ? 'argument is not an identifier' : 'argument must be a simple name',
    });
    return source;
  }
  if (variable.name === ACCUMULATOR) {
    issues.push({ at: variable.at, message: 'iteration variable overwrites accumulator variable' });
    return source;
  }
  const comprehension: Comprehension = {
    kind: 'comprehension',
    at: source.at,
    variable: variable.name,
    range: source.target,
    accumulator: ACCUMULATOR,
    ...parts,
    loop,
  };
  return comprehension;
}

const expandHas: Expand = (source, [operand], issues) => {
  if (operand?.kind === 'select') return { ...operand, at: source.at, testOnly: true };
  issues.push({ at: operand?.at ?? source.at, message: 'invalid argument to has() macro' });
  return source;
};

const expandAll: Expand = (source, [variable, body], issues) => {
  const { at } = source;
  if (body === undefined) return source;
  const parts = {
    init: makeLiteral(at, true),
    condition: makeCall(at, NOT_STRICTLY_FALSE, accumulatorRef(at)),
    step: makeCall(at, OPERATORS['&&'], accumulatorRef(at), body),
    result: accumulatorRef(at),
    loop: { macro: 'all', body, filter: undefined },
  } as const;
  return makeLoop(source, variable, parts, issues);
};

const expandExists: Expand = (source, [variable, body], issues) => {
  const { at } = source;
  if (body === undefined) return source;
  const parts = {
    init: makeLiteral(at, false),
    condition: makeCall(at, NOT_STRICTLY_FALSE, makeCall(at, NOT, accumulatorRef(at))),
    step: makeCall(at, OPERATORS['||'], accumulatorRef(at), body),
    result: accumulatorRef(at),
    loop: { macro: 'exists', body, filter: undefined },
  } as const;
  return makeLoop(source, variable, parts, issues);
};

const expandExistsOne: Expand = (source, [variable, body], issues) => {
  const { at } = source;
  if (body === undefined) return source;
  const parts = {
    init: makeLiteral(at, 0n),
    condition: makeLiteral(at, true),
    step: makeCall(at, CONDITIONAL, body, makeCall(at, OPERATORS['+'], accumulatorRef(at), makeLiteral(at, 1n)), accumulatorRef(at)),
    result: makeCall(at, OPERATORS['=='], accumulatorRef(at), makeLiteral(at, 1n)),
    loop: { macro: 'exists_one', body, filter: undefined },
  } as const;
  return makeLoop(source, variable, parts, issues);
};

interface CollectingLoop extends MacroLoop {
  readonly macro: 'map' | 'filter';
  readonly body: Expr;
}

/** Collects the body of the loop for every item that satisfies its filter. */
function makeCollectingLoop(source: Call, variable: Expr | undefined, loop: CollectingLoop, issues: Issue[]): Expr {
  const { at } = source;
  const { body, filter } = loop;
  const add = makeCall(at, OPERATORS['+'], accumulatorRef(at), makeList(at, [body]));
  const parts = {
    init: makeList(at, []),
    condition: makeLiteral(at, true),
    step: filter === undefined ? add : makeCall(at, CONDITIONAL, filter, add, accumulatorRef(at)),
    result: accumulatorRef(at),
    loop,
  };
  return makeLoop(source, variable, parts, issues);
}

const expandMap: Expand = (source, [variable, body], issues) =>
  body === undefined ? source : makeCollectingLoop(source, variable, { macro: 'map', filter: undefined, body }, issues);
const expandMapFiltered: Expand = (source, [variable, filter, body], issues) =>
  body === undefined ? source : makeCollectingLoop(source, variable, { macro: 'map', filter, body }, issues);
const expandFilter: Expand = (source, [variable, filter], issues) =>
  variable === undefined ? source : makeCollectingLoop(source, variable, { macro: 'filter', filter, body: variable }, issues);

/**
 * `o.optMap(x, f)` binds the value of an optional to `x` and evaluates `f`; an empty optional stays empty. `optMap` wraps
 * the result in an optional; `optFlatMap` expects that `f` returns one.
 */
function expandOptional(macro: 'optMap' | 'optFlatMap'): Expand {
  return (source, [variable, body], issues) => {
    const { at, target } = source;
    if (target === undefined || body === undefined) return source;
    if (variable?.kind !== 'ident' || variable.name.startsWith('.')) {
      issues.push({ at: variable?.at ?? at, message: `${macro}() variable name must be a simple identifier` });
      return source;
    }
    const bound: Comprehension = {
      kind: 'comprehension',
      at,
      variable: UNUSED,
      range: makeList(at, []),
      accumulator: variable.name,
      init: makeMethodCall(at, target, 'value'),
      condition: makeLiteral(at, false),
      step: { kind: 'ident', at, name: variable.name },
      result: body,
      loop: { macro: 'bind', body, filter: undefined },
    };
    const optional: Expr = { kind: 'ident', at, name: 'optional' };
    const some: Expr = macro === 'optFlatMap' ? bound : { kind: 'call', at, name: 'of', target: optional, args: [bound] };
    const none: Expr = { kind: 'call', at, name: 'none', target: optional, args: [] };
    return makeCall(at, CONDITIONAL, makeMethodCall(at, target, 'hasValue'), some, none);
  };
}

const MACROS: readonly Macro[] = [
  { name: 'has', argCount: 1, isMethod: false, expand: expandHas },
  { name: 'all', argCount: 2, isMethod: true, expand: expandAll },
  { name: 'exists', argCount: 2, isMethod: true, expand: expandExists },
  { name: 'exists_one', argCount: 2, isMethod: true, expand: expandExistsOne },
  { name: 'map', argCount: 2, isMethod: true, expand: expandMap },
  { name: 'map', argCount: 3, isMethod: true, expand: expandMapFiltered },
  { name: 'filter', argCount: 2, isMethod: true, expand: expandFilter },
  { name: 'optMap', argCount: 2, isMethod: true, expand: expandOptional('optMap') },
  { name: 'optFlatMap', argCount: 2, isMethod: true, expand: expandOptional('optFlatMap') },
];

/** The expansion of a call, or the call itself. Appends errors of its arguments to `issues`. */
export function expandMacro(source: Call, issues: Issue[]): Expr {
  const isMethodCall = source.target !== undefined;
  const macro = MACROS.find(
    ({ name, argCount, isMethod }) => name === source.name && argCount === source.args.length && isMethod === isMethodCall,
  );
  return macro === undefined ? source : macro.expand(source, source.args, issues);
}
